import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { DAY_MS } from '#src/core/units.ts'
import { decideOrder } from '#src/sales/decide-order.ts'
import { PaymentRefusedError, PaymentUnavailableError } from '#src/sales/errors.ts'
import { refundOrder } from '#src/sales/refund-order.ts'
import { replaceAsOperator } from '#src/sales/replace-key.ts'
import { revokeAsOperator } from '#src/sales/revoke-key.ts'
import type { Reached } from '#src/sales/steps.ts'
import { eraseCustomerData } from '#src/storage/customer-data.ts'
import { letUnpaidGiveWay } from '#src/storage/unpaid-orders.ts'
import { MINUTE_MS } from '#test/support/clock.ts'
import { judge, judgeErased } from './judged-story.ts'
import { keyholders, keyId, newAddress, newToken, tokenOf } from './keyholders.ts'
import { openShop } from './shop.ts'
import { openEmptyShop, type Place, placeOfAllTests } from './shop-for-each-test.ts'
import { type Event, stories } from './story-events.ts'

/**
 * So many stories that nobody thought of; the next time others, unless a seed is given.
 *
 * @param atOnce so many things happen beside each other, but that time passes: nobody waits for another
 */
export function tellStories(count: number, seed?: number, { atOnce = 1 } = {}): void {
  const place = placeOfAllTests()

  test(
    'P29, P30, P110, P160: attack: however the buyer, Vipps, the mail, operators, the clock and the portal do what they do, each order ends with a key that is paid for, with neither, or an operator is told, and of who is erased then no address is left',
    async () => {
      const asPromised = fc.asyncProperty(stories, async ({ story, hearsAll }) => {
        expect(await tell(place(), story, { hearsAll, atOnce })).toEqual([])
      })
      await fc.assert(asPromised, { numRuns: count, ...(seed === undefined ? {} : { seed }) })
    },
    count * 60_000,
  )
}

/** A process came to its end. */
class DeathError extends Error {}

/**
 * Tells a story of the shop from its first order on, then lets all that is out of order be well, and goes on until nothing is due.
 *
 * @param hearsAll every message of Vipps that was lost comes in the end
 * @returns what is not as it was promised
 */
async function tell(
  stores: Place,
  story: readonly Event[],
  { hearsAll, atOnce }: { hearsAll: boolean; atOnce: number },
): Promise<string[]> {
  let diesAt: string | null = null
  const reached: Reached = (point) => {
    if (point !== diesAt) return
    diesAt = null
    throw new DeathError(point)
  }
  const open = await openEmptyShop(stores, { reached })
  const { storage, mail, vipps, clock, shop } = open
  const db = storage.database
  const other = openShop({ db, vipps, mailUrl: mail.url, clock })
  const { sales } = shop
  const { keysTo, renewalsTo, linksTo, newVerifier } = keyholders(() => open)
  const addresses = [newAddress()]
  const form = { epost: addresses[0] ?? '', vilkaarGodtatt: true, idempotensToken: newToken() }
  const tokens = new Set<string>()
  const operator = { db, clock, policy: policy.sales }
  const decided = new Set<string>()
  const revoked = new Set<string>()
  const told = new Map<string, number>()
  const messages: { reference: string; name: string; pspReference: string }[] = []
  const unheard = new Set<string>()
  const never = { signal: new AbortController().signal }

  const of = <T>(all: readonly T[], nr: number): T | undefined => all[nr % Math.max(1, all.length)]
  const payments = () => vipps.payments.all()
  const orders = () => db.query<{ id: string }>('select id from ordre order by laget_at, id')
  const mailedKeys = () => addresses.flatMap(keysTo)

  function gather(): void {
    for (const { reference, events: happened } of payments()) {
      for (const { name, pspReference } of happened.slice(told.get(reference) ?? 0))
        messages.push({ reference, name, pspReference })
      told.set(reference, happened.length)
    }
  }

  async function hear(message: (typeof messages)[number]): Promise<void> {
    await sales.noteWebhook({ merchantSerialNumber: vipps.credentials.merchantSerialNumber, ...message })
  }

  async function place(): Promise<void> {
    tokens.add((await sales.placeOrder(form)).ordre)
  }

  function inPortal(act: Extract<Event, { do: 'portal' }>['act'], nr: number): void {
    const payment = of(payments(), nr)
    if (payment?.state !== 'AUTHORIZED') return
    const left = payment.authorizedOre - payment.capturedOre - payment.cancelledOre
    const kept = payment.capturedOre - payment.refundedOre
    const happened = (name: 'CAPTURED' | 'REFUNDED' | 'CANCELLED', amountOre: number) =>
      payment.events.push({
        name,
        amountOre,
        pspReference: randomUUID(),
        idempotencyKey: null,
        at: clock.now(),
      })
    if ((act === 'capture' || act === 'part') && left > 0 && payment.cancelledOre === 0) {
      const ore = act === 'part' ? Math.min(10_000, left) : left
      payment.capturedOre += ore
      happened('CAPTURED', ore)
    }
    if ((act === 'refund' || act === 'part back') && kept > 0) {
      const ore = act === 'part back' ? Math.min(100, kept) : kept
      payment.refundedOre += ore
      happened('REFUNDED', ore)
    }
    if (act === 'cancel' && left > 0) {
      payment.cancelledOre += left
      happened('CANCELLED', left)
    }
  }

  async function happen(event: Event): Promise<void> {
    switch (event.do) {
      case 'approve':
      case 'abort':
      case 'expire': {
        const payment = of(payments(), event.which)
        if (payment?.state !== 'CREATED') return
        const act = { approve: vipps.approve, abort: vipps.refuse, expire: vipps.expire }[event.do]
        return act(payment.reference)
      }
      case 'portal':
        return inPortal(event.act, event.which)
      case 'hear':
      case 'hear twice': {
        const [message] = messages.splice(event.which % Math.max(1, messages.length), 1)
        if (message === undefined) return
        await hear(message)
        if (event.do === 'hear twice') await hear(message)
        return
      }
      case 'lose': {
        if (hearsAll) return
        for (const { reference } of messages.splice(event.which % Math.max(1, messages.length), 1))
          unheard.add(reference)
        return
      }
      case 'vipps':
        return vipps.misbehave(event.call, event.fault, { times: event.times })
      case 'mail':
        return mail.behave(event.fault)
      case 'well':
        vipps.behave()
        return mail.behave()
      case 'work':
        return shop.goOn()
      case 'both': {
        const both = await Promise.allSettled([shop.goOn(), other.goOn()])
        for (const one of both) if (one.status === 'rejected') throw one.reason
        return
      }
      case 'give way': {
        await db.transaction((connection) => letUnpaidGiveWay(connection, addresses[0] ?? '', clock.now()))
        return
      }
      case 'erase': {
        const by = { hvem: 'story', hvorfor: 'story', at: clock.now() }
        for (const address of addresses) await eraseCustomerData(db, address, by)
        return
      }
      case 'look':
        await sales.checkPayments(never)
        return
      case 'look again':
        return sales.lookAgain()
      case 'errands':
        await sales.runErrands(never)
        return
      case 'form':
        return place()
      case 'pass':
        return clock.advance(event.ms)
      case 'year': {
        const [row] = await db.query<{ slutt: Date | null }>(
          `select min(utloper_at) as slutt from api_nokkel where tilstand <> 'ventende' and utloper_at > $1`,
          [clock.now()],
        )
        const until = (row?.slutt?.getTime() ?? 0) - 10 * DAY_MS
        if (until > clock.now().getTime()) clock.advance(until - clock.now().getTime())
        return sales.writeReminders()
      }
      case 'renew': {
        const link = addresses.flatMap(renewalsTo).at(-1)
        if (link === undefined) return
        const renewal = await sales.renew(tokenOf(link), { vilkaarGodtatt: true })
        if (renewal.utfall === 'bestilt') tokens.add(renewal.ordre)
        return
      }
      case 'tidy':
        return sales.removeOldTraces()
      case 'lost': {
        const to = addresses.at(-1)
        if (to !== undefined) await sales.requestReplacement(to, event.grunn)
        return
      }
      case 'link': {
        const link = addresses.flatMap(linksTo).at(-1)
        if (link !== undefined) await sales.confirmReplacement(tokenOf(link))
        return
      }
      case 'use': {
        const key = of(mailedKeys(), event.which)
        if (key !== undefined) await newVerifier().verify(key)
        return
      }
      case 'replace': {
        const key = of(mailedKeys(), event.which)
        if (key !== undefined) await replaceAsOperator(operator, keyId(key), event.grunn)
        return
      }
      case 'address': {
        const token = of([...tokens], event.which)
        if (token === undefined) return
        const next = newAddress()
        if ((await sales.giveOtherAddress(token, next)) === 'sendes') addresses.push(next)
        return
      }
      case 'refund':
      case 'revoke':
      case 'decide': {
        const order = of(await orders(), event.which)
        if (order === undefined) return
        if (event.do === 'refund') await refundOrder(operator, order.id)
        if (event.do === 'revoke' && (await revokeAsOperator(operator, order.id)) !== null)
          revoked.add(order.id)
        if (event.do === 'decide' && (await decideOrder(operator, order.id)) === 'avgjort')
          decided.add(order.id)
        return
      }
      case 'die':
        diesAt = event.at
    }
  }

  async function tried(event: Event): Promise<void> {
    try {
      await happen(event)
    } catch (error) {
      const isExpected =
        error instanceof DeathError ||
        error instanceof PaymentRefusedError ||
        error instanceof PaymentUnavailableError
      if (!isExpected) throw error
    }
    gather()
  }

  try {
    await tried({ do: 'form', which: 0 })
    for (let begun = 0; begun < story.length; begun += atOnce) {
      const some = story.slice(begun, begun + atOnce)
      for (const event of some.filter(movesTime)) await tried(event)
      const tries = await Promise.allSettled(some.filter((event) => !movesTime(event)).map(tried))
      for (const each of tries) if (each.status === 'rejected') throw each.reason
    }
    diesAt = null
    await tried({ do: 'well' })
    for (let turn = 0; turn < TURNS_MAX; turn += 1) {
      for (const message of messages.splice(0)) {
        if (hearsAll) await hear(message)
        else unheard.add(message.reference)
      }
      await tried({ do: 'look' })
      await tried({ do: 'errands' })
      if (messages.length > 0) continue
      const next = await nextDue()
      if (next === null) break
      clock.advance(Math.max(MINUTE_MS, next.getTime() - clock.now().getTime()))
    }
    const keys = mailedKeys()
    // The first use of one ends others.
    for (const key of keys) await newVerifier().verify(key)
    const works = new Set<string>()
    for (const key of keys) if ((await newVerifier().verify(key)).ok) works.add(keyId(key))
    const wrong = await judge(db, vipps.payments, { now: clock.now(), works, decided, revoked, unheard })
    await tried({ do: 'erase' })
    await shop.goOn()
    return [...wrong, ...(await judgeErased(db, addresses))]
  } finally {
    await shop.close()
    await other.close()
    await vipps.close()
  }

  async function nextDue(): Promise<Date | null> {
    const [row] = await db.query<{ neste: Date | null }>(
      `select least((select min(neste_at) from utboks where ferdig_at is null),
         (select min(neste_sjekk_at) from ordre where neste_sjekk_at is not null)) as neste`,
    )
    return row?.neste ?? null
  }
}

const movesTime = (event: Event) => event.do === 'pass' || event.do === 'year'

const TURNS_MAX = 250

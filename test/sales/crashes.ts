import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { policy } from '#config/policy.ts'
import { createVerifier, type Verdict, type Verifier } from '#src/access/verify.ts'
import { systemClock } from '#src/core/clock.ts'
import { refundOrder } from '#src/sales/refund-order.ts'
import { type StepName, steps } from '#src/sales/steps.ts'
import { activateKey } from '#src/storage/key-chain.ts'
import { findKeyById } from '#src/storage/keys.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { keyIn, type MailServer, startMailServer } from '#test/support/mail-server.ts'
import { startVippsStandIn, type VippsStandIn } from '#test/support/vipps-stand-in.ts'
import type { Role } from './seller.ts'
import { hasty, offer, openShop } from './shop.ts'

export type CrashPoint = `${StepName}:before` | `${StepName}:after`

/**
 * `mailed`: all goes well but for the crash. `unanswered`: the first mail is taken and never answered for. `used`: and its key
 * is used at once. `refused`: the address is refused for good, and no other is given. `refunded`: all goes well, and then an
 * operator has the money given back.
 */
export type Fate = 'mailed' | 'unanswered' | 'used' | 'refused' | 'refunded'

export type Crash = { at: CrashPoint; workers: 1 | 2; fate: Fate }

/** What a seller has to do with. */
export type World = {
  storage: TestDatabase
  vipps: VippsStandIn
  mail: MailServer
  request: { epost: string; vilkaarGodtatt: boolean; idempotensToken: string }
}

/** One who sells. */
type Seller = {
  /** @throws Error when it came to its end alive */
  died(): Promise<void>
  /** Whatever it is doing. */
  kill(): Promise<void>
}

export type Sellers = {
  /** Of two who are told the same point the first to get there dies, and the other goes on. Otherwise one alone may be told. */
  readonly shareDeath: boolean
  /** @param diesAt where it dies, the first time it gets there */
  start(role: Role, diesAt: CrashPoint | null, world: World): Seller
}

const FRONT: ReadonlySet<StepName> = new Set(['order-stored', 'payment-created', 'payment-link-stored'])
const ONLY_REFUSED: ReadonlySet<StepName> = new Set(['payment-cancelled', 'cancellation-stored'])
const ONLY_DELIVERED: ReadonlySet<StepName> = new Set([
  'money-captured',
  'capture-stored',
  'receipt-sent',
  'receipt-stored',
])

const ONLY_REFUNDED: ReadonlySet<StepName> = new Set([
  'money-refunded',
  'refund-stored',
  'credit-note-sent',
  'credit-note-stored',
])

/** Every point a fate leads to; of one that is refunded those it alone leads to. */
export function pointsOf(fate: Fate): CrashPoint[] {
  return steps
    .filter((name) => ONLY_REFUNDED.has(name) === (fate === 'refunded'))
    .filter((name) => (fate === 'refused' ? !ONLY_DELIVERED.has(name) : !ONLY_REFUSED.has(name)))
    .flatMap((name) => [`${name}:before`, `${name}:after`] as const)
}

/** Where two might both do a thing, and where what was done is not known to have been. */
export const dangerous: readonly Crash[] = [
  { at: 'key-stored:after', workers: 2, fate: 'mailed' },
  { at: 'mail-sent:after', workers: 2, fate: 'mailed' },
  { at: 'delivery-stored:after', workers: 2, fate: 'mailed' },
  { at: 'money-captured:after', workers: 2, fate: 'mailed' },
  { at: 'mail-sent:after', workers: 1, fate: 'unanswered' },
  { at: 'mail-sent:after', workers: 2, fate: 'used' },
  { at: 'delivery-stored:before', workers: 1, fate: 'used' },
  { at: 'mail-sent:after', workers: 1, fate: 'refused' },
  { at: 'payment-cancelled:after', workers: 2, fate: 'refused' },
  { at: 'cancellation-stored:before', workers: 1, fate: 'refused' },
]

/** The one of an operator's refund. */
export const dangerousRefund: Crash = { at: 'money-refunded:after', workers: 2, fate: 'refunded' }

/**
 * A buyer orders and approves, and a seller is killed at the point. A buyer whose order broke off sends the form again; a
 * worker that died is followed by another, or there was another all the time. Checks that it ends as it was promised.
 */
export async function crash({ at, workers, fate }: Crash, sellers: Sellers): Promise<void> {
  const storage = await createTestDatabase()
  const vipps = await startVippsStandIn()
  const mail = await startMailServer()
  const started: Seller[] = []
  const epost = `kjoper-${randomBytes(4).toString('hex')}@example.no`
  const request = { epost, vilkaarGodtatt: true, idempotensToken: randomBytes(24).toString('base64url') }
  const shop = openShop({ db: storage.database, vipps, mailUrl: mail.url, changes: hasty })

  const world = { storage, vipps, mail, request }
  function start(role: Role, diesAt: CrashPoint | null): Seller {
    const seller = sellers.start(role, diesAt, world)
    started.push(seller)
    return seller
  }

  try {
    if (fate === 'refused') mail.behave({ at: 'rcpt', does: 550 })
    if (fate === 'unanswered' || fate === 'used') mail.behave({ at: 'end', does: 'reset', times: 1 })
    const isFront = FRONT.has(at.slice(0, at.indexOf(':')) as StepName)
    if (isFront) await start('front', at).died()
    const { ordre } = await shop.sales.placeOrder(request)
    const reference = `bo-${(await shop.sales.readOrder(ordre))?.nummer}-1`
    expect(vipps.payments.all()).toHaveLength(1)
    const doomedAt = isFront ? null : at
    const working = [start('worker', doomedAt)]
    if (workers === 2) working.push(start('worker', sellers.shareDeath ? doomedAt : null))
    vipps.approve(reference)
    const using = fate === 'used' ? useFirst(storage, mail, epost) : Promise.resolve()
    // Whoever dies before the mail is followed by another; until then nobody looks at it.
    using.catch(() => {})
    if (fate === 'refunded') {
      const number = (await shop.sales.readOrder(ordre))?.nummer ?? ''
      await eventually(
        'the order is paid for',
        async () =>
          (await shop.sales.readOrder(ordre))?.tilstand === 'fullfort' && !(await hasErrands(storage)),
        ENDS_WITHIN_MS,
      )
      // Whoever is in doubt whether it was heard asks again.
      expect(await refund(storage, number)).toBe('bedt')
      expect(await refund(storage, number)).toMatch(/^(underveis|refundert)$/)
    }
    // In company that shares no death the other may be quicker every time, and nobody dies.
    if (!isFront && (workers === 1 || sellers.shareDeath)) {
      await Promise.race(working.map((seller) => seller.died()))
      if (workers === 1) start('worker', null)
    }
    await using
    await eventually(
      `${at}: the order has come to its end`,
      async () => (await shop.sales.readOrder(ordre))?.erEndelig === true && !(await hasErrands(storage)),
      ENDS_WITHIN_MS,
    )
    await holds({ storage, vipps, mail, epost, reference, fate })
    expect(await shop.sales.readOrder(ordre)).toMatchObject({
      tilstand:
        ({ refused: 'kansellert', refunded: 'refundert' } as Record<string, string>)[fate] ?? 'fullfort',
    })
  } finally {
    await Promise.all(started.map((seller) => seller.kill()))
    await shop.close()
    await Promise.all([vipps.close(), mail.close()])
    await storage.close()
  }
}

/** As an operator has it done, who has no way to Vipps. */
function refund({ database: db }: TestDatabase, number: string) {
  return refundOrder({ db, clock: systemClock, policy: policy.sales }, number)
}

/** A dozen of them at once, each with two processes: seconds, and minutes on a busy machine. */
const ENDS_WITHIN_MS = 240_000

async function useFirst(storage: TestDatabase, mail: MailServer, epost: string): Promise<void> {
  const [first] = await mail.waitForMails({ to: epost, withinMs: ENDS_WITHIN_MS })
  const verdict = await verdictOf((first && keyIn(first)) ?? '', verifierOn(storage))
  // Another may have been used or sent before: what matters is that it is one at most.
  expect(verdict.ok ? 'ok' : verdict.why).toMatch(/^(ok|tilbakekalt)$/)
}

/** P30, read from the mails, the database and the bank. */
async function holds({
  storage,
  vipps,
  mail,
  epost,
  reference,
  fate,
}: {
  storage: TestDatabase
  vipps: VippsStandIn
  mail: MailServer
  epost: string
  reference: string
  fate: Fate
}): Promise<void> {
  const { captured, cancelled, refunded } = vipps.ledger().sums(reference)
  const keys = mail.mails.filter(({ envelope }) => envelope.to === epost).flatMap((one) => keyIn(one) ?? [])
  const verifier = verifierOn(storage)
  const verdicts: Verdict[] = []
  for (const key of keys) verdicts.push(await verdictOf(key, verifier))
  const working = verdicts.filter(({ ok }) => ok).length
  const active = await storage.database.query(
    `select 1 from api_nokkel where tilstand = 'aktiv' and tilbakekalt_at is null`,
  )
  if (fate === 'refused') {
    expect(captured).toEqual({ times: 0, ore: 0 })
    expect(cancelled).toEqual({ times: 1, ore: offer.priceOre })
    expect(keys).toEqual([])
    expect(active).toHaveLength(0)
    return
  }
  expect(captured).toEqual({ times: 1, ore: offer.priceOre })
  expect(cancelled.ore).toBe(0)
  expect(keys.length).toBeGreaterThan(0)
  if (fate === 'refunded') {
    // P110: the money went back once, all of it; no key is left, and the books say both.
    expect(refunded).toEqual({ times: 1, ore: offer.priceOre })
    expect(working).toBe(0)
    expect(active).toHaveLength(0)
    expect(await storage.database.query('select nummer, bilag from kreditnota')).toEqual([
      { nummer: '1', bilag: '1' },
    ])
    const notes = mail.mails.filter(({ content }) => content.subject?.startsWith('Kreditnota 1 '))
    expect(notes.length).toBeGreaterThan(0)
    return
  }
  expect(refunded.ore).toBe(0)
  expect(working).toBe(1)
  expect(active).toHaveLength(1)
  const everUsed = await storage.database.query(`select 1 from api_nokkel where tilstand = 'aktiv'`)
  expect(everUsed).toHaveLength(1)
  const books = await storage.database.query('select nummer from bilag')
  expect(books).toEqual([{ nummer: '1' }])
}

/** Whoever is told to come back, since PostgreSQL was late on a busy machine, comes back. */
async function verdictOf(key: string, verifier: Verifier): Promise<Verdict> {
  for (const until = Date.now() + ENDS_WITHIN_MS; ; await pause(100)) {
    const verdict = await verifier.verify(key)
    const isToComeBack = !verdict.ok && 'retryAfterSeconds' in verdict
    if (!isToComeBack || Date.now() > until) return verdict
  }
}

function verifierOn({ database }: TestDatabase): Verifier {
  return createVerifier({
    miljo: 'test',
    findKeyById: (id) => findKeyById(database, id),
    activate: (id) => activateKey(database, id, new Date()),
    clock: { now: () => new Date() },
    policy: { ...policy.keys, argon2WaitMs: 60_000 },
    onFault: () => {},
  })
}

async function hasErrands({ database }: TestDatabase): Promise<boolean> {
  return (await database.query('select 1 from utboks where ferdig_at is null')).length > 0
}

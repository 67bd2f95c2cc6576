import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { issueKey } from '#src/access/issue-key.ts'
import type { Verifier } from '#src/access/verify.ts'
import { expiryOf } from '#src/core/key-expiry.ts'
import { norwegianDay } from '#src/core/norwegian-time.ts'
import { refundOrder } from '#src/sales/refund-order.ts'
import { replaceAsOperator } from '#src/sales/replace-key.ts'
import { revokeAsOperator } from '#src/sales/revoke-key.ts'
import { lockChain } from '#src/storage/chain-lock.ts'
import { ownerOfKey } from '#src/storage/changes/owner.ts'
import { holdKey, KeyOverError } from '#src/storage/key-chain.ts'
import { followKeyChanges } from '#src/storage/key-changes.ts'
import { revokeKey } from '#src/storage/keys.ts'
import { putTestDelivery, sendAgain } from '#src/storage/push/deliveries.ts'
import { insertEndpoint, switchOffEndpoints } from '#src/storage/push/endpoints.ts'
import { holdEndpoint, noteFailed, noteTaken } from '#src/storage/push/sending.ts'
import { HOUR_MS, MINUTE_MS, type TestClock } from '#test/support/clock.ts'
import type { TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import type { MailServer } from '#test/support/mail-server.ts'
import type { VippsStandIn } from '#test/support/vipps-stand-in.ts'
import { rowsWith as inRows } from '#test/support/whole-contents.ts'
import { keyholders, keyId, newAddress, newToken, tokenOf } from './keyholders.ts'
import { offer, type TestShop } from './shop.ts'
import { type OpenShop, shopForEachTest } from './shop-for-each-test.ts'

const DAY_MS = 24 * HOUR_MS

let storage: TestDatabase
let vipps: VippsStandIn
let mail: MailServer
let clock: TestClock
let shop: TestShop
let verifier: Verifier
let current: OpenShop

const { bought, replaced, approve, later, keysTo, linksTo, renewalsTo, newestKey, newestLink, newVerifier } =
  keyholders(() => current)

shopForEachTest((open) => {
  current = open
  ;({ storage, mail, vipps, clock, shop } = open)
  verifier = newVerifier()
})

describe('P35: a key that was lost', () => {
  test('works until the first use of the new one, and not after it; the end stays the same', async () => {
    const { epost, key, id, utloper } = await bought()
    expect(await verifier.verify(key)).toMatchObject({ ok: true })
    const fresh = await replaced(epost, 'tapt')
    expect(await newVerifier().verify(key)).toMatchObject({ ok: true })
    expect(await verifier.verify(fresh)).toMatchObject({ ok: true, key: { utloper } })
    expect(await newVerifier().verify(key)).toMatchObject({ ok: false, why: 'tilbakekalt' })
    expect(fresh).not.toContain(id)
  })

  test('works for 24 h when the new one is not used, in a process that knows it too', async () => {
    const { epost, key } = await bought()
    await verifier.verify(key)
    const fresh = await replaced(epost, 'tapt')
    verifier.forget(keyId(key))
    expect(await verifier.verify(key)).toMatchObject({ ok: true })
    clock.advance(DAY_MS - 1)
    expect(await verifier.verify(key)).toMatchObject({ ok: true })
    clock.advance(1)
    expect(await verifier.verify(key)).toMatchObject({ ok: false, why: 'tilbakekalt' })
    expect(await verifier.verify(fresh)).toMatchObject({ ok: true })
  })

  test('works on while the mail with the new one is not taken', async () => {
    const { epost, key } = await bought()
    await verifier.verify(key)
    await shop.sales.requestReplacement(epost, 'tapt')
    await shop.goOn()
    const link = newestLink(epost)
    mail.behave({ at: 'rcpt', does: 451 })
    expect(await shop.sales.confirmReplacement(link)).toMatchObject({ utfall: 'sendes' })
    for (let hours = 0; hours < 48; hours += 2) await later(2 * HOUR_MS)
    expect(await newVerifier().verify(key)).toMatchObject({ ok: true })
  })
})

describe('P35: a key that leaked', () => {
  test('is over at once when the mailbox has confirmed it, and the new one works', async () => {
    const { epost, key, utloper } = await bought()
    await verifier.verify(key)
    await shop.sales.requestReplacement(epost, 'lekket')
    await shop.goOn()
    const link = newestLink(epost)
    expect(await newVerifier().verify(key)).toMatchObject({ ok: true })
    expect(await shop.sales.confirmReplacement(link)).toMatchObject({ utfall: 'sendes' })
    expect(await newVerifier().verify(key)).toMatchObject({ ok: false, why: 'tilbakekalt' })
    await shop.goOn()
    expect(await verifier.verify(newestKey(epost))).toMatchObject({ ok: true, key: { utloper } })
  })
})

describe('who has a leaked key', () => {
  test('P150: attack: can not keep it from being ended by an endpoint that is switched off in that moment', async () => {
    const { database } = storage
    const { key, epost, owner, endpoint, delivery } = await toldWhileLeaked()
    const hold = await holdEndpoint(database, endpoint, { forMs: HOUR_MS, line: null })
    const gone = { ms: 1, status: 410, arsak: 'borte', isGone: true }
    const both: Promise<unknown>[] = []
    // Both stand in line for the chain, its owner first, before either goes on.
    await database.transaction(async (connection) => {
      await lockChain(connection, owner)
      both.push(shop.sales.confirmReplacement(newestLink(epost)))
      await waiting(1)
      if (hold !== null)
        both.push(
          noteFailed(database, hold, delivery, gone, () => ({ againInMs: null, pauseMs: 0 }), {
            offAfterMs: HOUR_MS,
            at: clock.now(),
          }),
        )
      await waiting(2)
    })
    expect(await Promise.all(both)).toEqual([expect.objectContaining({ utfall: 'sendes' }), null])
    expect(await newVerifier().verify(key)).toMatchObject({ ok: false, why: 'tilbakekalt' })
  })

  test('P150: attack: can not keep it from being ended by taking what is sent to them, and changing where to', async () => {
    const { database } = storage
    const { key, epost, endpoint, delivery } = await toldWhileLeaked()
    const both: Promise<unknown>[] = []
    await database.transaction(async (connection) => {
      await connection.query('update endepunkt set neste_at = now() where id = $1', [endpoint])
      both.push(shop.sales.confirmReplacement(newestLink(epost)))
      await waiting(1)
      both.push(noteTaken(database, endpoint, delivery, { ms: 1, status: 200, arsak: null }))
      await waiting(2)
    })
    expect(await Promise.all(both)).toEqual([expect.objectContaining({ utfall: 'sendes' }), undefined])
    expect(await newVerifier().verify(key)).toMatchObject({ ok: false, why: 'tilbakekalt' })
  })

  test('P150: attack: can not keep it from being ended by asking for what was sent, again and again', async () => {
    const { key, epost, endpoint, delivery } = await toldWhileLeaked()
    await storage.database.transaction(async (connection) => {
      await sendAgain(connection, endpoint, delivery)
      const ended = shop.sales.confirmReplacement(newestLink(epost))
      expect(await Promise.race([ended, waiting(1)])).toMatchObject({ utfall: 'sendes' })
    })
    expect(await newVerifier().verify(key)).toMatchObject({ ok: false, why: 'tilbakekalt' })
  })

  test('P150: attack: can not keep it from being ended by how much waits to be sent: no statement has all of it', async () => {
    const { id, endpoint, delivery } = await toldWhileLeaked()
    const { database } = storage
    await database.query(
      `insert into levering (endepunkt, endring, orgnr, type)
       select endepunkt, endring, orgnr, type from levering, generate_series(1, 25000) where id = $1`,
      [delivery],
    )
    const givenUp: number[] = []
    const owner = (await ownerOfKey(database, id)) ?? ''
    await database.transaction((connection) =>
      switchOffEndpoints(
        {
          async query<Row extends Record<string, unknown>>(text: string, values?: readonly unknown[]) {
            const rows = await connection.query<Row>(text, values)
            if (text.startsWith('update levering')) givenUp.push(rows.length)
            return rows
          },
        },
        owner,
      ),
    )
    expect(givenUp).toEqual([10_000, 10_000, 5001])
    expect(
      await database.query(`select 1 from levering where endepunkt = $1 and tilstand = 'venter'`, [endpoint]),
    ).toEqual([])
  })

  test.each([
    ['its owner', async (_id: string, epost: string) => shop.sales.confirmReplacement(newestLink(epost))],
    [
      'an operator',
      async (id: string) => revokeAsOperator({ db: storage.database, clock, policy: policy.sales }, id),
    ],
  ])(
    'P150: attack: can not keep %s from ending it by using it without a pause: what comes later waits',
    async (_who, end) => {
      const { database } = storage
      const { id, epost } = await bought()
      await shop.sales.requestReplacement(epost, 'lekket')
      await shop.goOn()
      const use = async () => database.transaction((connection) => holdKey(connection, id))
      let ended: Promise<unknown> = Promise.resolve()
      let later: Promise<unknown> = Promise.resolve()
      await database.transaction(async (connection) => {
        await holdKey(connection, id)
        ended = end(id, epost)
        await waiting(1)
        later = use().catch((error: unknown) => error)
        await Promise.race([later, waiting(2)])
      })
      await ended
      expect(await later).toBeInstanceOf(KeyOverError)
    },
  )

  /** It has an endpoint, to which something is to be sent, and the link that ends it is in its owner's mailbox. */
  async function toldWhileLeaked() {
    const { database } = storage
    const had = await bought()
    const owner = (await ownerOfKey(database, had.id)) ?? ''
    const placed = await insertEndpoint(
      database,
      { eier: owner, prove: false, slutter: null, nokkel: null },
      { adresse: 'https://tyv.example/', typer: null },
      { ofOwner: 1, ofTests: 1 },
    )
    const endpoint = 'full' in placed ? '' : placed.endpoint.id
    const delivery = (await putTestDelivery(database, endpoint, 'prove'))?.id ?? ''
    await shop.sales.requestReplacement(had.epost, 'lekket')
    await shop.goOn()
    return { ...had, owner, endpoint, delivery }
  }

  async function waiting(many: number): Promise<void> {
    await eventually('so many wait for another', async () => {
      const those = await storage.database.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return those.length === many
    })
  }
})

describe('a key that leaked, and the mailbox does not take the new one', () => {
  async function leftWithoutKey() {
    const had = await bought()
    clock.advance(had.utloper.getTime() - 30 * DAY_MS - clock.now().getTime())
    await shop.sales.writeReminders()
    await shop.goOn()
    const renewal = tokenOf(renewalsTo(had.epost).at(-1) ?? '')
    await shop.sales.requestReplacement(had.epost, 'lekket')
    await shop.goOn()
    mail.behave({ at: 'rcpt', does: 552, to: had.epost })
    expect(await shop.sales.confirmReplacement(newestLink(had.epost))).toMatchObject({ utfall: 'sendes' })
    await shop.goOn()
    mail.behave()
    expect(await newVerifier().verify(had.key)).toMatchObject({ ok: false, why: 'tilbakekalt' })
    return { ...had, renewal }
  }
  const asOperator = (id: string) =>
    replaceAsOperator({ db: storage.database, clock, policy: policy.sales }, id, 'tapt')

  test('P35: attack: nothing that was paid for is lost: it is replaced when it is asked for again, and renewed', async () => {
    const { epost, utloper, renewal } = await leftWithoutKey()
    expect(await shop.sales.readRenewal(renewal)).not.toBeNull()
    const fresh = await replaced(epost, 'tapt')
    expect(await verifier.verify(fresh)).toMatchObject({ ok: true, key: { utloper } })
  })

  test('P35: an operator has the new one sent', async () => {
    const { epost, id, utloper } = await leftWithoutKey()
    expect(await asOperator(id)).toMatchObject({ utfall: 'sendes' })
    await shop.goOn()
    expect(await verifier.verify(newestKey(epost))).toMatchObject({ ok: true, key: { utloper } })
  })

  test('P171: attack: what is taken away then is over: nothing of it is replaced or renewed', async () => {
    const { epost, id, renewal } = await leftWithoutKey()
    await revokeAsOperator({ db: storage.database, clock, policy: policy.sales }, id)
    const known = linksTo(epost).length
    await shop.sales.requestReplacement(epost, 'lekket')
    await shop.goOn()
    expect(linksTo(epost)).toHaveLength(known)
    expect(await asOperator(id)).toEqual({ utfall: 'ugyldig_lenke' })
    expect(await shop.sales.readRenewal(renewal)).toBeNull()
  })
})

describe('P35: whoever knows only the address', () => {
  test('gets the same answer for every address, and the work is done behind it', async () => {
    const { epost } = await bought()
    const before = mail.mails.length
    expect(await shop.sales.requestReplacement(epost, 'tapt')).toBeUndefined()
    expect(await shop.sales.requestReplacement(newAddress(), 'tapt')).toBeUndefined()
    expect(mail.mails.length).toBe(before)
    await shop.goOn()
    expect(mail.mails.length).toBe(before + 1)
    expect(await storage.database.query('select 1 from erstatningsonske')).toEqual([])
  })

  test('can not cut service, however often they ask; the mailbox gets three links for a lost key', async () => {
    const { epost, key } = await bought()
    for (let times = 0; times < 20; times += 1) {
      await shop.sales.requestReplacement(epost, 'tapt')
      await shop.goOn()
    }
    expect(linksTo(epost)).toHaveLength(policy.sales.replacementsPerDay)
    await later(2 * DAY_MS)
    expect(await newVerifier().verify(key)).toMatchObject({ ok: true })
  })

  test('who guesses a link, or uses one that is old or used, gets nothing', async () => {
    const { epost, key } = await bought()
    expect(await shop.sales.confirmReplacement(randomBytes(32).toString('base64url'))).toMatchObject({
      utfall: 'ugyldig_lenke',
    })
    await shop.sales.requestReplacement(epost, 'tapt')
    await shop.goOn()
    const link = newestLink(epost)
    expect(await shop.sales.readReplacement(link)).toEqual({ utfall: 'kan_byttes' })
    expect(await shop.sales.confirmReplacement(link)).toMatchObject({ utfall: 'sendes' })
    await shop.goOn()
    const keys = keysTo(epost).length
    expect(await shop.sales.readReplacement(link)).toMatchObject({ utfall: 'alt_byttet' })
    expect(await shop.sales.confirmReplacement(link)).toMatchObject({ utfall: 'alt_byttet' })
    await shop.goOn()
    expect(keysTo(epost)).toHaveLength(keys)
    await shop.sales.requestReplacement(epost, 'tapt')
    await shop.goOn()
    clock.advance(policy.sales.linkValidMs)
    expect(await shop.sales.confirmReplacement(newestLink(epost))).toMatchObject({ utfall: 'ugyldig_lenke' })
    expect(key).toBeTruthy()
  })
})

describe('replacements', () => {
  test('of one purchase are three a day at most, and one that leaked is replaced all the same', async () => {
    const { epost } = await bought()
    for (let times = 0; times < 3; times += 1) await replaced(epost, 'tapt')
    clock.advance(DAY_MS / 2)
    await shop.sales.requestReplacement(epost, 'tapt')
    await shop.goOn()
    expect(await shop.sales.confirmReplacement(newestLink(epost))).toMatchObject({ utfall: 'for_mange' })
    await replaced(epost, 'lekket')
    clock.advance(DAY_MS)
    await replaced(epost, 'tapt')
  })

  test('whose mail was not answered for: of two new keys the first used is the one, and the old one is over with it', async () => {
    const { epost, key } = await bought()
    await newVerifier().verify(key)
    await shop.sales.requestReplacement(epost, 'tapt')
    await shop.goOn()
    mail.behave({ at: 'end', does: 'reset', times: 1 })
    await shop.sales.confirmReplacement(newestLink(epost))
    await shop.goOn()
    await later(MINUTE_MS)
    const keys = keysTo(epost)
    expect(keys).toHaveLength(3)
    const verdicts = []
    for (const one of keys.slice(1)) verdicts.push(await newVerifier().verify(one))
    expect(verdicts.map(({ ok }) => ok)).toEqual([true, false])
    expect(await newVerifier().verify(key)).toMatchObject({ ok: false, why: 'tilbakekalt' })
  })

  test('P35: attack: of one that could not be mailed yet, and was asked for again, the later comes, and nothing after it', async () => {
    const { epost, utloper } = await bought()
    for (const does of [451, null] as const) {
      await shop.sales.requestReplacement(epost, 'tapt')
      await shop.goOn()
      if (does !== null) mail.behave({ at: 'rcpt', does, times: 1 })
      expect(await shop.sales.confirmReplacement(newestLink(epost))).toMatchObject({ utfall: 'sendes' })
      await shop.goOn()
    }
    const fresh = newestKey(epost)
    expect(await newVerifier().verify(fresh)).toMatchObject({ ok: true, key: { utloper } })
    await later(DAY_MS)
    expect(newestKey(epost)).toBe(fresh)
    expect(keysTo(epost)).toHaveLength(2)
  })

  test('end with a revocation: a key that is on its way works for nobody', async () => {
    const { epost, key } = await bought()
    const fresh = await replaced(epost, 'tapt')
    await revokeKey(storage.database, keyId(key), clock.now())
    expect(await newVerifier().verify(fresh)).toMatchObject({ ok: false, why: 'tilbakekalt' })
    await shop.sales.requestReplacement(epost, 'tapt')
    await shop.goOn()
    expect(linksTo(epost)).toHaveLength(1)
  })
})

describe('reminders', () => {
  test('come 30, 7 and 1 day before the end and at it, each once, however many look', async () => {
    const { epost, utloper } = await bought()
    const days: number[] = []
    for (const before of [40, 30, 29, 7, 6, 1, 0.5, 0, -0.5, -3]) {
      clock.advance(utloper.getTime() - before * DAY_MS - clock.now().getTime())
      const known = renewalsTo(epost).length
      await Promise.all(Array.from({ length: 5 }, () => shop.sales.writeReminders()))
      await Promise.all(Array.from({ length: 3 }, () => shop.goOn()))
      if (renewalsTo(epost).length > known) days.push(before)
      expect(renewalsTo(epost).length - known).toBeLessThanOrEqual(1)
    }
    expect(days).toEqual([30, 7, 1, 0])
  })

  test('that may have arrived are not sent again', async () => {
    const { epost, utloper } = await bought()
    clock.advance(utloper.getTime() - 7 * DAY_MS - clock.now().getTime())
    mail.behave({ at: 'end', does: 'reset', times: 1 })
    await shop.sales.writeReminders()
    await shop.goOn()
    await later(3 * HOUR_MS)
    expect(renewalsTo(epost).length).toBe(1)
  })

  test('that somebody took on and did not come back from are not sent again: they may have gone', async () => {
    const { epost, utloper } = await bought()
    clock.advance(utloper.getTime() - 7 * DAY_MS - clock.now().getTime())
    await shop.sales.writeReminders()
    await storage.database.query(`update utboks set forsok = forsok + 1 where slag = 'paaminn'`)
    await shop.goOn()
    expect(renewalsTo(epost)).toEqual([])
    const ends = await storage.database.query(`select utfall from utboks where slag = 'paaminn'`)
    expect(ends).toEqual([{ utfall: 'ukjent' }])
  })

  test('have a link that buys the next year: it begins where the old one ends, and is bought once', async () => {
    const { epost, key, utloper } = await bought()
    clock.advance(utloper.getTime() - 7 * DAY_MS - clock.now().getTime())
    await shop.sales.writeReminders()
    await shop.goOn()
    const linkToken = tokenOf(renewalsTo(epost).at(-1) ?? '')
    expect(await shop.sales.readRenewal(linkToken)).toMatchObject({ utloper, erFornyet: false })
    const renewal = await shop.sales.renew(linkToken, { vilkaarGodtatt: true })
    const again = await shop.sales.renew(linkToken, { vilkaarGodtatt: true })
    expect(again).toEqual(renewal)
    if (renewal.utfall !== 'bestilt') throw new Error(renewal.utfall)
    await approve(renewal.ordre)
    const fresh = newestKey(epost)
    expect(await verifier.verify(fresh)).toMatchObject({ ok: true, key: { utloper: expiryOf(utloper) } })
    const [mailed] = (await mail.waitForMails({ count: 1, to: epost })).slice(-2)
    expect(mailed?.content.text).toContain('stopper ikke hverandre')
    expect(await newVerifier().verify(key)).toMatchObject({ ok: true })
    expect(await shop.sales.renew(linkToken, { vilkaarGodtatt: true })).toEqual({ utfall: 'alt_fornyet' })
    const before = renewalsTo(epost).length
    clock.advance(7 * DAY_MS)
    await shop.sales.writeReminders()
    await shop.goOn()
    expect(renewalsTo(epost).length).toBe(before)
  })
})

describe('one year of a key', () => {
  async function reminded() {
    const { epost, utloper } = await bought()
    const links: string[] = []
    for (const days of [30, 7]) {
      clock.advance(utloper.getTime() - days * DAY_MS - clock.now().getTime())
      await shop.sales.writeReminders()
      await shop.goOn()
      links.push(tokenOf(renewalsTo(epost).at(-1) ?? ''))
    }
    return { epost, links }
  }
  async function ordered(link: string): Promise<string> {
    const renewal = await shop.sales.renew(link, { vilkaarGodtatt: true })
    if (renewal.utfall !== 'bestilt') throw new Error(renewal.utfall)
    return renewal.ordre
  }
  const reference = async (ordre: string) => `bo-${(await shop.sales.readOrder(ordre))?.nummer}-1`
  async function isLetGo(ordre: string): Promise<void> {
    await eventually('it is let go', async () => {
      await later(policy.sales.pollFirstMs)
      return (await shop.sales.readOrder(ordre))?.tilstand === 'kansellert'
    })
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ grunn: 'alt_fornyet' })
    const payment = vipps.payments.find(await reference(ordre))
    expect(payment).toMatchObject({ capturedOre: 0, cancelledOre: offer.priceOre })
  }

  test('P158: attack: two links of reminders, both approved at once, are one year and one payment', async () => {
    const { epost, links } = await reminded()
    const known = keysTo(epost).length
    const orders: string[] = []
    for (const link of links) orders.push(await ordered(link))
    for (const ordre of orders) vipps.approve(await reference(ordre))
    await eventually('one of them is done', async () => {
      await later(policy.sales.pollFirstMs)
      const states = await Promise.all(orders.map((ordre) => shop.sales.readOrder(ordre)))
      return states.some((state) => state?.tilstand === 'fullfort')
    })
    const states = await Promise.all(orders.map((ordre) => shop.sales.readOrder(ordre)))
    const second = orders.find((_, index) => states[index]?.tilstand !== 'fullfort') ?? ''
    await isLetGo(second)
    expect(keysTo(epost)).toHaveLength(known + 1)
    expect(await storage.database.query('select 1 from bilag')).toHaveLength(2)
  })

  test('P158: attack: a renewal that was broken off is not tried again when another was paid, nor paid if it was under way', async () => {
    const { epost, links } = await reminded()
    const [first = '', other = ''] = links
    const brokenOff = await ordered(first)
    vipps.refuse(await reference(brokenOff))
    await later(policy.sales.pollFirstMs)
    const again = await shop.sales.orderAgain(brokenOff, {})
    if (again === null) throw new Error('expected an order')
    const paid = await ordered(other)
    await approve(paid)
    const known = keysTo(epost).length
    expect(await shop.sales.orderAgain(brokenOff, {})).toBeNull()
    vipps.approve(await reference(again.ordre))
    await isLetGo(again.ordre)
    expect(keysTo(epost)).toHaveLength(known)
  })
})

describe('a key whose money was given back, or that was revoked', () => {
  async function withLink() {
    const { ordre, id, utloper, epost } = await bought()
    clock.advance(utloper.getTime() - 30 * DAY_MS - clock.now().getTime())
    await shop.sales.writeReminders()
    await shop.goOn()
    const nummer = (await shop.sales.readOrder(ordre))?.nummer ?? ''
    return { id, epost, nummer, link: tokenOf(renewalsTo(epost).at(-1) ?? '') }
  }
  const takeAway = {
    refunded: ({ nummer }: { nummer: string }) =>
      refundOrder({ db: storage.database, clock, policy: policy.sales }, nummer),
    revoked: ({ id }: { id: string }) =>
      revokeAsOperator({ db: storage.database, clock, policy: policy.sales }, id),
  }

  test.each(['refunded', 'revoked'] as const)(
    'P171: attack: can not be renewed by an old link: %s',
    async (how) => {
      const had = await withLink()
      await takeAway[how](had)
      await shop.goOn()
      expect(await shop.sales.readRenewal(had.link)).toBeNull()
      expect(await shop.sales.renew(had.link, { vilkaarGodtatt: true })).toEqual({ utfall: 'ugyldig_lenke' })
    },
  )

  test('P171: attack: nor by a renewal that was under way: its money is let go', async () => {
    const had = await withLink()
    const renewal = await shop.sales.renew(had.link, { vilkaarGodtatt: true })
    if (renewal.utfall !== 'bestilt') throw new Error(renewal.utfall)
    const known = keysTo(had.epost).length
    await takeAway.refunded(had)
    const reference = `bo-${(await shop.sales.readOrder(renewal.ordre))?.nummer}-1`
    vipps.approve(reference)
    await eventually('it is let go', async () => {
      await later(policy.sales.pollFirstMs)
      return (await shop.sales.readOrder(renewal.ordre))?.tilstand === 'kansellert'
    })
    expect(vipps.payments.find(reference)).toMatchObject({ capturedOre: 0, cancelledOre: offer.priceOre })
    expect(await shop.sales.orderAgain(renewal.ordre, {})).toBeNull()
    expect(keysTo(had.epost)).toHaveLength(known)
  })

  test('one that leaked is renewed while its replacement is on its way', async () => {
    const had = await withLink()
    await shop.sales.requestReplacement(had.epost, 'lekket')
    await shop.goOn()
    await shop.sales.confirmReplacement(newestLink(had.epost))
    expect(await shop.sales.readRenewal(had.link)).not.toBeNull()
    await shop.goOn()
    expect(await shop.sales.readRenewal(had.link)).not.toBeNull()
  })
})

describe('P26: a revocation', () => {
  test('reaches every process, without a Redis and while no clock moves', async () => {
    const verifiers = Array.from({ length: 3 }, newVerifier)
    const following = await Promise.all(verifiers.map(follow))
    try {
      const { id, token } = await issueKey(
        { db: storage.database, clock },
        { epost: 'a@b.no', miljo: 'test' },
      )
      for (const one of verifiers) expect(await one.verify(token)).toMatchObject({ ok: true })
      await revokeKey(storage.database, id, clock.now())
      for (const one of verifiers) await eventually('refused', async () => !(await one.verify(token)).ok)
    } finally {
      await Promise.all(following.map((one) => one.close()))
    }
  })

  test('is heard again after the connection broke', async () => {
    const following = await follow(verifier)
    try {
      const { id, token } = await issueKey(
        { db: storage.database, clock },
        { epost: 'a@b.no', miljo: 'test' },
      )
      await storage.database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'oppslag key changes' and datname = current_database()`,
      )
      await verifier.verify(token)
      await revokeKey(storage.database, id, clock.now())
      await eventually('refused', async () => {
        await storage.database.query(`select pg_notify('nokkel_endret', $1)`, [id])
        return !(await verifier.verify(token)).ok
      })
    } finally {
      await following.close()
    }
  })
})

describe('what is kept', () => {
  test('hashes for 30 days after the end of a key, addresses for 90, the books for five years after their year', async () => {
    const { epost, key, ordre, utloper } = await bought()
    await shop.sales.noteWebhook({
      merchantSerialNumber: vipps.credentials.merchantSerialNumber,
      reference: 'bo-ukjent-1',
      name: 'AUTHORIZED',
      pspReference: 'psp',
    })
    await shop.sales.requestReplacement(epost, 'tapt')
    await shop.goOn()
    await at(utloper.getTime() + 30 * DAY_MS - 1)
    expect(await newVerifier().verify(key)).toMatchObject({ ok: false, why: 'utlopt' })
    await at(utloper.getTime() + 30 * DAY_MS)
    expect(await newVerifier().verify(key)).toEqual({ ok: false, why: 'ukjent' })
    expect(await rowsWith(epost)).toBeGreaterThan(0)
    await at(utloper.getTime() + 90 * DAY_MS)
    expect(await rowsWith(epost)).toBe(0)
    expect(await rowsWith('$argon2id$')).toBe(0)
    expect(await rowsWith('bo-ukjent-1')).toBe(0)
    const [bilag] = await storage.database.query<{ dato: Date }>('select dato from bilag')
    const year = Number(norwegianDay(bilag?.dato ?? utloper).slice(0, 4))
    await at(newYear(year + 6) - 1)
    expect(await storage.database.query('select 1 from bilag')).toHaveLength(1)
    await at(newYear(year + 6))
    expect(await storage.database.query('select 1 from bilag')).toHaveLength(0)
    expect(await shop.sales.readOrder(ordre)).toBeNull()
  })

  test('P160: attack: what is sold in the first hour of a year in Norway stands in its books, with its order of the year before', async () => {
    const year = Number(norwegianDay(clock.now()).slice(0, 4)) + 1
    await at(newYear(year) - 1000)
    const { ordre } = await bought()
    const books = await storage.database.query<{ dato: Date; laget: Date }>(
      'select dato, o.laget_at as laget from bilag join ordre o on o.id = bilag.ordre',
    )
    expect(books.map(({ dato, laget }) => [laget.getTime() < newYear(year), norwegianDay(dato)])).toEqual([
      [true, `${year}-01-01`],
    ])
    await at(newYear(year + 5) + 2 * HOUR_MS)
    expect(await storage.database.query('select 1 from bilag')).toHaveLength(1)
    expect(await shop.sales.readOrder(ordre)).not.toBeNull()
    await at(newYear(year + 6))
    expect(await storage.database.query('select 1 from bilag')).toHaveLength(0)
    expect(await shop.sales.readOrder(ordre)).toBeNull()
  })

  test('P160: nothing of a buyer who never paid, after a month', async () => {
    const epost = newAddress()
    const { ordre } = await shop.sales.placeOrder({
      epost,
      vilkaarGodtatt: true,
      idempotensToken: newToken(),
    })
    await later(policy.sales.paymentWindowMs)
    expect(await rowsWith(epost)).toBe(1)
    await at(clock.now().getTime() + 29 * DAY_MS)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'utlopt' })
    await at(clock.now().getTime() + 2 * DAY_MS)
    expect(await rowsWith(epost)).toBe(0)
    // Nor the order: strangers make as many as they like, and none of them is of the books.
    expect(await shop.sales.readOrder(ordre)).toBeNull()
  })

  test('P160: attack: nor of one whose key was refused by the mailbox, and whose money was let go', async () => {
    const epost = newAddress()
    const { ordre } = await shop.sales.placeOrder({
      epost,
      vilkaarGodtatt: true,
      idempotensToken: newToken(),
    })
    vipps.approve(`bo-${(await shop.sales.readOrder(ordre))?.nummer}-1`)
    mail.behave({ at: 'rcpt', does: 550 })
    await later(policy.sales.pollFirstMs)
    await later(policy.sales.otherAddressMs)
    expect(await shop.sales.readOrder(ordre)).toMatchObject({ tilstand: 'kansellert' })
    await at(clock.now().getTime() + 29 * DAY_MS)
    expect(await rowsWith(epost)).toBeGreaterThan(0)
    await at(clock.now().getTime() + 2 * DAY_MS)
    expect(await rowsWith(epost)).toBe(0)
  })
})

/** Midnight in Norway, which is in winter time then. */
const newYear = (year: number) => Date.UTC(year, 0, 1) - HOUR_MS

async function at(ms: number): Promise<void> {
  clock.advance(ms - clock.now().getTime())
  await shop.sales.removeOldTraces()
}

const rowsWith = async (word: string) => (await inRows(storage.database, word)).length

/** Follows changes for a verifier; returns when it hears. */
async function follow(verifier: Verifier): Promise<{ close(): Promise<void> }> {
  let hasHeard = false
  const following = followKeyChanges({
    url: storage.url,
    onChange(id) {
      hasHeard ||= id === 'prove0000000'
      verifier.forget(id)
    },
    onSessionEnded() {},
    retryMs: 20,
    heartbeatMs: 1000,
  })
  await eventually('it hears', async () => {
    await storage.database.query(`select pg_notify('nokkel_endret', 'prove0000000')`)
    return hasHeard
  })
  return following
}

import { beforeEach, describe, expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { createKeySessions } from '#src/access/key-sessions.ts'
import { createLastUsed } from '#src/access/last-used.ts'
import { createNamedKeys, type NamedKeys } from '#src/access/named-keys.ts'
import { createVerifier } from '#src/access/verify.ts'
import { refundOrder } from '#src/sales/refund-order.ts'
import { ownerOfKey } from '#src/storage/changes/owner.ts'
import { putWatches } from '#src/storage/changes/watches.ts'
import { eraseCustomerData, readCustomerData } from '#src/storage/customer-data.ts'
import { findCustomer } from '#src/storage/customers.ts'
import { activateKey } from '#src/storage/key-chain.ts'
import { followKeyChanges } from '#src/storage/key-changes.ts'
import { findKeyById, revokeKey } from '#src/storage/keys.ts'
import { findKeyRight, noteKeysUsed } from '#src/storage/named-keys.ts'
import { insertEndpoint } from '#src/storage/push/endpoints.ts'
import { HOUR_MS } from '#test/support/clock.ts'
import { eventually } from '#test/support/eventually.ts'
import { keyholders, keyId, tokenOf } from './keyholders.ts'
import { type OpenShop, shopForEachTest } from './shop-for-each-test.ts'

const DAY_MS = 24 * HOUR_MS
let current: OpenShop
let keys: NamedKeys
const { bought, replaced, approve, later, newestKey, newestLink, mailsTo, renewalsTo, newVerifier } =
  keyholders(() => current)

shopForEachTest((open) => {
  current = open
})
beforeEach(() => {
  keys = createNamedKeys({
    db: current.storage.database,
    miljo: 'test',
    clock: current.clock,
    policy: policy.keys.named,
  })
})

async function made(by: string, navn: string) {
  const key = await keys.make(by, navn)
  if (key.utfall !== 'laget') throw new Error(key.utfall)
  return key
}

/** What each of these texts opens, in a process that knows none of them. */
async function opens(...tokens: string[]): Promise<boolean[]> {
  const verifier = newVerifier()
  return Promise.all(tokens.map(async (token) => (await verifier.verify(token)).ok))
}

/** A key in use, and two beside it. */
async function three() {
  const order = await bought()
  await newVerifier().verify(order.key)
  const first = await made(order.id, 'Regnskap')
  const second = await made(order.id, 'CRM')
  return { ...order, first, second, all: [order.key, first.token, second.token] as const }
}

describe('P133: several keys of one order', () => {
  test('one is ended, in every process and at once, and the others go on', async () => {
    const { id, key, first, second, utloper } = await three()
    const verifier = newVerifier()
    for (const token of [key, first.token, second.token])
      expect(await verifier.verify(token)).toMatchObject({ ok: true, key: { utloper } })
    const told: string[] = []
    const changes = followKeyChanges({
      url: current.storage.url,
      retryMs: 50,
      heartbeatMs: 10_000,
      onChange: (changed) => {
        told.push(changed)
        verifier.forget(changed)
      },
      onSessionEnded() {},
    })
    try {
      await eventually('the process hears of changed keys', async () => {
        await current.storage.database.query("select pg_notify('nokkel_endret', 'prove1prove1')")
        return told.includes('prove1prove1')
      })
      expect(await keys.end(id, first.id)).toBe('gjort')
      await eventually('the process is told', () => told.includes(first.id))
    } finally {
      await changes.close()
    }
    expect(await verifier.verify(first.token)).toMatchObject({ ok: false, why: 'tilbakekalt' })
    expect(await verifier.verify(second.token)).toMatchObject({ ok: true })
    expect(await opens(key, first.token, second.token)).toEqual([true, false, true])
    const { held, ended } = (await keys.list(id)) ?? {}
    expect(held?.map(({ navn }) => navn)).toEqual([null, 'CRM'])
    expect(ended).toMatchObject([{ id: first.id, navn: 'Regnskap' }])
  })

  test('P61: each has the turns of the others, and so has the one that comes instead', async () => {
    const { epost, all } = await three()
    const { key } = await bought()
    const tokens = [...all, await replaced(epost, 'tapt'), key]
    const verifier = newVerifier()
    const verdicts = await Promise.all(tokens.map((token) => verifier.verify(token)))
    const rights = verdicts.map((verdict) => verdict.ok && verdict.key.right)
    expect(new Set(rights.slice(0, -1)).size).toBe(1)
    expect(rights.at(-1)).not.toBe(rights[0])
  })

  test('P61: attack: sessions in browsers of eleven keys of one purchase have the turns of one', async () => {
    const { id, key } = await bought()
    const tokens = [key]
    const verifier = newVerifier()
    await verifier.verify(key)
    for (let at = 1; at <= policy.keys.named.inUseMax; at += 1) tokens.push((await made(id, `${at}`)).token)
    const sessions = createKeySessions({
      db: current.storage.database,
      verifier,
      clock: current.clock,
      policy: policy.keys.sessions,
    })
    const turns = await Promise.all(
      tokens.map(async (token) => {
        const verdict = await verifier.verify(token)
        if (!verdict.ok) throw new Error(verdict.why)
        const { value } = await sessions.begin(verdict.key)
        await sessions.who(value)
        return sessions.rightLately(value) === verdict.key.right
      }),
    )
    expect(turns).toEqual(tokens.map(() => true))
  })

  test('each is a key of its own, of the right that was bought', async () => {
    const { id, first, second } = await three()
    const rights = await Promise.all(
      [id, first.id, second.id].map((one) => findKeyRight(current.storage.database, one)),
    )
    expect(new Set(rights.map((one) => one?.right)).size).toBe(1)
    expect(rights.map((one) => one?.isNamed)).toEqual([false, true, true])
    expect(new Set([id, first.id, second.id]).size).toBe(3)
    // What is watched is its holder's, whichever key asks.
    for (const one of [id, first.id, second.id])
      expect(await ownerOfKey(current.storage.database, one)).toBe(rights[0]?.right)
  })

  test.each([
    [
      'revoked by the order',
      async (order: string) => revokeKey(current.storage.database, order, current.clock.now()),
    ],
    [
      'revoked by its own id',
      async (_: string, id: string) => revokeKey(current.storage.database, id, current.clock.now()),
    ],
    [
      'refunded',
      async (order: string) =>
        refundOrder({ db: current.storage.database, clock: current.clock, policy: policy.sales }, order),
    ],
  ])('all are over when the right is %s', async (_, end) => {
    const { ordre, id, all } = await three()
    const nummer = (await current.shop.sales.readOrder(ordre))?.nummer ?? ''
    await end(nummer, id)
    expect(await opens(...all)).toEqual([false, false, false])
    expect(await keys.make(id, 'Enda en')).toEqual({ utfall: 'ikke_din' })
  })

  test('all are over when the bought one leaked, and the thief has none left; when it was lost they go on', async () => {
    const lost = await three()
    const fresh = await replaced(lost.epost, 'tapt')
    expect(await opens(fresh, lost.first.token, lost.second.token)).toEqual([true, true, true])
    expect(await opens(lost.key)).toEqual([false])
    expect(await keys.make(lost.id, 'Den gamle')).toEqual({ utfall: 'ikke_din' })
    const names = (await keys.list(keyId(fresh)))?.held.map(({ navn }) => navn)
    expect(new Set(names)).toEqual(new Set([null, 'CRM', 'Regnskap']))

    await current.shop.sales.requestReplacement(lost.epost, 'lekket')
    await current.shop.goOn()
    await current.shop.sales.confirmReplacement(newestLink(lost.epost))
    expect(await opens(fresh, lost.first.token, lost.second.token)).toEqual([false, false, false])
    // A process that has not heard remembers it as valid: nothing is made with it.
    expect(await keys.make(keyId(fresh), 'Tyvens')).toEqual({ utfall: 'ikke_din' })
    await current.shop.goOn()
    expect(await opens(newestKey(lost.epost))).toEqual([true])
  })

  test('P150: attack: who has used up those there may be, while the bought one leaked, leaves its holder as many anew', async () => {
    const few = { inUseMax: 2, madeMax: 4, madeInAllMax: 8, endedShownMax: 20 }
    const { clock, storage } = current
    keys = createNamedKeys({ db: storage.database, miljo: 'test', clock, policy: few })
    const { epost, key } = await bought()
    await newVerifier().verify(key)
    /** Each is ended at once, so that it is how many were made that ends it. */
    async function madeAndEnded(by: string): Promise<number> {
      for (let made = 0; ; made += 1) {
        clock.advance(1000)
        const one = await keys.make(by, `Nr. ${made}`)
        if (one.utfall !== 'laget') return made
        await keys.end(by, one.id)
      }
    }
    expect(await madeAndEnded(keyId(key))).toBe(few.madeMax)
    // One that was only lost was in nobody's hands.
    const second = await replaced(epost, 'tapt')
    await newVerifier().verify(second)
    expect(await madeAndEnded(keyId(second))).toBe(0)
    const third = await replaced(epost, 'lekket')
    await newVerifier().verify(third)
    expect(await madeAndEnded(keyId(third))).toBe(few.madeMax)
    // However often it leaks no table is filled.
    const fourth = await replaced(epost, 'lekket')
    await newVerifier().verify(fourth)
    expect(await madeAndEnded(keyId(fourth))).toBe(0)
  })

  test('P150: attack: however many are made and ended, operators see what can be used', async () => {
    const { id, key } = await bought()
    await newVerifier().verify(key)
    const kept = await made(id, 'Regnskap')
    for (let many = 0; many < 60; many += 1) {
      current.clock.advance(1000)
      await keys.end(id, (await made(id, `Nr. ${many}`)).id)
    }
    const seen = (await findCustomer(current.storage.database, id))?.keys ?? []
    const usable = seen.filter(({ tilbakekalt }) => tilbakekalt === null).map((each) => each.id)
    // Both were made at one moment of this clock.
    expect(usable.sort()).toEqual([kept.id, id].sort())
  })

  test('they end when the bought one does, are never mailed about, and the next year is a right of its own', async () => {
    const { epost, all, utloper } = await three()
    const before = mailsTo(epost).length
    current.clock.advance(utloper.getTime() - current.clock.now().getTime() - 7 * DAY_MS + HOUR_MS)
    await current.shop.sales.writeReminders()
    await current.shop.goOn()
    expect(mailsTo(epost)).toHaveLength(before + 1)
    expect(renewalsTo(epost)).toHaveLength(1)
    await later(7 * DAY_MS)
    expect(await opens(...all)).toEqual([false, false, false])
  })

  test('one that an operator revokes by its id ends alone', async () => {
    const { id, all, first } = await three()
    await revokeKey(current.storage.database, first.id, current.clock.now())
    expect(await opens(...all)).toEqual([true, false, true])
    const customer = await findCustomer(current.storage.database, first.id)
    expect(customer?.keys.map((key) => [key.id === id, key.erVedSiden])).toEqual(
      expect.arrayContaining([
        [true, false],
        [false, true],
      ]),
    )
    expect(customer?.order).not.toBeNull()
  })

  test('one with a name makes, names and ends none, itself included', async () => {
    const { id, all, first, second } = await three()
    expect(await keys.list(first.id)).toBeNull()
    expect(await keys.make(first.id, 'Tyvens')).toEqual({ utfall: 'ikke_din' })
    for (const target of [id, first.id, second.id]) {
      expect(await keys.end(first.id, target)).toBe('ikke_din')
      expect(await keys.rename(first.id, target, 'Tyvens')).toBe('ikke_din')
    }
    expect(await opens(...all)).toEqual([true, true, true])
  })

  test("another's key is as one that is not there", async () => {
    const mine = await three()
    const other = await bought()
    await newVerifier().verify(other.key)
    for (const target of [mine.id, mine.first.id, 'finnesikke12']) {
      expect(await keys.end(other.id, target)).toBe('ukjent')
      expect(await keys.rename(other.id, target, 'Min')).toBe('ukjent')
    }
    expect((await keys.list(other.id))?.held).toHaveLength(1)
    expect(await opens(...mine.all)).toEqual([true, true, true])
  })

  test('ten at a time, however many ask at once, and a name is one key', async () => {
    const { id } = await bought()
    await current.storage.database.query(`update api_nokkel set tilstand = 'aktiv' where id = $1`, [id])
    const names = Array.from({ length: 14 }, (_, index) => `Program ${index}`)
    const outcomes = await Promise.all(names.map(async (navn) => (await keys.make(id, navn)).utfall))
    expect(outcomes.filter((one) => one === 'laget')).toHaveLength(10)
    expect(outcomes.filter((one) => one === 'for_mange')).toHaveLength(4)
    const one = (await keys.list(id))?.held.find(({ navn }) => navn !== null)
    await keys.end(id, one?.id ?? '')
    const same = await Promise.all(
      ['Kasse', 'kasse', ' KASSE '].map(async (navn) => (await keys.make(id, navn)).utfall),
    )
    expect(same.sort()).toEqual(['laget', 'navn_i_bruk', 'navn_i_bruk'])
    const [last, before] = (await keys.list(id))?.held.filter(({ navn }) => navn !== null) ?? []
    expect(await keys.rename(id, before?.id ?? '', last?.navn ?? '')).toBe('navn_i_bruk')
    expect(await keys.rename(id, last?.id ?? '', 'Kassen i andre etasje')).toBe('gjort')
  })

  test.each(['', '   ', 'x'.repeat(61), 'a\u0000b', '\u202Eabc', 'bo_test_abcdefghijkl_hemmelig'])(
    'no name: %j',
    async (navn) => {
      const { id } = await bought()
      await expect(keys.make(id, navn)).rejects.toMatchObject({ code: 'ugyldig_navn' })
    },
  )

  test('what a holder called them is told to whom it is about, and erased with the address', async () => {
    const { epost, all } = await three()
    const { database } = current.storage
    expect(JSON.stringify(await readCustomerData(database, epost))).toContain('Regnskap')
    await eraseCustomerData(database, epost, { hvem: 'o', hvorfor: 'ba om det', at: current.clock.now() })
    expect(JSON.stringify(await database.query('select * from api_nokkel'))).not.toContain('Regnskap')
    expect(await opens(...all)).toEqual([true, true, true])
  })

  test('of who has renewed, and whose first year is long over, what is watched and sent is told and erased too', async () => {
    const { epost, id, utloper } = await bought()
    const { clock, shop, storage } = current
    const { database } = storage
    clock.advance(utloper.getTime() - 7 * DAY_MS - clock.now().getTime())
    await shop.sales.writeReminders()
    await shop.goOn()
    const renewal = await shop.sales.renew(tokenOf(renewalsTo(epost).at(-1) ?? ''), { vilkaarGodtatt: true })
    if (renewal.utfall !== 'bestilt') throw new Error(renewal.utfall)
    await approve(renewal.ordre)
    const eier = (await ownerOfKey(database, keyId(newestKey(epost)))) ?? ''
    expect(eier).toBe(await ownerOfKey(database, id))
    const owner = { eier, prove: false, slutter: null, nokkel: null }
    const adresse = 'https://mottak.example/hemmelig'
    await insertEndpoint(database, owner, { adresse, typer: null }, { ofOwner: 9, ofTests: 9 })
    const watch = { orgnr: '923609016', navn: 'Svigermor', typer: null, epost: null }
    await putWatches(database, owner, [watch], { max: 9, at: clock.now() })
    clock.advance(7 * DAY_MS + policy.sales.retention.addressAfterMs)
    await shop.sales.removeOldTraces()

    const kept = async () => {
      const rows = [
        await database.query('select eier, adresse from endepunkt where eier = $1', [eier]),
        await database.query('select eier, navn from overvaking where eier = $1', [eier]),
      ]
      return JSON.stringify([rows, await readCustomerData(database, epost)])
    }
    for (const told of ['hemmelig', 'Svigermor'])
      expect(JSON.stringify(await readCustomerData(database, epost))).toContain(told)
    await eraseCustomerData(database, epost, { hvem: 'o', hvorfor: 'ba om det', at: clock.now() })
    expect(await kept()).not.toMatch(/hemmelig|Svigermor/)
  })

  test('of who renews for longer than the books are kept, what is watched is theirs all the same', async () => {
    const { id } = await bought()
    const { clock, shop, storage } = current
    const { database } = storage
    const owner = (await ownerOfKey(database, id)) ?? ''
    const yearOf = (nr: number) => new Date(begun + nr * 365 * DAY_MS)
    const begun = clock.now().getTime()
    let before = owner
    for (let nr = 1; nr <= 9; nr += 1) {
      const kjede = `fornyet${nr}xx`
      const [at, end] = [yearOf(nr), yearOf(nr + 1)]
      await database.query(
        `insert into ordre select (jsonb_populate_record(null::ordre, to_jsonb(o) || jsonb_build_object('id', $2::text,
           'fornyer', $1::text, 'fornyer_fra', $3::timestamptz, 'laget_at', $3::timestamptz, 'endret_at', $3::timestamptz,
           'referanse', 'bo-' || $2::text || '-1', 'psp_referanse', null,
           'token_hash', '\\x' || encode(sha256($2::text::bytea), 'hex')))).* from ordre o where id = $1`,
        [before, kjede, at],
      )
      await database.query(
        `insert into api_nokkel select (jsonb_populate_record(null::api_nokkel, to_jsonb(n) || jsonb_build_object('id', $1::text,
           'kjede', $2::text, 'utstedt_at', $3::timestamptz, 'utloper_at', $4::timestamptz, 'levering', null))).*
         from api_nokkel n where id = $5`,
        [`fornyetaar0${nr}`, kjede, at, end, id],
      )
      before = kjede
    }
    for (const nr of [5, 7, 9]) {
      clock.advance(yearOf(nr).getTime() + DAY_MS - clock.now().getTime())
      await shop.sales.removeOldTraces()
      expect([nr, await ownerOfKey(database, `fornyetaar0${nr}`)]).toEqual([nr, owner])
    }
    const left = await database.query('select id from ordre order by laget_at')
    expect(left[0]).toEqual({ id: 'fornyet4xx' })
  })

  test('of an order that is not paid there is none', async () => {
    const { ordre } = await current.shop.sales.placeOrder({
      epost: 'k@example.no',
      vilkaarGodtatt: true,
      idempotensToken: 'x'.repeat(32),
    })
    const nummer = (await current.shop.sales.readOrder(ordre))?.nummer ?? ''
    expect(await keys.make(nummer, 'Ubetalt')).toEqual({ utfall: 'ikke_din' })
    await approve(ordre)
  })
})

describe('P133: the day a key was last used', () => {
  test('is written for all at once, once a day, and nobody waits for it', async () => {
    const { id, key, first } = await three()
    const { database } = current.storage
    const writes: string[][] = []
    const lastUsed = createLastUsed({
      write: async (ids, day) => {
        writes.push([day, ...ids].sort())
        await noteKeysUsed(database, ids, day)
      },
      clock: current.clock,
      onFault: (error) => expect.unreachable(String(error)),
      policy: { everyMs: DAY_MS, keysMax: 100 },
    })
    const verifier = createVerifier({
      miljo: 'test',
      findKeyById: (each) => findKeyById(database, each),
      activate: (each) => activateKey(database, each, current.clock.now()),
      clock: current.clock,
      policy: { ...policy.keys, argon2WaitMs: 60_000 },
      onFault: () => {},
      onUse: lastUsed.note,
    })
    const day = async (of: string) => (await keys.list(id))?.held.find((one) => one.id === of)?.sistBrukt
    expect([await day(id), await day(first.id)]).toEqual([null, null])
    for (let times = 0; times < 20; times += 1) await verifier.verify(first.token)
    verifier.atHand(first.token)
    await lastUsed.writeDown()
    await verifier.verify(first.token)
    await lastUsed.writeDown()
    expect(writes).toHaveLength(1)
    expect([await day(id), await day(first.id)]).toEqual([null, expect.stringMatching(/^\d{4}-\d\d-\d\d$/)])
    const before = await day(first.id)
    current.clock.advance(DAY_MS)
    await verifier.verify(key)
    await verifier.verify(first.token)
    await lastUsed.close()
    expect(writes).toHaveLength(2)
    expect(await day(id)).toBe(await day(first.id))
    expect(await day(id)).not.toBe(before)
  })
})

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Door, UNREADABLE_CHANNEL } from '#src/core/unreadable.ts'
import { findCustomer } from '#src/storage/customers.ts'
import { claimErrand, dueSubjects, nextErrandOf, putErrand } from '#src/storage/errands.ts'
import { followKeyChanges } from '#src/storage/key-changes.ts'
import { findKeysById, insertKey } from '#src/storage/keys.ts'
import {
  findOperatorByHash,
  findSession,
  insertOperator,
  insertSession,
  listOperators,
} from '#src/storage/operators.ts'
import { findOrder, findOrderByToken, insertOrder, lockOrder } from '#src/storage/orders.ts'
import { claimChecks } from '#src/storage/payment-checks.ts'
import { minutesSince } from '#src/storage/processes.ts'
import { listBookedOrders } from '#src/storage/reconciliation.ts'
import { listWebhooks, storeWebhook } from '#src/storage/vipps-webhooks.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'

const AT = new Date('2026-11-02T08:00:00Z')
const LATER = new Date('2026-11-02T09:00:00Z')

let storage: TestDatabase
let doors: Door[] = []
const onUnreadable = (door: unknown) => void doors.push(door as Door)

/** As a later release may have it: it knows more words than this one. */
beforeAll(async () => {
  storage = await createTestDatabase()
  const rules = await storage.database.query<{ rule: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as rule from pg_constraint
     where contype = 'c' and conrelid in ('ordre'::regclass, 'utboks'::regclass, 'api_nokkel'::regclass, 'operator'::regclass)`,
  )
  for (const { rule } of rules) await storage.database.query(rule)
})
afterAll(() => storage.close())
beforeEach(() => {
  doors = []
  subscribe(UNREADABLE_CHANNEL, onUnreadable)
})
afterEach(() => unsubscribe(UNREADABLE_CHANNEL, onUnreadable))

describe('P105: a row of another release', () => {
  it('is an order that is left, and holds up none of the others', async () => {
    const { database } = storage
    for (const id of ['ordre0000001', 'ordre0000002', 'ordre0000003'])
      await insertOrder(database, orderOf(id))
    await database.query(`update ordre set tilstand = 'pauset' where id = 'ordre0000002'`)
    const due = await claimChecks(database, {
      at: LATER,
      limit: 10,
      windowMs: 1000,
      everyMs: 1000,
      slowlyMs: 1000,
      takenMs: 1000,
    })
    expect(due.map(({ order }) => order.id).sort()).toEqual(['ordre0000001', 'ordre0000003'])
    expect(due.every(({ next }) => next > LATER)).toBe(true)
    expect(await findOrder(database, 'ordre0000002')).toBeNull()
    expect(await findOrderByToken(database, Buffer.from('ordre0000002'))).toBeNull()
    expect(await database.transaction((connection) => lockOrder(connection, 'ordre0000002'))).toBeNull()
    const booked = await listBookedOrders(database, { since: AT, references: [], limit: 10 })
    expect(booked.map(({ id }) => id)).toEqual(['ordre0000001', 'ordre0000003'])
    expect(doors).toEqual(Array(5).fill('ordre'))
    expect(await findOrder(database, 'ordre0000001')).toMatchObject({ tilstand: 'opprettet', laget: AT })
  })

  it('is an errand that is left, and the next of the same order is done', async () => {
    const { database } = storage
    const errand = { gjelder: 'ordre0000001', nr: 1, notBefore: AT }
    await putErrand(database, { ...errand, slag: 'lever' }, AT)
    await putErrand(database, { ...errand, gjelder: 'ordre0000003', slag: 'lever' }, AT)
    await database.query(`update utboks set slag = 'ring', neste_at = 'epoch' where gjelder = 'ordre0000001'`)
    await putErrand(database, { ...errand, slag: 'kvittering' }, AT)
    expect(await nextErrandOf(database, 'ordre0000001', LATER)).toMatchObject({
      slag: 'kvittering',
      laget: AT,
    })
    const [unknown] = await database.query<{ id: string }>(`select id from utboks where slag = 'ring'`)
    const claim = { ...errand, id: unknown?.id ?? '', slag: 'ring' as 'lever', forsok: 0 }
    expect(await claimErrand(database, claim, { at: LATER, until: LATER })).toBeNull()
    await database.query(`delete from utboks where slag = 'kvittering'`)
    expect(await dueSubjects(database, LATER, 10)).toEqual(['ordre0000003'])
    expect(doors).toEqual(['arend'])
  })

  it('is a key that lets nobody in, and the others do', async () => {
    const { database } = storage
    for (const id of ['nokkel000001', 'nokkel000002']) await insertKey(database, keyOf(id))
    await database.query(`update api_nokkel set tilstand = 'frosset' where id = 'nokkel000001'`)
    const found = await findKeysById(database, ['nokkel000001', 'nokkel000002'])
    expect([...found.keys()]).toEqual(['nokkel000002'])
    expect(doors).toEqual(['nokkel'])
  })

  it('is an operator who is let in to nothing, a customer’s key that is not shown, and the others are', async () => {
    const { database } = storage
    const hashes = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    for (const [index, hash] of hashes.entries()) {
      const id = `operator000${index}`
      await insertOperator(database, { id, navn: id, rolle: 'skrive', hash }, AT)
      await insertSession(database, { hash, operator: id, utloper: LATER }, AT)
    }
    await database.query(`update operator set rolle = 'eier' where id = 'operator0000'`)
    const found = async (hash: Buffer) => [
      (await findOperatorByHash(database, hash))?.id,
      (await findSession(database, hash, AT))?.id,
    ]
    expect(await Promise.all(hashes.map(found))).toEqual([
      [undefined, undefined],
      ['operator0001', 'operator0001'],
    ])
    expect((await listOperators(database, 10)).map(({ id }) => id)).toEqual(['operator0001'])
    expect(doors).toEqual(['operator', 'operator', 'operator'])

    for (const id of ['kunde0000001', 'kunde0000002']) await insertKey(database, keyOf(id))
    await database.query(
      `update api_nokkel set kjede = 'kunde0000001', tilstand = 'frosset' where id = 'kunde0000002'`,
    )
    expect((await findCustomer(database, 'kunde0000001'))?.keys.map(({ id }) => id)).toEqual(['kunde0000001'])
    expect(doors.at(-1)).toBe('nokkel')
  })

  it('is a registration that signs nothing, and the others do', async () => {
    const { database } = storage
    await storeWebhook(database, {
      id: 'a',
      url: 'https://oppslag.example/vipps/webhook',
      secret: 's',
      at: AT,
    })
    await storeWebhook(database, { id: 'b', url: 'kø:vipps', secret: 's', at: AT })
    expect((await listWebhooks(database, AT)).map(({ id }) => id)).toEqual(['a'])
    expect(doors).toEqual(['webhook'])
  })
})

it('P105: what PostgreSQL tells of keys and sessions is one, or counted and left', async () => {
  const heard: string[] = []
  const following = followKeyChanges({
    url: storage.url,
    onChange: (id) => void heard.push(id),
    onSessionEnded: (hash) => void heard.push(hash),
    retryMs: 10,
    heartbeatMs: 5000,
  })
  try {
    await eventually('it listens', async () => {
      await storage.database.query(`select pg_notify('nokkel_endret', 'nokkel000001')`)
      return heard.length > 0
    })
    heard.length = 0
    doors = []
    for (const said of ['{"alle":true}', '', 'nokkel000002'])
      await storage.database.query(`select pg_notify('nokkel_endret', $1)`, [said])
    const session = 'x'.repeat(43)
    for (const said of ['*', session])
      await storage.database.query(`select pg_notify('okt_avsluttet', $1)`, [said])
    await eventually('the last is heard', () => heard.includes(session))
    expect(heard.filter((id) => id !== 'nokkel000001')).toEqual(['nokkel000002', session])
    expect(doors).toEqual(['varsel', 'varsel', 'varsel'])
  } finally {
    await following.close()
  }
})

it('P105: a minute that is of no time is left, and the others are counted', async () => {
  const { database } = storage
  for (const minutt of ['2026-11-02T08:00:00Z', 'infinity'])
    await database.query(
      `insert into maaling (minutt, prosess, verdier) values ($1, gen_random_uuid(), '{}')`,
      [minutt],
    )
  expect(await minutesSince(database, AT, 10)).toEqual([{ minutt: AT, verdier: {} }])
  expect(doors).toEqual(['maaling'])
})

function orderOf(id: string): Parameters<typeof insertOrder>[1] {
  return {
    id,
    tokenHash: Buffer.from(id),
    referanse: `bo-${id}-1`,
    epost: 'kari@example.no',
    miljo: 'live',
    produkt: 'nokkel_ett_aar',
    belopOre: 49_900,
    valuta: 'NOK',
    salg: null,
    fornyer: null,
    laget: AT,
    nettverk: null,
    vilkaarGodtatt: AT,
    nesteSjekk: AT,
  }
}

function keyOf(id: string): Parameters<typeof insertKey>[1] {
  return {
    id,
    miljo: 'live',
    epost: 'kari@example.no',
    hash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA',
    utstedt: AT,
    utloper: new Date('2027-11-02T08:00:00Z'),
  }
}

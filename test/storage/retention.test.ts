import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Queryable } from '#src/storage/database.ts'
import { removeWhatIsOver } from '#src/storage/retention.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'

let storage: TestDatabase

beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())

const OVER = new Date('2026-05-04T10:00:00.000Z')
const OLD = new Date(OVER.getTime() - 1000)
const YOUNG = new Date(OVER.getTime() + 1000)
const before = { hashes: OVER, addresses: OVER, unpaid: OVER, events: OVER, books: new Date(0), now: YOUNG }

test('P160: attack: after a flood of unpaid orders no statement takes more than some of them, and all go', async () => {
  const { database } = storage
  await unpaid('a', { count: 12_000, epost: 'noen@example.no', told: OLD })
  let most = 0
  const counting: Queryable = {
    async query(text, values) {
      const rows = await database.query<never>(text, values)
      most = Math.max(most, rows.length)
      return rows
    },
  }
  expect(await removeWhatIsOver(counting, before)).toMatchObject({ epost_ordre: 12_000, hendelse: 12_000 })
  expect(await removeWhatIsOver(counting, before)).toMatchObject({ ordre_ubetalt: 12_000 })
  expect(most).toBe(5000)
})

test('P160: attack: an order is removed without a look through all that Vipps has told of others', async () => {
  const { database } = storage
  await unpaid('b', { count: 2000, epost: null, told: YOUNG })
  await unpaid('c', { count: 300, epost: null, told: null })
  await database.query('analyze ordre')
  await database.query('analyze betalingshendelse')
  const looked = await database.transaction(async (connection) => {
    expect(await removeWhatIsOver(connection, before)).toMatchObject({ ordre_ubetalt: 300 })
    const [row] = await connection.query<{ lest: string }>(
      `select seq_tup_read as lest from pg_stat_xact_user_tables where relname = 'betalingshendelse'`,
    )
    return Number(row?.lest)
  })
  expect(looked).toBeLessThan(300 * 2000)
})

test('P36: attack: whoever is told to end amid a flood ends what it is at, and what is left goes the next time', async () => {
  const { database } = storage
  await unpaid('f', { count: 12_000, epost: null, told: null })
  const ending = new AbortController()
  const toldToEnd: Queryable = {
    async query(text, values) {
      const rows = await database.query<never>(text, values)
      if (text.startsWith('delete from ordre')) ending.abort()
      return rows
    },
  }
  expect(await removeWhatIsOver(toldToEnd, before, ending.signal)).toMatchObject({ ordre_ubetalt: 5000 })
  expect(await removeWhatIsOver(database, before)).toMatchObject({ ordre_ubetalt: 7000 })
})

test.each<[string, string, (connection: Queryable) => Promise<unknown>, string | null]>([
  [
    'is paid for after all, keeps its address',
    'd',
    (connection) =>
      connection.query(`update ordre set tilstand = 'reservert', endret_at = $1 where id like 'd%'`, [YOUNG]),
    'noen@example.no',
  ],
  [
    'is told of by Vipps, is kept',
    'e',
    (connection) =>
      connection.query(
        `insert into betalingshendelse (referanse, navn, psp_referanse, ordre, mottatt_at)
         select referanse, 'AUTHORIZED', 'x', id, $1 from ordre where id like 'e%'`,
        [YOUNG],
      ),
    null,
  ],
])('P160: attack: an order that, in the moment it is over, %s', async (_, letter, change, epost) => {
  const { database } = storage
  await unpaid(letter, { count: 1, epost, told: null })
  const removing = await database.transaction(async (connection) => {
    await change(connection)
    let isDone = false
    const removing = removeWhatIsOver(database, before).finally(() => {
      isDone = true
    })
    removing.catch(() => {})
    await eventually(
      'it is looked at',
      async () => isDone || (await connection.query('select 1 from pg_locks where not granted')).length > 0,
    )
    return { removing }
  })
  await removing.removing
  expect(await database.query('select epost from ordre where id like $1', [`${letter}%`])).toEqual([
    { epost },
  ])
})

/** Orders that came to nothing long ago, and when Vipps told so, if it did. */
async function unpaid(
  letter: string,
  { count, epost, told }: { count: number; epost: string | null; told: Date | null },
): Promise<void> {
  await storage.database.query(
    `insert into ordre (id, token_hash, referanse, tilstand, epost, miljo, produkt, belop_ore, valuta, vilkaar_godtatt_at, laget_at,
       endret_at)
     select $1 || lpad(n::text, 9, '0'), sha256(($1 || n)::bytea), 'bo-' || $1 || lpad(n::text, 9, '0') || '-1', 'avbrutt', $3, 'live',
       'x', 49900, 'NOK', $4, $4, $4 from generate_series(1, $2::integer) n`,
    [letter, count, epost, OLD],
  )
  if (told !== null)
    await storage.database.query(
      `insert into betalingshendelse select referanse, 'TERMINATED', 'psp', id, $2 from ordre where id like $1 || '%'`,
      [letter, told],
    )
}

import { afterAll, beforeAll, expect, test } from 'vitest'
import { bringBack, putOff } from '#src/storage/put-off.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let storage: TestDatabase
beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())

test('P195: every time that is waited for is brought back when a clock that was ahead has put it off', async () => {
  const columns = await storage.database.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public' and column_name ~ '^(neste_.*_?at|sene_at|laas_til)$'`,
  )
  const brought = putOff.map(({ table, column }) => `${table}.${column}`)
  expect(brought.sort()).toEqual(columns.map(({ name }) => name).sort())
})

test('P195: attack: of more than PostgreSQL has time for at once none is left behind, nor waited for by whoever holds another', async () => {
  const { database } = storage
  await database.query(
    `insert into blikk (orgnr, neste_at, sene_at)
     select number, now() + interval '4 days', now() from generate_series(900000000, 900012000) as number`,
  )
  const stillPutOff = () => database.query(`select orgnr from blikk where neste_at > now()`)
  const atOnce: number[] = []
  const counting: typeof database.query = async (text, values) => {
    const rows = await database.query(text, values)
    atOnce.push(rows.length)
    return rows as never
  }
  await database.transaction(async (connection) => {
    await connection.query('select from blikk where orgnr = 900000007 for update')
    expect(await bringBack({ query: counting })).toEqual({ blikk: 12_000 })
  })
  expect(Math.max(...atOnce)).toBeLessThanOrEqual(5000)
  expect(await stillPutOff()).toEqual([{ orgnr: 900000007 }])
  expect(await bringBack(database)).toEqual({ blikk: 1 })
  expect(await stillPutOff()).toEqual([])
})

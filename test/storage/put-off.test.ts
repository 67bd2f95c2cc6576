import { afterAll, beforeAll, expect, test } from 'vitest'
import { putOff } from '#src/storage/put-off.ts'
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

import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTableCopy } from '#src/storage/shareholders/table-copy.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let storage: TestDatabase

beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())

test('rows that PostgreSQL refuses while many more wait are an error of the copy, and no end of the process', async () => {
  const copy = await openTableCopy(storage.url, 'eierandel', 1)
  const rows = Buffer.from('feil\n'.repeat(20_000))
  for (let block = 0; block < 200; block++) copy.write(rows)
  // By whichever is waited for when it is heard: all of them may have gone out before.
  await expect(copy.drained().then(copy.finish)).rejects.toMatchObject({ code: '22P04' })
  await expect(copy.finish()).rejects.toMatchObject({ code: '22P04' })
  await copy.abandon()
  expect(await storage.database.query(`select to_regclass('eierandel_1') as tabell`)).toEqual([
    { tabell: null },
  ])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY_MS } from '#src/core/units.ts'
import { dueReminders } from '#src/storage/reminders.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let storage: TestDatabase
beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())

test.each([
  ['spring', '2026-04-01T12:00:00.000Z'],
  ['autumn', '2026-10-27T12:00:00.000Z'],
])(
  'P27: attack: a PostgreSQL that is set in Norway’s time reminds no hour early or late over a change of the clock in %s',
  async (_, end) => {
    const ends = Date.parse(end)
    const due = await storage.database.transaction(async (connection) => {
      await connection.query(`set local timezone = 'Europe/Oslo'`)
      await connection.query(
        `insert into api_nokkel (id, kjede, miljo, tilstand, epost, hash, utstedt_at, utloper_at)
       values ($1, $1, 'live', 'sendt', 'a@example.no', '$argon2id$', $2::timestamptz - interval '1 year', $2)`,
        [`n${ends}`.slice(0, 12), new Date(ends)],
      )
      const at = (ms: number) => dueReminders(connection, { at: new Date(ms), days: 7, limit: 9 })
      return [
        await at(ends - 7 * DAY_MS - 1),
        await at(ends - 7 * DAY_MS),
        await at(ends + DAY_MS - 1),
        await at(ends + DAY_MS),
      ]
    })
    expect(due.map((keys) => keys.length)).toEqual([0, 1, 1, 0])
  },
)

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import type { Queryable } from '#src/storage/database.ts'
import { createEndedTestKeys } from '#src/wiring/test-keys.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

const AT_ONCE = 100

describe('test keys that were ended', () => {
  let storage: TestDatabase
  beforeAll(async () => {
    storage = await createTestDatabase()
  })
  afterAll(() => storage.close())

  it('P180: attack: however many there are, they are read once, some at a time, and then what has come since', async () => {
    const read: number[] = []
    const counting: Queryable = {
      async query(sql, values) {
        const rows = await storage.database.query(sql, values)
        read.push(rows.length)
        return rows as never
      },
    }
    const ended = createEndedTestKeys(counting, { ...policy.sales.testKeys, endedAtOnce: AT_ONCE })
    await end(1, 20 * AT_ONCE)
    await ended.look()
    expect(Math.max(...read)).toBe(AT_ONCE)
    expect([ended.has(name(1)), ended.has(name(20 * AT_ONCE))]).toEqual([true, true])
    read.length = 0
    await end(20 * AT_ONCE + 1, 1)
    await ended.look()
    expect(ended.has(name(20 * AT_ONCE + 1))).toBe(true)
    expect(read.reduce((sum, rows) => sum + rows)).toBeLessThanOrEqual(AT_ONCE + 1)
  })

  it('P180: one that becomes visible after a later one is heard of all the same', async () => {
    const ended = createEndedTestKeys(storage.database, { ...policy.sales.testKeys, endedAtOnce: AT_ONCE })
    let isWritten = () => {}
    const held = new Promise<void>((resolve) => {
      isWritten = resolve
    })
    const slow = storage.database.transaction(async (connection) => {
      await insert(connection, 900_001, 1)
      await held
    })
    await end(900_002, 1)
    await ended.look()
    isWritten()
    await slow
    await ended.look()
    expect([ended.has(name(900_001)), ended.has(name(900_002))]).toEqual([true, true])
  })

  const end = (from: number, count: number) => insert(storage.database, from, count)
})

const name = (nr: number) => String(nr).padStart(12, '0')

async function insert(db: Queryable, from: number, count: number): Promise<void> {
  await db.query(
    `insert into avsluttet_testnokkel (id, avsluttet_at, utloper_at)
     select lpad(nr::text, 12, '0'), now(), now() + interval '90 days' from generate_series($1::integer, $2::integer) as nr`,
    [from, from + count - 1],
  )
}

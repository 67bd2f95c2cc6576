import { expect, test } from 'vitest'
import { openOrderedRows } from '#src/storage/shareholders/ordered-rows.ts'
import { createBreakableConnection } from '#test/support/breakable-connection.ts'
import { createTestDatabase } from '#test/support/database.ts'

test('P18: a connection that breaks when nobody reads the rows any more ends no process', async () => {
  const storage = await createTestDatabase()
  const way = await createBreakableConnection(storage.url)
  const uncaught: unknown[] = []
  const hear = (error: unknown) => uncaught.push(error)
  process.on('uncaughtException', hear)
  try {
    const rows = await openOrderedRows<{ orgnr: number; linje: number; navn: string }>(way.url)
    // More than lies on the way: PostgreSQL is not through when the connection breaks.
    for (let linje = 0; linje < 100_000; linje += 1) {
      rows.add({ orgnr: 910_000_004, linje, navn: 'x'.repeat(200) })
      await rows.drained()
    }
    for await (const { linje } of rows.inOrder()) {
      expect(linje).toBe(0)
      break
    }
    await way.cut()
    await rows.close()
    expect(uncaught).toEqual([])
  } finally {
    process.off('uncaughtException', hear)
    await way.close()
    await storage.close()
  }
})

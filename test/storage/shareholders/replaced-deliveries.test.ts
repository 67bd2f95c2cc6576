import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDatabase } from '#src/storage/database.ts'
import { beginDelivery, openImportSession } from '#src/storage/shareholders/import-session.ts'
import { loadYear } from '#src/storage/shareholders/import-year.ts'
import { publishYear } from '#src/storage/shareholders/publish-year.ts'
import { dropReplacedDeliveries } from '#src/storage/shareholders/replaced-deliveries.ts'
import { createHolderColumns } from '#src/storage/shareholders/share-book.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let storage: TestDatabase
beforeEach(async () => {
  storage = await createTestDatabase()
})
afterEach(() => storage.close())

/** Loads a delivery of one company; published unless told otherwise. @returns its id */
async function deliver({ isPublished = true } = {}): Promise<number> {
  const session = await openImportSession({ url: storage.url, isPatient: true })
  try {
    const leveranse = await beginDelivery(session, { aar: 2025, kilde: 'prøve', uttrekksdato: null })
    const load = await loadYear({ url: storage.url, leveranse, isRemoved: () => false })
    load.write({
      orgnr: 910000004,
      navn: 'A',
      totalt: 1,
      sum: 0,
      klasser: [],
      innehavere: createHolderColumns(),
    })
    await load.finish()
    const facts = {
      aar: 2025,
      sha256: '0'.repeat(64),
      overskrift: '',
      rader: 1,
      avviste: 0,
      selskaper: 1,
      eierforhold: 0,
    }
    if (isPublished) await publishYear(session, leveranse, facts, 0)
    return leveranse
  } finally {
    await session.close()
  }
}

async function tables(): Promise<number> {
  const [row] = await storage.database.query<{ count: number }>(
    `select count(*)::integer as count from pg_class where relkind = 'r' and relname ~ '^(aksjebok|eierandel).*_[0-9]+$'`,
  )
  return row?.count ?? 0
}

describe('tables of deliveries', () => {
  test('that are the year’s stay; those replaced go when they have been so for long enough', async () => {
    const first = await deliver()
    expect(await dropReplacedDeliveries(storage.database, { graceMs: 0 })).toEqual([])
    await deliver()
    expect(await dropReplacedDeliveries(storage.database)).toEqual([])
    expect(await tables()).toBe(6)
    expect(await dropReplacedDeliveries(storage.database, { graceMs: 0 })).toEqual([first])
    expect(await tables()).toBe(3)
    expect(await dropReplacedDeliveries(storage.database, { graceMs: 0 })).toEqual([])
  })

  test('that a killed import left go at once', async () => {
    const left = await deliver({ isPublished: false })
    expect(await tables()).toBe(3)
    expect(await dropReplacedDeliveries(storage.database)).toEqual([left])
    expect(await tables()).toBe(0)
    expect(await storage.database.query('select from aksjeleveranse')).toEqual([])
  })

  test('that somebody still reads are left for the next time, and then go', async () => {
    const first = await deliver()
    await deliver()
    const hasty = createDatabase({
      url: storage.url,
      poolMax: 1,
      applicationName: 'test',
      connectTimeoutMs: 5000,
      statementTimeoutMs: 300,
    })
    const release = Promise.withResolvers<void>()
    const reading = storage.database.transaction(async (connection) => {
      await connection.query('select from aksjebok where leveranse = $1', [first])
      await expect(dropReplacedDeliveries(hasty, { graceMs: 0 })).rejects.toThrow()
      // Others read on meanwhile, and so does the one who is in it.
      expect(await storage.database.query('select from aksjebok')).toHaveLength(1)
      await connection.query('select from aksjebok where leveranse = $1', [first])
      await release.promise
    })
    release.resolve()
    await reading
    expect(await dropReplacedDeliveries(storage.database, { graceMs: 0 })).toEqual([first])
    expect(await tables()).toBe(3)
    await hasty.close()
  })
})

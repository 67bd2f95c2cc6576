import { createDatabase, type Database } from '#src/storage/database.ts'

/** A pool of a test's own to this database; also for processes that are not the test runner's. */
export function openTestPool(url: string, poolMax = 5): Database {
  return createDatabase({
    url,
    poolMax,
    applicationName: 'test',
    // A busy machine is no failure.
    connectTimeoutMs: 30_000,
    statementTimeoutMs: 30_000,
  })
}

import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import type { Database } from '#src/storage/database.ts'
import { onServer } from './database-server.ts'
import { openTestPool } from './test-pool.ts'

export type TestDatabase = {
  readonly url: string
  readonly database: Database
  /** Drops it, whoever is still connected. */
  close(): Promise<void>
}

/**
 * A database of its own, migrated and empty; `isMigrated: false` for one without any table, the queue's included.
 *
 * @param options `encoding`: of one that is not migrated, in place of UTF8
 */
export async function createTestDatabase({
  isMigrated = true,
  encoding,
}: {
  isMigrated?: boolean
  encoding?: string
} = {}): Promise<TestDatabase> {
  const server = inject('databaseServerUrl')
  const name = `oppslag_test_${randomBytes(6).toString('hex')}`
  // Files copied as they lie take a quarter of the time that PostgreSQL's own choice does, and so does dropping them.
  const own = encoding === undefined ? 'template1' : `template0 encoding '${encoding}' locale 'C'`
  const origin = isMigrated ? inject('databaseTemplate') : own
  await onServer(server, `create database ${name} template ${origin} strategy file_copy`)
  const address = new URL(server)
  address.pathname = name
  const url = address.href
  const database = openTestPool(url)
  return {
    url,
    database,
    async close() {
      await database.close()
      await onServer(server, `drop database ${name} with (force)`)
    },
  }
}

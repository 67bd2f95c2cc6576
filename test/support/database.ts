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

/** A database of its own, migrated and empty; `isMigrated: false` for one without any table. */
export async function createTestDatabase({ isMigrated = true } = {}): Promise<TestDatabase> {
  const server = inject('databaseServerUrl')
  const name = `oppslag_test_${randomBytes(6).toString('hex')}`
  await onServer(
    server,
    `create database ${name}${isMigrated ? ` template ${inject('databaseTemplate')}` : ''}`,
  )
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

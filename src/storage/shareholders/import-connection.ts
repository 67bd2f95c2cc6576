import pg from 'pg'
import { AS_WRITTEN_FOR, StorageUnavailableError } from '../database.ts'
import { liftTimeLimits } from '../no-time-limits.ts'

/**
 * A connection of its own for loading a register: limits on time are meant for readers. Waiting for a lock is
 * bounded all the same, so that a forgotten session is found out about.
 *
 * @throws StorageUnavailableError
 */
export async function connectForImport(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'oppslag import',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    keepAlive: true,
  })
  // The running statement is told of a lost connection too; without a listener the process would end.
  client.on('error', () => {})
  try {
    await client.connect()
    await liftTimeLimits(client)
    await client.query(AS_WRITTEN_FOR)
    return client
  } catch (error) {
    await client.end()
    throw new StorageUnavailableError(error)
  }
}

const CONNECT_TIMEOUT_MS = 10_000
const LOCK_TIMEOUT_MS = 60_000

import pg from 'pg'
import { isUnavailability, StorageUnavailableError } from '../storage/database.ts'
import { connectForLong } from '../storage/long-connection.ts'
import { SETTINGS } from './format.ts'

/**
 * A connection of its own for reading or writing all there is: limits on time are meant for readers. Waiting for a lock
 * is bounded all the same, and the signal ends it at once, whatever it is at.
 *
 * @throws StorageUnavailableError
 */
export async function withBackupConnection<T>(
  url: string,
  signal: AbortSignal | undefined,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await connectForLong(url, { name: 'oppslag backup' })
  // The running statement is told of a lost connection too, by an error that does not say so.
  let isLost = false
  client.on('error', () => {
    isLost = true
  })
  // Ends the connection under a statement that runs; PostgreSQL undoes what it had begun.
  const interrupt = () => void client.end().catch(() => {})
  signal?.addEventListener('abort', interrupt)
  try {
    signal?.throwIfAborted()
    await client.query(SETTINGS.join('; '))
    return await work(client)
  } catch (error) {
    signal?.throwIfAborted()
    if (isLost || (error instanceof pg.DatabaseError && isUnavailability(error)))
      throw new StorageUnavailableError(error)
    throw error
  } finally {
    signal?.removeEventListener('abort', interrupt)
    await client.end().catch(() => {})
  }
}

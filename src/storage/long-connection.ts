import pg from 'pg'
import { MINUTE_MS } from '#src/core/units.ts'
import { rest, within } from '#src/core/wait.ts'
import { AS_WRITTEN_FOR, StorageUnavailableError } from './database.ts'
import { liftTimeLimits } from './no-time-limits.ts'

/**
 * A connection of its own for what reads or writes all there is: limits on time are meant for readers. Waiting for a lock is
 * bounded all the same, so that a forgotten session is found out about. So is a PostgreSQL that says nothing any more: what runs here
 * may take hours without a word, so whether it answers is seen beside it, and where it does not the connection breaks.
 *
 * @param silentMs without an answer of any kind
 * @throws StorageUnavailableError
 */
export async function connectForLong(
  url: string,
  {
    name,
    lookEveryMs = 15_000,
    silentMs = MINUTE_MS,
  }: { name: string; lookEveryMs?: number; silentMs?: number },
): Promise<pg.Client> {
  const client = clientOf(url, name, CONNECT_TIMEOUT_MS)
  try {
    await client.connect()
    void breakWhenSilent(client, { lookEveryMs, silentMs, another: () => clientOf(url, name, 2 * silentMs) })
    await liftTimeLimits(client)
    await client.query(AS_WRITTEN_FOR)
    return client
  } catch (error) {
    await client.end()
    throw new StorageUnavailableError(error)
  }
}

function clientOf(url: string, name: string, connectTimeoutMs: number): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: connectTimeoutMs,
    lock_timeout: LOCK_TIMEOUT_MS,
    keepAlive: true,
  })
  // The running statement is told of a lost connection too; without a listener the process would end.
  client.on('error', () => {})
  return client
}

/** Looked after for as long as it is open. */
async function breakWhenSilent(
  client: pg.Client,
  { lookEveryMs, silentMs, another }: { lookEveryMs: number; silentMs: number; another: () => pg.Client },
): Promise<void> {
  const ended = new AbortController()
  client.once('end', () => ended.abort())
  while (true) {
    await rest(lookEveryMs, ended.signal)
    if (ended.signal.aborted) return
    const isAnswered = () => isAnswering(another(), silentMs / 2, ended.signal)
    // One may be lost on its way, or this process have been stopped in the middle of it.
    if (!(await isAnswered()) && !(await isAnswered())) client.connection.stream.destroy()
  }
}

/** Refused is answered too: that there is no place for one more says nothing of those who have theirs. */
async function isAnswering(client: pg.Client, withinMs: number, ended: AbortSignal): Promise<boolean> {
  const leave = () => client.connection.stream.destroy()
  ended.addEventListener('abort', leave)
  const answered = client.connect().then(
    () => true,
    () => true,
  )
  try {
    return await within(answered, withinMs, () => false)
  } finally {
    ended.removeEventListener('abort', leave)
    leave()
  }
}

const CONNECT_TIMEOUT_MS = 10_000
const LOCK_TIMEOUT_MS = MINUTE_MS

import pg from 'pg'
import { createRepeat } from '#src/core/repeat.ts'
import { within } from '#src/core/wait.ts'

/**
 * Hears what is told on a channel of PostgreSQL, within milliseconds of the commit. What happens while the connection is away
 * is not heard: whoever depends on it looks for itself now and again, and whenever it is listened anew.
 *
 * @param onTold with what was said; it may be told twice
 * @param onListening from now on everything is heard
 */
export function followNotifications({
  url,
  channel,
  onTold,
  onListening = () => {},
  retryMs,
  heartbeatMs,
}: {
  url: string
  channel: 'nokkel_endret' | 'stilling_endret' | 'endring_skrevet'
  onTold: (said: string) => void
  onListening?: () => void
  retryMs: number
  /** How often the connection is proven, and how long it may take to answer: one that vanished without a word is replaced. */
  heartbeatMs: number
}): { close(): Promise<void> } {
  // Why a connection was lost is nobody's: what was missed meanwhile is looked for anyway.
  const following = createRepeat({ everyMs: retryMs, onFault: () => {} }, listen)
  void following.start()

  /** Returns, or fails, when the connection is of no use any more. */
  async function listen(closed: AbortSignal): Promise<void> {
    const client = new pg.Client({
      connectionString: url,
      application_name: `oppslag ${channel}`,
      connectionTimeoutMillis: heartbeatMs,
      query_timeout: heartbeatMs,
      keepAlive: true,
    })
    const broken = Promise.withResolvers<void>()
    const end = () => broken.resolve()
    client.on('error', end)
    client.on('end', end)
    client.on('notification', ({ payload }) => {
      if (payload !== undefined) onTold(payload)
    })
    closed.addEventListener('abort', end)
    const heartbeat = setInterval(() => client.query('select 1').catch(end), heartbeatMs)
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
      onListening()
      if (!closed.aborted) await broken.promise
    } finally {
      clearInterval(heartbeat)
      closed.removeEventListener('abort', end)
      await within(client.end(), heartbeatMs, () => {}).catch(() => {})
    }
  }

  return { close: following.close }
}

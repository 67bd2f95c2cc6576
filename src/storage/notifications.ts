import pg from 'pg'
import { createRepeat } from '#src/core/repeat.ts'
import { within } from '#src/core/wait.ts'
import { IS_WRITABLE } from './database.ts'

type Channel = 'nokkel_endret' | 'okt_avsluttet' | 'stilling_endret' | 'endring_skrevet'

/**
 * Hears what is told on channels of PostgreSQL, within milliseconds of the commit. What happens while the connection is away
 * is not heard: whoever depends on it looks for itself now and again, and whenever it is listened anew.
 *
 * @param told by channel, with what was said; it may be told twice
 * @param onListening from now on everything is heard
 */
export function followNotifications({
  url,
  told,
  onListening = () => {},
  retryMs,
  heartbeatMs,
}: {
  url: string
  told: Readonly<Partial<Record<Channel, (said: string) => void>>>
  onListening?: () => void
  retryMs: number
  /**
   * How often the connection is proven, and how long it may take to answer: one that vanished without a word is replaced, and so
   * is one to a server where nothing is written any more, since nothing is told there.
   */
  heartbeatMs: number
}): { close(): Promise<void> } {
  const channels = Object.keys(told) as Channel[]
  // Why a connection was lost is nobody's: what was missed meanwhile is looked for anyway.
  const following = createRepeat({ everyMs: retryMs, onFault: () => {} }, listen)
  void following.start()

  /** Returns, or fails, when the connection is of no use any more. */
  async function listen(closed: AbortSignal): Promise<void> {
    const client = new pg.Client({
      connectionString: url,
      application_name: `oppslag ${channels[0]}`,
      connectionTimeoutMillis: heartbeatMs,
      query_timeout: heartbeatMs,
      keepAlive: true,
    })
    const broken = Promise.withResolvers<void>()
    const end = () => broken.resolve()
    client.on('error', end)
    client.on('end', end)
    client.on('notification', ({ channel, payload }) => {
      if (payload !== undefined) told[channel as Channel]?.(payload)
    })
    closed.addEventListener('abort', end)
    const heartbeat = setInterval(() => client.query(IS_WRITABLE).catch(end), heartbeatMs)
    try {
      await client.connect()
      for (const channel of channels) await client.query(`listen ${channel}`)
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

import { EventEmitter } from 'node:events'
import type { PgPoolClient } from 'bullmq'
import pg from 'pg'
import { sayWhatIsCountedOn } from './counted-on.ts'

type Line = {
  client: pg.Client
  isOpen: Promise<unknown>
  /** When what was asked before is answered. */
  free: Promise<unknown>
  sharers: Set<Sharer>
  end: () => Promise<void>
}

/**
 * One connection over which PostgreSQL tells all lanes of a process of new jobs, where BullMQ would have one for each worker. Who
 * connects is given a client of their own on it, to be released; it is opened for the first of them, and ended behind the last. When it
 * breaks each of them is told, and connects to another.
 */
export function createSharedListener(options: pg.ClientConfig) {
  let line: Line | null = null

  function open(): Line {
    const client = new pg.Client(options)
    let ending: Promise<void> | undefined
    const opened: Line = {
      client,
      isOpen: client.connect().then(() => sayWhatIsCountedOn(client)),
      free: Promise.resolve(),
      sharers: new Set(),
      end: () => (ending ??= client.end().catch(() => {})),
    }
    client.on('error', (error) => lose(opened, error))
    client.on('notification', (told) => {
      for (const sharer of opened.sharers) sharer.emit('notification', told)
    })
    return opened
  }

  async function end(ended: Line): Promise<void> {
    if (line === ended) line = null
    ended.sharers.clear()
    await ended.end()
  }

  /** When a question has failed as well: it may be one that hangs, and nobody is to wait for another answer over it. */
  function lose(lost: Line, error: Error): void {
    const told = [...lost.sharers]
    void end(lost)
    for (const sharer of told) if (sharer.listenerCount('error') > 0) sharer.emit('error', error)
  }

  return {
    async connect(): Promise<PgPoolClient> {
      line ??= open()
      const shared = line
      const sharer = new Sharer({
        query(text, values) {
          const answer = shared.free.then(() => shared.client.query(text, values))
          shared.free = answer.catch(() => {})
          return answer
        },
        lost: (error) => lose(shared, error),
        left: () => {
          if (shared.sharers.delete(sharer) && shared.sharers.size === 0) void end(shared)
        },
      })
      shared.sharers.add(sharer)
      try {
        await shared.isOpen
        return sharer
      } catch (error) {
        lose(shared, error as Error)
        throw error
      }
    },
    async close(): Promise<void> {
      if (line !== null) await end(line)
    },
  }
}

/** What a sharer has of the connection. */
type Share = {
  query(text: string, values: unknown[]): Promise<pg.QueryResult>
  lost(error: Error): void
  left(): void
}

class Sharer extends EventEmitter implements PgPoolClient {
  readonly #share: Share

  constructor(share: Share) {
    super()
    this.#share = share
  }

  async query<R>(text: string, values: readonly unknown[] = []): Promise<{ rows: R[] }> {
    try {
      return await this.#share.query(text, [...values])
    } catch (error) {
      this.#share.lost(error as Error)
      throw error
    }
  }

  release(): void {
    this.#share.left()
  }
}

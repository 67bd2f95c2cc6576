import { once } from 'node:events'
import type pg from 'pg'
import { from } from 'pg-copy-streams'

/**
 * Copies bytes into a table on a connection of its own. What PostgreSQL refuses them with, or the loss of the connection, is
 * thrown by whatever is waited for next.
 *
 * @param statement `copy … from stdin …`
 */
export function copyIn(client: pg.Client, statement: string) {
  const stream = client.query(from(statement, { highWaterMark: WAITING_BYTES_MAX }))
  let failure: Error | null = null
  stream.on('error', (error) => {
    failure ??= error
    // Otherwise it goes on to send what waits for room, over a connection it has let go of: that would end the process.
    stream.destroy()
  })

  async function unlessFailed(event: 'drain' | 'finish'): Promise<void> {
    if (failure !== null) throw failure
    try {
      await once(stream, event)
    } catch (error) {
      throw failure ?? error
    }
  }

  return {
    /** More is taken than PostgreSQL has had time for; `drained` tells when it has. */
    write(bytes: Buffer | string): void {
      if (failure === null) stream.write(bytes)
    },

    async drained(): Promise<void> {
      if (failure !== null || stream.writableNeedDrain) await unlessFailed('drain')
    },

    /** All of it is in the table. */
    async finished(): Promise<void> {
      stream.end()
      await unlessFailed('finish')
    },
  }
}

const WAITING_BYTES_MAX = 512 * 1024

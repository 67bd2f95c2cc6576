import type { Log } from '#src/core/log.ts'
import { createPersonIds, NO_PERSON_IDS, type PersonIds } from './person-ids.ts'

/**
 * Has the ids' secret at hand, so that a record never waits for it. While PostgreSQL has not been reached since the process
 * began it is not known: people then have no ids, and `onKnown` says when they do.
 */
export function createPersonIdsHolder(options: {
  read: () => Promise<Uint8Array>
  onKnown: () => void
  log: Log
  lookAgainMs: number
}) {
  let ids: PersonIds | null = null
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> = Promise.resolve()
  let isClosed = false

  async function look(): Promise<void> {
    try {
      ids = createPersonIds(await options.read())
      options.onKnown()
    } catch (error) {
      options.log.warn({ err: error }, 'the secret of people’s ids could not be read')
      if (isClosed) return
      timer = setTimeout(() => {
        looking = look()
      }, options.lookAgainMs)
      timer.unref()
    }
  }

  return {
    current: (): PersonIds => ids ?? NO_PERSON_IDS,
    start: look,
    async close(): Promise<void> {
      isClosed = true
      clearTimeout(timer)
      await looking
    },
  }
}

import type { Log } from '#src/core/log.ts'
import { createRepeat } from '#src/core/repeat.ts'
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
  const looking = createRepeat(
    {
      everyMs: options.lookAgainMs,
      onFault: (error) => options.log.warn({ err: error }, 'the secret of people’s ids could not be read'),
    },
    async () => {
      if (ids !== null) return
      ids = createPersonIds(await options.read())
      options.onKnown()
    },
  )

  return {
    current: (): PersonIds => ids ?? NO_PERSON_IDS,
    start: looking.start,
    close: looking.close,
  }
}

import type { Log } from '#src/core/log.ts'
import { createRepeat } from '#src/core/repeat.ts'
import type { TuningState } from './tuning.ts'

export type TuningFollower = ReturnType<typeof createTuningFollower>

/**
 * Keeps this process at the newest tuning: told of a change it looks at once, and it looks now and again without being told.
 * With the database away what held goes on holding; a process that starts then begins with the program's own values.
 *
 * @param onChange another version holds from now on
 */
export function createTuningFollower(options: {
  read: () => Promise<TuningState>
  listen: (onTold: () => void) => { close(): Promise<void> }
  onChange: (state: TuningState) => void | Promise<void>
  log: Log
  policy: { lookEveryMs: number; retryMs: number }
}) {
  const { log, policy } = options
  let state: TuningState | null = null
  let line: { close(): Promise<void> } | null = null

  const looking = createRepeat(
    {
      everyMs: policy.lookEveryMs,
      retryMs: policy.retryMs,
      onFault: (error) => log.warn({ err: error }, 'the tuning could not be read; what held goes on holding'),
    },
    async () => {
      const found = await options.read()
      const was = state
      state = found
      if (found.isBroken && !was?.isBroken) {
        log.error({ versjon: found.newest }, 'the newest tuning can not be used: the last good one holds')
      }
      const isOther = was === null ? found.current.versjon > 0 : was.current.versjon !== found.current.versjon
      if (isOther) await options.onChange(found)
    },
  )

  return {
    /** Returns when it has been read once, or could not be. */
    async start(): Promise<void> {
      await looking.start()
      line = options.listen(looking.again)
    },
    /** As it was last read; null when it never could be. */
    state: () => state,
    async close(): Promise<void> {
      await line?.close()
      await looking.close()
    },
  }
}

import type { Log } from '#src/core/log.ts'
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
  let looking: Promise<void> | null = null
  let isToldMeanwhile = false
  let timer: NodeJS.Timeout | undefined
  let line: { close(): Promise<void> } | null = null
  let isClosed = false

  async function look(): Promise<boolean> {
    try {
      const found = await options.read()
      const was = state
      state = found
      if (found.isBroken && !was?.isBroken) {
        log.error({ versjon: found.newest }, 'the newest tuning can not be used: the last good one holds')
      }
      const isOther = was === null ? found.current.versjon > 0 : was.current.versjon !== found.current.versjon
      if (isOther) await options.onChange(found)
      return true
    } catch (error) {
      log.warn({ err: error }, 'the tuning could not be read; what held goes on holding')
      return false
    }
  }

  /** One look at a time, and one more after a word that came meanwhile. */
  function lookNow(): void {
    if (isClosed) return
    if (looking !== null) {
      isToldMeanwhile = true
      return
    }
    clearTimeout(timer)
    looking = look().then((isRead) => {
      looking = null
      if (isClosed) return
      if (isToldMeanwhile) {
        isToldMeanwhile = false
        lookNow()
        return
      }
      timer = setTimeout(lookNow, isRead ? policy.lookEveryMs : policy.retryMs)
      timer.unref()
    })
  }

  return {
    /** Returns when it has been read once, or could not be. */
    async start(): Promise<void> {
      lookNow()
      await looking
      line = options.listen(lookNow)
    },
    /** As it was last read; null when it never could be. */
    state: () => state,
    async close(): Promise<void> {
      isClosed = true
      clearTimeout(timer)
      await line?.close()
      await looking
    },
  }
}

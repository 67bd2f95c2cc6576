import type { Log } from '#src/core/log.ts'
import { createRepeat } from '#src/core/repeat.ts'
import type { StoredProcess } from '#src/storage/processes.ts'
import type { Minute } from './minute.ts'

/**
 * Tells PostgreSQL every few seconds that this process lives, how it is, and what it counted. Nothing else
 * waits for it: with the database away the minutes stay at hand, as many as there is room for, and are told later.
 */
export function createHeartbeat(options: {
  /** Reports this process and hears who is alive. */
  report: () => Promise<StoredProcess[]>
  /** What was counted, oldest first; the newest minute still runs, and is told again each time. */
  minutes: () => { at: Date; minute: Minute }[]
  keepMinute: (at: Date, minute: Minute) => Promise<void>
  /** The process ends: it is no longer to be waited for. */
  forget: () => Promise<void>
  log: Log
  policy: { everyMs: number; minutesAtOnce: number }
}) {
  const { log, policy } = options
  let alive: { at: Date; processes: StoredProcess[] } | null = null
  let keptTo = 0
  let isFailing = false
  const beating = createRepeat({ everyMs: policy.everyMs, onFault }, async () => {
    const processes = await options.report()
    alive = { at: new Date(), processes }
    const minutes = options.minutes()
    // A clock that was ahead when they were told of is right again.
    keptTo = Math.min(keptTo, minutes.at(-1)?.at.getTime() ?? keptTo)
    const due = minutes.filter(({ at }) => at.getTime() >= keptTo)
    for (const { at, minute } of due.slice(0, policy.minutesAtOnce)) {
      await options.keepMinute(at, minute)
      keptTo = at.getTime()
    }
    isFailing = false
  })

  function onFault(error: unknown): void {
    // Said once: the database being away is told by others as well.
    if (!isFailing) log.warn({ err: error }, 'this process could not report itself')
    isFailing = true
  }

  return {
    /** Returns when the first report was made, or could not be. */
    start: beating.start,
    /** Who was alive when it was last heard; null when it never was. */
    alive: () => alive,
    async close(): Promise<void> {
      await beating.close()
      // A database that is away does not hold the end of the process up: whoever looks sees it fall silent.
      if (!isFailing) await options.forget().catch(() => {})
    },
  }
}

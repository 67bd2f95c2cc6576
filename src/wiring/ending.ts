import closeWithGrace from 'close-with-grace'
import { policy } from '#config/policy.ts'
import type { ProcessLog } from '#src/core/log.ts'
import { fromFirstSignal, hasTerminal } from '#src/core/signals.ts'
import { within } from '#src/core/wait.ts'

/**
 * From now on this process ends in order: told by a signal, with 0; by an error that nobody caught, or a rejection that nobody
 * handled, with 1, and not before the log has it as fatal, with its stack and what caused it.
 * A store that hangs is waited for no longer than there is time: what was to be said to it is said to nobody, and that is no error.
 * Told again within a second it has been told once: who tells a whole group of processes is heard from the group and from npm or
 * whoever else hands it on. Told again later it ends at once, with 1.
 * SIGHUP opens the log's file anew; from a terminal it is said when that was closed, and ends the process.
 *
 * @param endedBy tells operators of such an error; it takes its own time, and does not throw
 * @param close ends what the door has opened, the log with it
 */
export function endInOrder({
  log,
  endedBy,
  close,
}: {
  log: ProcessLog
  endedBy: (error: unknown) => Promise<void>
  close: () => Promise<void>
}): void {
  const { graceMs, closeMs } = policy.shutdown
  const endsWithTerminal = hasTerminal()
  if (!endsWithTerminal) process.on('SIGHUP', log.reopen)
  for (const signal of TO_END) process.on(signal, stay)
  closeWithGrace(
    { delay: graceMs, logger: log, skip: endsWithTerminal ? [] : ['SIGHUP'] },
    async ({ err, signal }) => {
      if (signal !== undefined) bearRepetition()
      if (err !== undefined) {
        log.fatal({ err }, 'the process ends by an error nobody caught')
        // Before anything else is tried, which may fail or hang as well.
        await log.flushed()
        await endedBy(err)
      }
      await within(close(), closeMs, () => {
        log.warn('the process ends before all was closed: what it waits for does not answer')
        return log.flushed()
      })
    },
  )
}

const TO_END = ['SIGTERM', 'SIGINT'] as const

/**
 * Always listens: while listeners are exchanged for others, which is what happens as a signal is heard, the next one would find
 * nobody, and end the process as it ends one that never listened.
 */
function stay(): void {}

/** What would end this process at once when it is told again does so to who is in haste alone. */
function bearRepetition(): void {
  const isHaste = fromFirstSignal()
  for (const signal of TO_END) {
    for (const hasty of process.listeners(signal).filter((each) => each !== stay)) {
      process.removeListener(signal, hasty)
      process.on(signal, (told) => {
        if (isHaste()) hasty(told)
      })
    }
  }
}

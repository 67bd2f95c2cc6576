import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '#src/core/log.ts'

/**
 * Runs a piece of work now and then again, until closed. One run at a time; a run that fails is tried again after
 * `retryMs` and never ends the loop.
 */
export function repeat(
  name: string,
  { afterMs, retryMs, log }: { afterMs: number; retryMs: number; log: Log },
  run: (signal: AbortSignal) => Promise<unknown>,
): { close(): Promise<void> } {
  const closed = new AbortController()
  const { signal } = closed
  const running = loop()

  async function loop(): Promise<void> {
    while (!signal.aborted) {
      const waitMs = await run(signal).then(
        () => afterMs,
        (error) => {
          if (!signal.aborted) log.warn({ err: error }, `${name} failed; trying again in ${retryMs / 1000} s`)
          return retryMs
        },
      )
      await pause(waitMs, undefined, { signal }).catch(() => {})
    }
  }

  return {
    async close() {
      closed.abort()
      await running
    },
  }
}

import { policy } from '#config/policy.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { refreshIndustryCodes } from './refresh-industry-codes.ts'

export type Workers = { close(): Promise<void> }
type IndustryCodesWork = Pick<Parameters<typeof refreshIndustryCodes>[0], 'readLoad' | 'fetch' | 'replace'>

/** Runs each piece of background work now and then again on its own schedule, until closed. */
export function startWorkers(work: { clock: Clock; log: Log; industryCodes: IndustryCodesWork }): Workers {
  const { clock, log } = work
  const { industryCodes } = policy
  const closed = new AbortController()
  const refreshing = every('industry codes', { afterMs: industryCodes.lookEveryMs, retryMs: industryCodes.retryAfterMs }, () =>
    refreshIndustryCodes({ ...work.industryCodes, clock, log, signal: closed.signal, policy: industryCodes }),
  )

  /** One run at a time; a run that fails is tried again sooner and never ends the loop. */
  async function every(name: string, pause: { afterMs: number; retryMs: number }, run: () => Promise<unknown>) {
    while (!closed.signal.aborted) {
      const waitMs = await run().then(
        () => pause.afterMs,
        (error) => {
          if (!closed.signal.aborted) log.warn({ err: error }, `${name} failed; trying again in ${pause.retryMs / 1000} s`)
          return pause.retryMs
        },
      )
      await untilClosed(waitMs)
    }
  }

  function untilClosed(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      if (closed.signal.aborted) return resolve()
      const timer = setTimeout(done, waitMs)
      closed.signal.addEventListener('abort', done, { once: true })
      function done() {
        clearTimeout(timer)
        closed.signal.removeEventListener('abort', done)
        resolve()
      }
    })
  }

  return {
    async close() {
      closed.abort()
      await refreshing
    },
  }
}

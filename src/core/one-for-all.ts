import { setTimeout as pause } from 'node:timers/promises'

/**
 * Does what takes its time for all who ask meanwhile, once: whoever comes while it is being done gets the next, which is begun when
 * that is over and the process has had `restTimes` as long for others. So nobody is told what was before they asked.
 */
export function oneForAll<T>(work: () => Promise<T>, { restTimes = 4 } = {}): () => Promise<T> {
  let resting = Promise.resolve()
  let next: Promise<T> | null = null

  async function begin(): Promise<T> {
    await resting
    next = null
    const since = performance.now()
    const rest = Promise.withResolvers<void>()
    resting = rest.promise
    try {
      return await work()
    } finally {
      const tookMs = performance.now() - since
      pause(restTimes * tookMs, undefined, { ref: false }).then(rest.resolve, rest.resolve)
    }
  }

  return () => {
    next ??= begin()
    return next
  }
}

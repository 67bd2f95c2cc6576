import { setTimeout as pause } from 'node:timers/promises'

/**
 * Does what takes its time for all who ask meanwhile, once: whoever comes while it is being done gets the next, which is begun when
 * that is over and the process has had `restTimes` as long for others, `restMsMax` at most: what takes longer waits for somebody else.
 * So nobody is told what was before they asked.
 */
export function oneForAll<T>(
  work: () => Promise<T>,
  { restTimes = 4, restMsMax = 500 } = {},
): () => Promise<T> {
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
      const restMs = Math.min(restTimes * (performance.now() - since), restMsMax)
      pause(restMs, undefined, { ref: false }).then(rest.resolve, rest.resolve)
    }
  }

  return () => {
    next ??= begin()
    return next
  }
}

import type { Clock } from './clock.ts'
import { createLru } from './lru.ts'

/** So many in the window that is running, and the seconds until it ends. */
type Counted = { count: number; endsInSeconds: number }

/**
 * Counts what each name does in windows of time: a window begins with the first thing counted and ends `windowMs` later.
 * Beyond `namesMax` names the one that was quiet for longest is forgotten.
 */
export function createWindowedCount({
  clock,
  windowMs,
  namesMax,
}: {
  clock: Clock
  windowMs: number
  namesMax: number
}) {
  const windows = createLru<string, { until: number; count: number }>(namesMax)

  function windowOf(name: string, now: number) {
    const window = windows.get(name)
    // A clock that was set back makes no window longer.
    return window !== undefined && now < window.until && window.until - now <= windowMs
      ? window
      : { until: now + windowMs, count: 0 }
  }

  return {
    /** Without counting: what there is so far. */
    read(name: string): Counted {
      const now = clock.now().getTime()
      return countedAt(windowOf(name, now), now)
    },

    /** One more. @returns with it counted */
    add(name: string): Counted {
      const now = clock.now().getTime()
      const window = windowOf(name, now)
      window.count += 1
      windows.set(name, window)
      return countedAt(window, now)
    },
  }
}

function countedAt({ until, count }: { until: number; count: number }, now: number): Counted {
  return { count, endsInSeconds: Math.ceil((until - now) / 1000) }
}

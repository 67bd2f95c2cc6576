import { LRUCache } from 'lru-cache'
import { networkOf } from '#src/core/client-network.ts'
import type { Clock } from '#src/core/clock.ts'

export type Attempts = ReturnType<typeof createAttempts>

/**
 * Counts what a network tries, kind by kind, in windows of time. It is bounded, and it is a brake and not a lock: what must
 * hold however many networks somebody has (open orders, mails to one address) is held where orders are.
 */
export function createAttempts({
  clock,
  policy,
}: {
  clock: Clock
  policy: { attemptsMax: number; attemptsPerMs: number; networksMax: number }
}) {
  const windows = new LRUCache<string, { until: number; count: number }>({ max: policy.networksMax })

  return {
    /** @returns null when it may be tried, else the seconds until it may be again */
    take(kind: string, ip: string): number | null {
      const now = clock.now().getTime()
      const key = `${kind} ${networkOf(ip)}`
      const known = windows.get(key)
      const window =
        known !== undefined && now < known.until ? known : { until: now + policy.attemptsPerMs, count: 0 }
      window.count += 1
      windows.set(key, window)
      return window.count <= policy.attemptsMax ? null : Math.ceil((window.until - now) / 1000)
    },
  }
}

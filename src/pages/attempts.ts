import { networkOf } from '#src/core/client-network.ts'
import type { Clock } from '#src/core/clock.ts'
import { createWindowedCount } from '#src/core/windowed-count.ts'

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
  const counts = createWindowedCount({ clock, windowMs: policy.attemptsPerMs, namesMax: policy.networksMax })

  return {
    /** @returns null when it may be tried, else the seconds until it may be again */
    take(kind: string, ip: string): number | null {
      const { count, endsInSeconds } = counts.add(`${kind} ${networkOf(ip)}`)
      return count <= policy.attemptsMax ? null : endsInSeconds
    },
  }
}

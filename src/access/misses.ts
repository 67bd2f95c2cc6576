import { LRUCache } from 'lru-cache'
import type { Clock } from '#src/core/clock.ts'

export type Misses = ReturnType<typeof createMisses>

/**
 * Remembers who showed wrong secrets for which key: by the key's id and the client's network together, since an id is no
 * secret, and whoever knows one may not shut out its owner. Only what cost an argon2 run is counted, so that invented ids
 * fill nothing; beyond `missersMax` the one that was quiet for longest is forgotten.
 */
export function createMisses({
  clock,
  policy,
}: {
  clock: Clock
  policy: { missesMax: number; missesForMs: number; missersMax: number }
}) {
  const windows = new LRUCache<string, { until: number; count: number }>({ max: policy.missersMax })
  const nameOf = (id: string, network: string) => `${id} ${network}`

  function windowOf(id: string, network: string, now: number) {
    const window = windows.get(nameOf(id, network))
    // A clock that was set back locks nobody out for longer than a window.
    return window !== undefined && now < window.until && window.until - now <= policy.missesForMs
      ? window
      : { until: now + policy.missesForMs, count: 0 }
  }

  return {
    /** How many more wrong secrets are looked at now, and the seconds until there are more. */
    left(id: string, network: string): { tries: number; forSeconds: number } {
      const now = clock.now().getTime()
      const { until, count } = windowOf(id, network, now)
      return { tries: Math.max(0, policy.missesMax - count), forSeconds: Math.ceil((until - now) / 1000) }
    },

    note(id: string, network: string): void {
      const window = windowOf(id, network, clock.now().getTime())
      window.count += 1
      windows.set(nameOf(id, network), window)
    },
  }
}

import type { Clock } from '#src/core/clock.ts'
import { createWindowedCount } from '#src/core/windowed-count.ts'

/**
 * Remembers who showed wrong secrets for which key: by the key's id and the client's network together, since an id is no
 * secret, and whoever knows one may not shut out its owner. An id of nobody is counted like any other, since who is told off
 * would otherwise tell which ids there are; beyond `missersMax` the one that was quiet for longest is forgotten, which buys
 * whoever invents so many ids five more secrets for one.
 */
export function createMisses({
  clock,
  policy,
}: {
  clock: Clock
  policy: { missesMax: number; missesForMs: number; missersMax: number }
}) {
  const counts = createWindowedCount({ clock, windowMs: policy.missesForMs, namesMax: policy.missersMax })
  const nameOf = (id: string, network: string) => `${id} ${network}`

  return {
    /** How many more wrong secrets are looked at now, and the seconds until there are more. */
    left(id: string, network: string): { tries: number; forSeconds: number } {
      const { count, endsInSeconds } = counts.read(nameOf(id, network))
      return { tries: Math.max(0, policy.missesMax - count), forSeconds: endsInSeconds }
    },

    note(id: string, network: string): void {
      counts.add(nameOf(id, network))
    },
  }
}

import { LRUCache } from 'lru-cache'
import type { Clock } from '#src/core/clock.ts'

export type ForcedRefresh = 'gitt' | 'nylig' | 'budsjett'

/**
 * Who may make a source be asked although a fresh copy is at hand: once per company and minute over all callers, and so many
 * a second in this process. `claim` asks the processes' common memory; where there is none, this process decides alone.
 */
export function createForcedRefresh(options: {
  /** True: nobody has it, and it is ours for so long. False: somebody has. Null: there is nobody to ask. */
  claim: (orgnr: string, forMs: number) => Promise<boolean | null>
  clock: Clock
  policy: { perCompanyMs: number; perSecond: number; companiesMax: number }
}) {
  const { clock, policy } = options
  const lastHere = new LRUCache<string, number>({ max: policy.companiesMax })
  let second = 0
  let usedInSecond = 0

  return async function mayRefresh(orgnr: string): Promise<ForcedRefresh> {
    const now = clock.now().getTime()
    if (now - (lastHere.get(orgnr) ?? Number.NEGATIVE_INFINITY) < policy.perCompanyMs) return 'nylig'
    if (Math.floor(now / 1000) !== second) {
      second = Math.floor(now / 1000)
      usedInSecond = 0
    }
    if (usedInSecond >= policy.perSecond) return 'budsjett'
    // Counted before the question goes out: those who ask meanwhile are later.
    usedInSecond += 1
    lastHere.set(orgnr, now)
    return (await options.claim(orgnr, policy.perCompanyMs)) === false ? 'nylig' : 'gitt'
  }
}

import type { Clock } from '#src/core/clock.ts'
import { createLru } from '#src/core/lru.ts'
import { createPace } from '#src/core/pace.ts'
import { createTurns } from '#src/core/turns.ts'

export type ForcedRefresh = 'gitt' | 'nylig' | 'budsjett'

export type ForcedRefreshes = ReturnType<typeof createForcedRefresh>

/**
 * Who may make a source be asked although a fresh copy is at hand: once per company and minute over all callers, and so many
 * a second in this process, which callers come to by turns: whoever wants many waits for each, and whoever wants one waits
 * for one of everybody else's. `budsjett`: the turn did not come in time. `claim` asks the processes' common memory; where
 * there is none, this process decides alone.
 *
 * A company is taken when its sources are about to be asked, and no sooner: whoever waits for that in a line of their own would keep it
 * from all others, who were told that it was done.
 */
export function createForcedRefresh(options: {
  /** True: nobody has it, and it is ours for so long. False: somebody has. Null: there is nobody to ask. */
  claim: (orgnr: string, forMs: number) => Promise<boolean | null>
  clock: Clock
  policy: {
    perCompanyMs: number
    perSecond: number
    companiesMax: number
    waitMs: number
    waitingMax: number
  }
}) {
  const { clock, policy } = options
  const lastHere = createLru<string, number>(policy.companiesMax)
  const pace = createPace({ perSecond: policy.perSecond })
  const turns = createTurns({
    atOnce: 1,
    waitingMax: policy.waitingMax,
    waitMs: () => pace(),
  })

  function isRecent(orgnr: string): boolean {
    const since = clock.now().getTime() - (lastHere.get(orgnr) ?? Number.NEGATIVE_INFINITY)
    return since < policy.perCompanyMs
  }

  return {
    /** `gitt`: unless another takes it before. */
    async turn(orgnr: string, caller: string): Promise<ForcedRefresh> {
      if (isRecent(orgnr)) return 'nylig'
      try {
        await turns.run({ of: caller, rank: 0 }, async () => {}, AbortSignal.timeout(policy.waitMs))
      } catch {
        return 'budsjett'
      }
      return isRecent(orgnr) ? 'nylig' : 'gitt'
    },

    /** @returns whether it is ours: the sources are asked now */
    async take(orgnr: string): Promise<boolean> {
      if (isRecent(orgnr)) return false
      // Before the question goes out: those who ask meanwhile are later.
      lastHere.set(orgnr, clock.now().getTime())
      return (await options.claim(orgnr, policy.perCompanyMs)) !== false
    },
  }
}

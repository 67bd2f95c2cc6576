import { afterAll, beforeAll, describe, it } from 'vitest'
import type { Given } from '../support/acts.ts'
import { members, type Part } from '../support/fleet.ts'
import { startReach } from '../support/reach.ts'

const everyone: readonly Part[] = [...members, 'cache', 'queue', 'postgresql']
const killed = everyone.flatMap((part) =>
  (['acknowledged', 'underway'] as const).map((moment) => ({ part, moment })),
)
/** What can not be done without a store, and is said to be so. */
const without: readonly { part: Part; refused: readonly Given[] }[] = [
  { part: 'cache', refused: ['purge softly', 'purge'] },
  { part: 'queue', refused: [] },
  { part: 'postgresql', refused: ['revoke', 'tune', 'purge softly', 'purge', 'erase'] },
]

describe('P11, P17, P26: a revoked key, a tuned lifetime, a purge, an erasure and a change reach every front', () => {
  let reach: Awaited<ReturnType<typeof startReach>>

  beforeAll(async () => {
    reach = await startReach(2 * (killed.length + without.length + 2))
  })
  afterAll(() => reach.close())

  it.each(killed)(
    '$part is killed, the acts being $moment',
    ({ part, moment }) => reach.whileKilled(part, moment),
    180_000,
  )

  it.each(without)(
    '$part is dead when they are given: what needs it is refused, and done when it is back',
    ({ part, refused }) => reach.whileKilled(part, 'away', refused),
    180_000,
  )

  it('though the cache is lost while a front can not reach it', () => reach.whileCutOff(), 180_000)

  it('though nobody hears what PostgreSQL tells', () => reach.whileUntold(), 180_000)
})

import { afterAll, beforeAll, describe, it } from 'vitest'
import { startReach } from '../support/reach.ts'

describe('P11, P17, P26: a revoked key, a tuned lifetime, a purge, an erasure and a change reach every front', () => {
  let reach: Awaited<ReturnType<typeof startReach>>

  beforeAll(async () => {
    reach = await startReach(2)
  })
  afterAll(() => reach.close())

  it('though the worker that follows the feed is killed in that moment', () =>
    reach.whileKilled(reach.fleet.followerOf('enheter') ?? 'worker A', 'underway'))

  it('when the cache’s Redis is dead: what can not be done then is refused, and done when it is back', () =>
    reach.whileKilled('cache', 'away', ['purge softly', 'purge']))
})

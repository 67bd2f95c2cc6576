import { afterAll, beforeAll, describe, it } from 'vitest'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { type Fleet, startFleet } from '../support/fleet.ts'
import { createReach } from '../support/reach.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'

describe('P11, P17, P26: a revoked key, a tuned lifetime, a purge, an erasure and a change reach every front', () => {
  let register: RegisterStandIn
  let fleet: Fleet
  let reach: ReturnType<typeof createReach>

  beforeAll(async () => {
    const answers = sampleAnswers()
    register = await startRegisterStandIn({ answers })
    fleet = await startFleet(register)
    reach = createReach(fleet, register, {
      sample: answers.companies.get(SAMPLE.healthy) ?? {},
      casesMax: 3,
    })
  }, 60_000)
  afterAll(async () => {
    await fleet.close()
    await register.close()
  }, 60_000)

  it(
    'though the front that acknowledged them is killed at once',
    () => reach.whileKilled('front A', 'acknowledged'),
    180_000,
  )

  it(
    'though the worker that follows the feed is killed in that moment',
    () => reach.whileKilled(fleet.followerOf('enheter') ?? 'worker A', 'underway'),
    180_000,
  )

  it(
    'when the cache’s Redis is dead: what can not be done then is refused, and done when it is back',
    () => reach.whileKilled('cache', 'away', ['purge softly', 'purge']),
    180_000,
  )
})

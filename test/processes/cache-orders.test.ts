import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { runCommand, startCommand } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'

describe.each(['memory alone', 'a shared Redis'])('oppslag foretak foreld and glem, with %s', (tier) => {
  let register: RegisterStandIn
  let redis: TestRedis | null
  let service: TestService

  beforeAll(async () => {
    register = await startRegisterStandIn({ answers: sampleAnswers() })
    redis = tier === 'memory alone' ? null : await startRedis()
  })
  beforeEach(async () => {
    service = await startTestService(register, {
      variables: redis === null ? {} : { CACHE_REDIS_URL: redis.url },
    })
    for (const orgnr of [SAMPLE.healthy, SAMPLE.usd]) await service.get(`/api/bedrift/${orgnr}`)
    register.calls.reset()
    return () => service.close()
  })
  afterAll(async () => {
    await redis?.close()
    await register.close()
  })

  const variables = () => ({
    DATABASE_URL: service.storage.url,
    ...(redis === null ? {} : { CACHE_REDIS_URL: redis.url }),
  })
  /** By a process of its own: the service learns of it from the stores alone. */
  async function told(...args: string[]): Promise<void> {
    const command = ['foretak', ...args, '--hvorfor', 'en prøve']
    expect(await startCommand(variables(), command)).toMatchObject({ code: 0, err: '' })
  }

  const status = async (orgnr: string) =>
    (await service.get(`/api/bedrift/${orgnr}`)).headers.get('cache-status')

  it('one company, forgotten: it is asked for anew, and no other', async () => {
    await told('glem', SAMPLE.healthy, '--json')
    await eventually('the company is fetched again', async () =>
      /fwd=miss/.test((await status(SAMPLE.healthy)) ?? ''),
    )
    expect(register.calls.count('roller', SAMPLE.healthy)).toBe(1)
    expect(await status(SAMPLE.usd)).toContain('hit')
    expect(register.calls.count('roller', SAMPLE.usd)).toBe(0)
  })

  it('one source of every company, made stale: the old copy is shown as such, and that source alone is asked', async () => {
    await told('foreld', '--kilde', 'roller')
    await eventually('the roles are shown as outdated, or are fresh again', async () => {
      const { body } = await service.get(`/api/bedrift/${SAMPLE.healthy}`)
      return body.roller.tilstand === 'utdatert' || register.calls.count('roller', SAMPLE.healthy) > 0
    })
    await eventually('they are fetched again', async () => {
      const { body } = await service.get(`/api/bedrift/${SAMPLE.healthy}`)
      return body.roller.tilstand === 'fersk' && register.calls.count('roller', SAMPLE.healthy) > 0
    })
    expect(register.calls.count('regnskap', SAMPLE.healthy)).toBe(0)
  })

  it('what is not said clearly is refused, and nothing is forgotten', async () => {
    for (const args of [[], ['923609017'], [SAMPLE.healthy, '--alle'], ['--kilde', 'ukjent']]) {
      const refused = await runCommand(variables(), ['foretak', 'foreld', ...args, '--hvorfor', 'en prøve'], {
        isAlone: false,
      })
      expect(refused.code).toBe(2)
    }
    expect(await status(SAMPLE.healthy)).toContain('hit')
  })
})

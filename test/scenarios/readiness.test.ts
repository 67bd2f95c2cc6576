import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { startDeployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService } from '../support/service.ts'

let register: RegisterStandIn

beforeAll(async () => {
  register = await startRegisterStandIn({ answers: sampleAnswers() })
})
afterAll(() => register.close())

describe('P39: a queue Redis that may evict', () => {
  let redis: TestRedis

  beforeAll(async () => {
    redis = await startRedis({ maxmemory: '50mb', policy: 'allkeys-lru' })
  })
  afterAll(() => redis.close())

  it('the process is not ready, says why, and is ready when it is set right', async () => {
    const service = await startTestService(register, {
      isLoaded: true,
      variables: { QUEUE_REDIS_URL: redis.url },
    })
    const raw = new Redis(redis.url)
    try {
      const refused = await service.getBare('/health/ready')
      expect(refused.status).toBe(503)
      expect(refused.body).toMatchObject({
        klar: false,
        hindringer: [{ del: 'queue', kode: 'ko_kan_kaste_jobber' }],
      })
      expect(refused.body.hindringer[0].tekst).toMatch(
        /QUEUE_REDIS_URL: found maxmemory-policy allkeys-lru, expected noeviction/,
      )
      expect(refused.text).not.toContain(String(redis.port))
      // What is on its way to it is answered all the same, and nothing was put into that Redis.
      expect((await service.get(`/api/bedrift/${SAMPLE.healthy}`)).status).toBe(200)
      await service.tiers.cache.invalidate(SAMPLE.healthy)
      expect((await service.get(`/api/bedrift/${SAMPLE.healthy}`)).status).toBe(200)
      expect(await raw.keys('*')).toEqual([])

      await raw.config('SET', 'maxmemory-policy', 'noeviction')
      await eventually('it is ready', async () => (await service.getBare('/health/ready')).status === 200)
    } finally {
      raw.disconnect()
      await service.close()
    }
  })
})

describe('P39: the registers are down', () => {
  it('every process starts, is ready, and says that the registers are away', async () => {
    register.setFault('alle', { kind: 'refuse' })
    const service = await startDeployment(register)
    try {
      for (const api of service.apis) {
        expect((await service.get(api, '/health/ready')).body).toEqual({ klar: true, hindringer: [] })
        const { status, headers, body } = await service.get(api, `/api/bedrift/${SAMPLE.healthy}`)
        expect([status, body.kode]).toEqual([503, 'register_utilgjengelig'])
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      }
      register.clearFaults()
      const [api] = service.apis
      await eventually('it answers', async () => {
        return (await service.get(api, `/api/bedrift/${SAMPLE.healthy}`)).body.komplett === true
      })
      expect((await service.get(api, '/health/live')).status).toBe(200)
    } finally {
      register.clearFaults()
      await service.close()
    }
  })
})

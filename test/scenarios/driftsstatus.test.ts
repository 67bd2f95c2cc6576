import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'

let register: RegisterStandIn
let redis: TestRedis
let service: TestService
beforeAll(async () => {
  ;[register, redis] = await Promise.all([startRegisterStandIn({ answers: sampleAnswers() }), startRedis()])
  service = await startTestService(register, {
    isLoaded: true,
    workers: false,
    variables: { CACHE_REDIS_URL: redis.url },
  })
})
afterAll(async () => {
  await service.close()
  await redis.close()
  await register.close()
})

describe('the public status', () => {
  it('is there for anybody, and P39: outlives PostgreSQL and Redis', async () => {
    await service.get(`/api/bedrift/${SAMPLE.healthy}`)
    const before = await service.getBare('/status.json')
    expect(before.body.kilder).toContainEqual(
      expect.objectContaining({ kilde: 'roller', tilstand: 'i_drift', sistSvar: expect.any(String) }),
    )
    await redis.close()
    await service.storage.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
    const after = await service.getBare('/status.json')
    expect([after.status, after.body.kilder.length]).toEqual([200, before.body.kilder.length])
    const page = await service.getBare('/status')
    expect(page.text).toContain('<caption>Kilder</caption>')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(after.text + page.text).not.toContain(SAMPLE.healthy)
  })
})

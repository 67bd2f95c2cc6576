import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addSourceQuarters } from '#src/storage/source-quarters.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { createTestClock, HOUR_MS } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { logIn } from '../support/operators.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { ninetyDays } from '../support/source-days.ts'

let register: RegisterStandIn
let redis: TestRedis
let service: TestService
beforeAll(async () => {
  ;[register, redis] = await Promise.all([startRegisterStandIn({ answers: sampleAnswers() }), startRedis()])
  service = await startTestService(register, {
    isLoaded: true,
    workers: false,
    variables: { CACHE_REDIS_URL: redis.url },
    seed: ({ database }) => addSourceQuarters(database, ninetyDays()),
  })
})
afterAll(async () => {
  await service.close()
  await redis.close()
  await register.close()
})

describe('a process with a clock that is wrong', () => {
  it('P56: says by how much, to Prometheus and to operators', async () => {
    const clock = createTestClock()
    clock.advance(3 * 24 * HOUR_MS)
    const wrong = await startTestService(register, { isLoaded: true, workers: false, clock })
    try {
      const metrics = await (await fetch(`${wrong.opsAddress}/metrics`)).text()
      const [, ahead] = /^bedriftsoppslag_clock_ahead_seconds (\S+)$/m.exec(metrics) ?? []
      expect(Math.round(Number(ahead) / 3600)).toBe(72)
      const operator = await logIn(wrong.storage, wrong.opsAddress, { navn: 'Leser', rolle: 'lese' })
      const { galt } = JSON.parse((await operator.get('/oversikt.json')).text)
      expect(galt).toContainEqual(
        expect.stringMatching(/^Klokken til front \w+ går 2[56]\d{4} s foran databasens\.$/),
      )
    } finally {
      await wrong.close()
    }
  })
})

describe('a process whose queue is away', () => {
  it('P54: attack: is heard of, hears of others, and tells what it counted, also where lifetimes were set', async () => {
    const set = `insert into stilling (versjon, verdier, hvem, hvorfor, satt_at) values (1, '{}', 'x', 'x', now())`
    const alone = await startTestService(register, {
      isLoaded: true,
      workers: false,
      variables: { QUEUE_REDIS_URL: 'redis://127.0.0.1:1' },
      seed: async ({ database }) => void (await database.query(set)),
    })
    try {
      const metrics = await (await fetch(`${alone.opsAddress}/metrics`)).text()
      expect(metrics).toMatch(/^bedriftsoppslag_tuning_version 1$/m)
      expect(metrics).toMatch(/^bedriftsoppslag_processes 1$/m)
      expect(metrics).toMatch(/^bedriftsoppslag_process_faults 0$/m)
      expect(await alone.storage.database.query('select from maaling')).not.toEqual([])
    } finally {
      await alone.close()
    }
  })
})

describe('the public status', () => {
  it('P54: a process that began with Redis there says that it is in use', async () => {
    const metrics = async () => (await fetch(`${service.opsAddress}/metrics`)).text()
    await eventually('it is', async () => (await metrics()).includes('bedriftsoppslag_cache_redis_usable 1'))
  })

  it('P39: is there for anybody, also while PostgreSQL and Redis are away', async () => {
    await service.get(`/api/bedrift/${SAMPLE.healthy}`)
    const before = await service.getBare('/status.json')
    const [incident] = before.body.hendelser
    expect(before.body.kilder).toContainEqual(
      expect.objectContaining({ kilde: 'roller', drift: 'i_drift', sistSvar: expect.any(String) }),
    )
    await redis.close()
    await service.storage.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
    const after = await service.getBare('/status.json')
    expect([after.status, after.body.kilder.length]).toEqual([200, before.body.kilder.length])
    const page = await service.getBare('/status')
    expect(page.text).toContain('id="kilder"')
    expect(page.text).toContain(`id="${incident.id}"`)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(after.text + page.text).not.toContain(SAMPLE.healthy)
  })
})

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readEnvironment } from '#config/environment.ts'
import { openService, type Service } from '#src/wiring/service.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { createTestClock, HOUR_MS, type TestClock } from '../support/clock.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { logIn, type TestOperator } from '../support/operators.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { issueToken, loadIndustryCodes } from '../support/service.ts'

const COMPANY = SAMPLE.healthy

let register: RegisterStandIn
let redis: TestRedis
let storage: TestDatabase
let clock: TestClock
let a: Service
let b: Service
let token: string
let addresses: Map<Service, string>
let operator: TestOperator
beforeAll(async () => {
  ;[register, redis, storage] = await Promise.all([
    startRegisterStandIn({ answers: sampleAnswers() }),
    startRedis(),
    createTestDatabase(),
  ])
  clock = createTestClock()
  await loadIndustryCodes(storage, clock)
  const start = () =>
    openService(
      readEnvironment({
        PORT: '0',
        OPS_PORT: '0',
        LOG_LEVEL: 'silent',
        DATABASE_URL: storage.url,
        CACHE_REDIS_URL: redis.url,
        MILJO: 'test',
        KANARI: 'av',
        REGISTER_URL: register.registerUrl,
        KUNNGJORING_URL: register.kunngjoringUrl,
        KLASS_URL: register.klassUrl,
        SOKEINDEKS: 'av',
      }),
      { workers: false, clock },
    )
  ;[a, b] = await Promise.all([start(), start()])
  addresses = new Map([
    [a, await a.listen()],
    [b, await b.listen()],
  ])
  token = await issueToken(storage, clock)
  for (const { tiers } of [a, b])
    await eventually('Redis is used', () => {
      const { redis: tier, isListening } = tiers.cache.stats()
      return tier?.isUsable === true && isListening === true
    })
  operator = await logIn(storage, a.opsAddress, { navn: 'Kari', rolle: 'skrive' })
  clock.advance(2000)
})
afterEach(() => register.clearFaults())
afterAll(async () => {
  await Promise.all([a.close(), b.close()])
  await Promise.all([storage.close(), redis.close(), register.close()])
})

async function stateIn(service: Service): Promise<string> {
  const answer = await fetch(`${addresses.get(service)}/api/bedrift/${COMPANY}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { kilder } = (await answer.json()) as { kilder: Record<string, { tilstand: string }> }
  return kilder.roller?.tilstand ?? ''
}

async function tune(base: number, value: number): Promise<number> {
  const form = { navn: 'roller.fersk', verdi: String(value), base: String(base), hvorfor: 'en prøve' }
  return (await operator.post('/levetider', form)).status
}

describe('lifetimes that are tuned in one of two processes', () => {
  it('hold in both, and entries that are there obey at once, back and forth', async () => {
    expect(await stateIn(a)).toBe('fersk')
    expect(await stateIn(b)).toBe('fersk')
    clock.advance(2 * HOUR_MS)
    register.setFault('roller', { kind: 'status', code: 500 })
    expect(await stateIn(b)).toBe('fersk')
    expect(await tune(0, 3600)).toBe(303)
    for (const each of [a, b])
      await eventually('what is two hours old is stale', async () => (await stateIn(each)) === 'utdatert')
    const rollBack = { base: '1', hvorfor: 'angret' }
    expect((await operator.post('/levetider/rull-tilbake', rollBack)).status).toBe(303)
    for (const each of [a, b])
      await eventually('it is fresh again', async () => (await stateIn(each)) === 'fersk')
  })

  it('of two operators at once are those of one; the other is told', async () => {
    const statuses = await Promise.all([tune(2, 7200), tune(2, 7300)])
    expect(statuses.sort()).toEqual([303, 409])
  })

  it('show what the last day would have cost before they are saved', async () => {
    const page = await operator.get('/levetider?navn=roller.fersk&verdi=172800')
    expect(page.status).toBe(200)
    expect(page.text).toContain('Kall per døgn da')
    expect((await operator.get('/levetider?navn=roller.fersk&verdi=1')).status).toBe(400)
  })
})

import type { Queue } from 'bullmq'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestClock, HOUR_MS, type TestClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { answersWithCopies, inventNumbers } from '../support/invented-companies.ts'
import { startRedis } from '../support/redis.ts'
import { startRegisterStandIn } from '../support/register-stand-in.ts'
import { issueToken, startTestService, type TestService } from '../support/service.ts'

const orgnrs = inventNumbers(30)
let service: TestService
let clock: TestClock
const ending: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  clock = createTestClock()
  const [register, redis] = await Promise.all([
    startRegisterStandIn({ answers: answersWithCopies(orgnrs) }),
    startRedis(),
  ])
  service = await startTestService(register, {
    clock,
    workers: false,
    isLoaded: true,
    variables: { CACHE_REDIS_URL: redis.url, KUNNGJORINGER: 'av' },
  })
  ending.push(
    () => service.close(),
    () => register.close(),
    () => redis.close(),
  )
})
afterAll(async () => {
  for (const end of ending) await end()
})

it('P61: what is refreshed behind a reader has its place among what they read, and another’s first is the first', async () => {
  const other = await issueToken(service.storage, clock)
  const read = (orgnr: string, token = service.token) =>
    service.call('GET', `/api/bedrift/${orgnr}`, { token })
  for (const orgnr of orgnrs) await read(orgnr)
  clock.advance(30 * HOUR_MS)
  const [last = '', ...many] = orgnrs
  for (const orgnr of many) await read(orgnr)
  await read(last, other)
  const placesOf = async () => {
    const queues = (await service.tiers.queue.board()) as unknown as Queue[]
    const jobs = (await Promise.all(queues.map((queue) => queue.getJobs(['prioritized'])))).flat()
    const of = (orgnr: string) =>
      jobs.filter((job) => job?.data?.organisasjonsnummer === orgnr).map((job) => job?.data.plass ?? 0)
    return { last: of(last), many: many.flatMap(of) }
  }
  await eventually('they wait', async () => (await placesOf()).last.length > 1)
  const places = await placesOf()
  expect(Math.max(...places.last)).toBeLessThan(10)
  expect(Math.max(...places.many)).toBeGreaterThan(20)
})

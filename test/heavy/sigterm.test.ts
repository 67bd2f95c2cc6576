import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueKey } from '#src/access/issue-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { copyOf, inventNumbers } from '../support/invented-companies.ts'
import { startProcess, variablesOf } from '../support/processes.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { loadIndustryCodes } from '../support/service.ts'
import { startSteadyLoad } from '../support/steady-load.ts'

const ROUNDS = 20
const JOBS = 40
const companies = inventNumbers(JOBS)

describe('P36: SIGTERM under load, twenty times', () => {
  let register: RegisterStandIn
  let storage: TestDatabase
  let queueRedis: TestRedis
  let cacheRedis: TestRedis
  let token: string

  beforeAll(async () => {
    const known = sampleAnswers()
    const sample = known.companies.get(SAMPLE.healthy) ?? {}
    const copies = companies.map((orgnr) => [orgnr, copyOf(sample, SAMPLE.healthy, orgnr)] as const)
    register = await startRegisterStandIn({
      answers: { companies: new Map([...known.companies, ...copies]), klass: known.klass },
    })
    ;[storage, queueRedis, cacheRedis] = await Promise.all([createTestDatabase(), startRedis(), startRedis()])
    await loadIndustryCodes(storage, systemClock)
    const key = await issueKey(
      { db: storage.database, clock: systemClock },
      { epost: 'a@example.com', miljo: 'test' },
    )
    token = key.token
  })
  afterAll(() => Promise.all([storage, queueRedis, cacheRedis, register].map((each) => each.close())))

  const variables = () =>
    variablesOf({
      register,
      databaseUrl: storage.url,
      cacheRedisUrl: cacheRedis.url,
      queueRedisUrl: queueRedis.url,
    })

  it.each(Array.from({ length: ROUNDS }, (_, index) => index + 1))(
    'round %i: no request fails, no job is left active, both end with 0',
    async (round) => {
      const [front, worker] = await Promise.all([
        startProcess('api', variables()),
        startProcess('worker', variables()),
      ])
      const load = startSteadyLoad(front.address, {
        token,
        orgnr: SAMPLE.healthy,
        clients: 8,
        stopsWhenTold: true,
      })
      const raw = new Redis(queueRedis.url, { maxRetriesPerRequest: null })
      const queue = new Queue('bedriftsoppslag-enhetsregisteret', { connection: raw, prefix: 'ko' })
      try {
        await queue.addBulk(
          companies.map((organisasjonsnummer) => ({
            name: 'refresh-company',
            data: { organisasjonsnummer, seksjon: 'roller' },
          })),
        )
        // At another moment in each round.
        await eventually('the load is on', () => load.answered > 50 * round)
        const [ending, workerEnding] = [front.end('SIGTERM'), worker.end('SIGTERM')]
        await load.told
        expect([await ending, await workerEnding], front.output() + worker.output()).toEqual([0, 0])
        expect([load.broken, [...load.statuses]]).toEqual([0, [200]])
        expect(await queue.getJobCounts('active', 'failed')).toEqual({ active: 0, failed: 0 })
      } finally {
        await load.stop()
        await queue.close()
        raw.disconnect()
        await Promise.all([front.end('SIGKILL'), worker.end('SIGKILL')])
      }
    },
    60_000,
  )
})

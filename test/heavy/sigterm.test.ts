import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { eventually } from '../support/eventually.ts'
import { inventNumbers } from '../support/invented-companies.ts'
import { startProcess } from '../support/processes.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { startSteadyLoad } from '../support/steady-load.ts'
import { type Surroundings, startSurroundings } from '../support/surroundings.ts'

const ROUNDS = Number(process.env.TERMS ?? 20)
const JOBS = 40
const companies = inventNumbers(JOBS)

describe(`P36: SIGTERM under load, ${ROUNDS} times`, () => {
  let around: Surroundings
  let queueRedis: TestRedis
  let cacheRedis: TestRedis

  beforeAll(async () => {
    ;[around, queueRedis, cacheRedis] = await Promise.all([
      startSurroundings({ copies: companies }),
      startRedis(),
      startRedis(),
    ])
  })
  afterAll(() => Promise.all([around, queueRedis, cacheRedis].map((each) => each.close())))

  const variables = () => around.variables({ cacheRedisUrl: cacheRedis.url, queueRedisUrl: queueRedis.url })

  it.each(Array.from({ length: ROUNDS }, (_, index) => index + 1))(
    'round %i: no request fails, no job is left active, both end with 0',
    async (round) => {
      const [front, worker] = await Promise.all([
        startProcess('api', variables()),
        startProcess('worker', variables()),
      ])
      const load = startSteadyLoad(front.address, {
        token: around.token,
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

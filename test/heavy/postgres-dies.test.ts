import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueKey } from '#src/access/issue-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { startBusyProcess } from '../support/deaths/busy.ts'
import { deaths } from '../support/deaths/deaths.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/free-ports.ts'
import { isWhole, readinessOf } from '../support/outages.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { loadIndustryCodes } from '../support/service.ts'
import { startSteadyLoad } from '../support/steady-load.ts'
import { variablesOf } from '../support/variables-of.ts'

const DEATHS = Number(process.env.DEATHS ?? 100)
const kinds = Object.entries(deaths)

describe(`P23, P51: PostgreSQL dies ${DEATHS} times under readers, transactions, notifications, jobs and imports`, () => {
  let register: RegisterStandIn
  let postgres: TestPostgres
  let cache: TestRedis
  let front: ServiceProcess
  let worker: ServiceProcess
  let busy: ReturnType<typeof startBusyProcess>
  let workerHealth: string
  let token: string

  beforeAll(async () => {
    ;[register, postgres, cache] = await Promise.all([
      startRegisterStandIn({ answers: sampleAnswers() }),
      startPostgres({ isDurable: false }),
      startRedis(),
    ])
    await loadIndustryCodes(postgres)
    token = await issue()
    const variables = variablesOf({ register, databaseUrl: postgres.url, cacheRedisUrl: cache.url })
    const [opsPort = 0] = await freePorts(1)
    workerHealth = `http://127.0.0.1:${opsPort}/health/ready`
    front = await startProcess('api', variables)
    worker = await startProcess('worker', { ...variables, OPS_PORT: String(opsPort) })
    busy = startBusyProcess(postgres.url)
    await busy.worksInEveryWay(60_000)
  }, 120_000)

  afterAll(async () => {
    await busy.close()
    const codes = await Promise.all([front, worker].map((each) => each.end()))
    await Promise.all([postgres.close(), cache.close(), register.close()])
    expect(codes).toEqual([0, 0])
  })

  it('and no process ends of it, nor does a reader of what is held notice', async () => {
    await ask(token)
    const readers = startSteadyLoad(front.address, {
      token,
      orgnr: SAMPLE.healthy,
      clients: 2,
      pauseMs: 5,
    })
    for (let death = 0; death < DEATHS; death++) {
      const [how, die] = kinds[death % kinds.length] ?? []
      await die?.(postgres)
      try {
        await busy.worksInEveryWay(60_000)
        await eventually('both have all they use', areWhole, 60_000)
        // A key nobody has seen is looked up, and put into use.
        expect(await ask(await issue())).toBe(200)
      } catch (cause) {
        throw new Error(`death ${death}: PostgreSQL ${how}`, { cause })
      }
    }
    await readers.stop()
    expect([...readers.statuses]).toEqual([200])
    expect(readers.broken).toBe(0)
    for (const { output } of [front, worker]) expect(output()).not.toMatch(/"level":60/)
  }, 3_600_000)

  async function issue(): Promise<string> {
    const { token } = await issueKey(
      { db: postgres.database, clock: systemClock },
      { epost: 'a@example.com', miljo: 'test' },
    )
    return token
  }

  async function ask(key: string): Promise<number> {
    const answer = await fetch(`${front.address}/api/bedrift/${SAMPLE.healthy}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    await answer.arrayBuffer()
    return answer.status
  }

  async function areWhole(): Promise<boolean> {
    const [ofFront, ofWorker] = await Promise.all(
      [`${front.address}/health/ready`, workerHealth].map(readinessOf),
    )
    expect(ofFront?.status).toBe(200)
    return [ofFront, ofWorker].every((each) => each !== undefined && isWhole(each))
  }
})

import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { type BreakableConnection, createBreakableConnection } from '../support/breakable-connection.ts'
import { eventually } from '../support/eventually.ts'
import { inventNumbers } from '../support/invented-companies.ts'
import { mainThread, residentBytes } from '../support/process-costs.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { startSteadyLoad } from '../support/steady-load.ts'
import { type Surroundings, startSurroundings } from '../support/surroundings.ts'

const MEGABYTE = 1024 * 1024
const companies = inventNumbers(300)
const SILENT_MS = 15_000
/** Whoever asks for one company after another, in memory, in Redis or nowhere; and what PostgreSQL is asked for each time. */
const CROWD = 200

describe('P37: stores that take what is sent and never answer, under load', () => {
  let around: Surroundings
  let cache: TestRedis
  let queue: TestRedis
  let way: BreakableConnection
  let front: ServiceProcess

  beforeAll(async () => {
    ;[around, cache, queue] = await Promise.all([
      startSurroundings({ copies: companies }),
      startRedis(),
      startRedis(),
    ])
    way = await createBreakableConnection(around.storage.url)
    front = await startProcess('api', {
      ...around.variables({ databaseUrl: way.url, cacheRedisUrl: cache.url, queueRedisUrl: queue.url }),
      LOG_LEVEL: 'warn',
    })
  })
  afterAll(async () => {
    await front.end('SIGKILL')
    await way.close()
    await Promise.all([around.close(), cache.close(), queue.close()])
  })

  const silences = {
    'the cache’s Redis': [() => cache.pause(), async () => cache.resume()],
    'the queue’s Redis': [() => queue.pause(), async () => queue.resume()],
    PostgreSQL: [() => way.silence(), () => way.restore()],
    'all of them': [
      () => [cache.pause(), queue.pause(), way.silence()],
      async () => {
        cache.resume()
        queue.resume()
        await way.restore()
      },
    ],
  } as const

  it.each(Object.keys(silences))(
    '%s: readers of what is held notice nothing, and all is well after',
    async (name) => {
      const [silence, end] = silences[name as keyof typeof silences]
      const load = startSteadyLoad(front.address, {
        token: around.token,
        orgnr: SAMPLE.healthy,
        clients: 1,
        pauseMs: 2,
        othersMs: () => mainThread(front.pid).readyMs + mainThread(process.pid).readyMs,
      })
      const crowd = new Pool(front.address, { connections: CROWD, pipelining: 1 })
      const statuses = new Map<string, number>()
      let isOver = false
      const ask = async (hand: number) => {
        for (let round = 0; !isOver; round += 1) {
          const orgnr = companies[(hand * 7 + round) % companies.length]
          const path = hand % 10 === 0 ? '/api/endringer?vent=1' : `/api/bedrift/${orgnr}`
          const { statusCode, body } = await crowd.request({
            method: 'GET',
            path,
            headers: { authorization: `Bearer ${around.token}` },
          })
          await body.dump()
          const kind = `${hand % 10 === 0 ? 'endringer' : 'bedrift'} ${statusCode}`
          statuses.set(kind, (statuses.get(kind) ?? 0) + 1)
          await pause(20)
        }
      }
      const hands = Array.from({ length: CROWD }, (_, hand) => ask(hand))
      await pause(3000)
      statuses.clear()
      const before = residentBytes(front.pid)
      const from = load.latenciesMs.length
      let most = before
      silence()
      for (const until = performance.now() + SILENT_MS; performance.now() < until; ) {
        await pause(100)
        most = Math.max(most, residentBytes(front.pid))
      }
      const waits = load.latenciesMs.slice(from).toSorted((a, b) => a - b)
      const p99 = waits[Math.floor(0.99 * (waits.length - 1))] ?? Number.NaN
      const grown = (most - before) / MEGABYTE
      process.stdout.write(
        `${name}: p99 ${p99.toFixed(1)}, grown ${grown.toFixed(1)}, ${JSON.stringify([...statuses])}\n`,
      )
      await end()
      await eventually(
        'all is well',
        async () => {
          statuses.clear()
          await pause(1000)
          return [...statuses.keys()].every((kind) => /200|429/.test(kind)) && statuses.size > 0
        },
        60_000,
      )
      isOver = true
      await Promise.allSettled(hands)
      await crowd.destroy()
      await load.stop()
      expect([...load.statuses]).toEqual([200])
      expect(load.broken).toBe(0)
      expect(p99).toBeLessThan(50)
      expect(grown).toBeLessThan(50)
    },
  )
})

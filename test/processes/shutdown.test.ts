import { rm } from 'node:fs/promises'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { Client, Pool } from 'undici'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { makeDataFolder } from '../support/data-folder.ts'
import { eventually } from '../support/eventually.ts'
import { startProcess } from '../support/processes.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { serverOf } from '../support/server-of.ts'
import { type Surroundings, startSurroundings } from '../support/surroundings.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'

/** More than there is room for in the line of those that are made one at a time. */
const BOOKS = 60

/** Requests in flight are in short/. */
describe('P36: SIGTERM, of who waits and of who works', () => {
  let around: Surroundings
  let redis: TestRedis

  beforeAll(async () => {
    ;[around, redis] = await Promise.all([startSurroundings(), startRedis()])
  })
  beforeEach(() => () => around.register.clearFaults())
  afterAll(() => Promise.all([around.close(), redis.close()]))

  const variables = () => around.variables({ queueRedisUrl: redis.url })

  it('whoever waits for changes is answered then, and the process waits for nobody', async () => {
    const api = await startProcess('api', variables())
    // Of one key eight may wait; the others are told so, and so it is known that these do.
    const clients = Array.from({ length: 10 }, () => new Client(api.address))
    const told: [number, unknown][] = []
    try {
      const waits = clients.map(async (client) => {
        const { statusCode, headers, body } = await client.request({
          method: 'GET',
          path: '/api/endringer?vent=50',
          headers: { authorization: `Bearer ${around.token}` },
        })
        told.push([statusCode, headers.connection])
        await body.dump()
      })
      await eventually('the others wait', () => told.length === 2)
      expect(await api.end('SIGTERM')).toBe(0)
      await Promise.all(waits)
      expect(told.map(([status]) => status)).toEqual([429, 429, ...Array(8).fill(200)])
      expect(told.slice(2).map(([, connection]) => connection)).toEqual(Array(8).fill('close'))
    } finally {
      await Promise.all(clients.map((client) => client.destroy()))
      await api.end('SIGKILL')
    }
  })

  it.each(['api', 'worker'] as const)(
    'attack: PostgreSQL hangs: %s waits for it no longer than it has to end',
    async (door) => {
      const way = await startTcpProxy({ upstream: serverOf(around.storage.url) })
      const databaseUrl = new URL(around.storage.url)
      databaseUrl.host = `${way.host}:${way.port}`
      const process = await startProcess(door, around.variables({ databaseUrl: databaseUrl.href }))
      way.set({ kind: 'timeout', ms: 0 })
      expect(await process.end('SIGTERM'), process.output()).toBe(0)
      await way.close()
    },
  )

  it('everything in one process, with a line of workbooks that is longer than it has to end, waits for none of them', async () => {
    const dataDir = await makeDataFolder('oppslag-start-')
    const one = await startProcess('start', { ...variables(), DATA_DIR: dataDir })
    const client = new Pool(one.address, { connections: BOOKS, pipelining: 1 })
    let answered = 0
    let cut = 0
    try {
      const asked = Array.from({ length: BOOKS }, async () => {
        try {
          const { body } = await client.request({ method: 'GET', path: `/foretak/${SAMPLE.usd}/xlsx` })
          await body.arrayBuffer()
          answered += 1
        } catch {
          cut += 1
        }
      })
      await eventually('they are being made', () => answered > 1)
      expect(await one.end('SIGTERM')).toBe(0)
      await Promise.all(asked)
      expect(answered + cut).toBe(BOOKS)
    } finally {
      await client.destroy()
      await one.end('SIGKILL')
      await rm(dataDir, { recursive: true })
    }
  })

  it('a worker lets its job finish, and leaves none active', async () => {
    const worker = await startProcess('worker', variables())
    const job = { organisasjonsnummer: SAMPLE.usd, seksjon: 'roller' }
    const raw = new Redis(redis.url, { maxRetriesPerRequest: null })
    const queue = new Queue('bedriftsoppslag-enhetsregisteret', { connection: raw, prefix: 'ko' })
    try {
      const held = Promise.withResolvers<void>()
      around.register.setFault('roller', { kind: 'hold', until: held.promise })
      await queue.add('refresh-company', job)
      await eventually('the job is being done', () => around.register.calls.inFlight('roller') === 1)
      const ending = worker.end('SIGTERM')
      held.resolve()
      expect(await ending).toBe(0)
      expect(await queue.getJobCounts('active', 'waiting', 'delayed', 'failed')).toEqual({
        active: 0,
        waiting: 0,
        delayed: 0,
        failed: 0,
      })
    } finally {
      await queue.close()
      raw.disconnect()
      await worker.end('SIGKILL')
    }
  })
})

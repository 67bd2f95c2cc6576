import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEnvironment } from '#config/environment.ts'
import { openService } from '#src/wiring/service.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { type BreakableConnection, createBreakableConnection } from '../support/breakable-connection.ts'
import { onServer } from '../support/database-server.ts'
import { eventually } from '../support/eventually.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService } from '../support/service.ts'
import { type Surroundings, startSurroundings } from '../support/surroundings.ts'

const WHOLE = { klar: true, hindringer: [], mangler: [] }

let register: RegisterStandIn

beforeAll(async () => {
  register = await startRegisterStandIn({ answers: sampleAnswers() })
})
afterAll(() => register.close())

it('P39: at the operators’ port a front is not ready before its public port is open', async () => {
  const around = await startSurroundings()
  const variables = { ...around.variables(), PORT: '0', OPS_PORT: '0', LOG_LEVEL: 'silent' }
  const service = await openService(readEnvironment(variables), { workers: false })
  const ready = async () => {
    const answer = await fetch(`${service.opsAddress}/health/ready`)
    return [answer.status, await answer.json()]
  }
  try {
    expect(await ready()).toEqual([503, expect.objectContaining({ klar: false, mangler: [] })])
    await service.listen()
    expect(await ready()).toEqual([200, WHOLE])
  } finally {
    await service.close()
    await around.close()
  }
})

describe('P39: a queue Redis that may evict', () => {
  let redis: TestRedis

  beforeAll(async () => {
    redis = await startRedis({ maxmemory: '50mb', policy: 'allkeys-lru' })
  })
  afterAll(() => redis.close())

  it('a front answers readers and says what is wrong, until it is set right', async () => {
    const service = await startTestService(register, {
      isLoaded: true,
      variables: { QUEUE_REDIS_URL: redis.url },
    })
    const raw = new Redis(redis.url)
    try {
      const told = await service.getBare('/health/ready')
      expect(told.status).toBe(200)
      expect(told.body).toMatchObject({
        klar: true,
        hindringer: [],
        mangler: [{ del: 'queue', kode: 'ko_kan_kaste_jobber' }],
      })
      expect(told.body.mangler[0].tekst).toMatch(
        /QUEUE_REDIS_URL: found maxmemory-policy allkeys-lru, expected noeviction/,
      )
      expect(told.text).not.toContain(String(redis.port))
      // Readers are answered, and nothing was put into that Redis.
      expect((await service.get(`/api/bedrift/${SAMPLE.healthy}`)).status).toBe(200)
      await service.tiers.cache.invalidate(SAMPLE.healthy)
      expect((await service.get(`/api/bedrift/${SAMPLE.healthy}`)).status).toBe(200)
      expect(await raw.keys('*')).toEqual([])

      await raw.config('SET', 'maxmemory-policy', 'noeviction')
      await eventually('nothing is missing', async () => {
        return (await service.getBare('/health/ready')).body.mangler.length === 0
      })
    } finally {
      raw.disconnect()
      await service.close()
    }
  })
})

describe('P39: PostgreSQL has no room on its disk', () => {
  it('attack: what is held is answered, and it is said, to operators too, though it answers what needs no room', async () => {
    const service = await startTestService(register, { isLoaded: true, workers: false })
    const { database } = service.storage
    try {
      expect((await service.getBare('/health/ready')).body).toEqual(WHOLE)
      // As it says when a table can not be made longer.
      await database.query(`create function full_disk() returns trigger language plpgsql as $$
        begin raise exception 'could not extend file' using errcode = '53100'; end $$`)
      await database.query(
        'create trigger no_room before insert on forespoersel for each row execute function full_disk()',
      )
      expect((await service.get(`/api/bedrift/${SAMPLE.healthy}`)).status).toBe(200)
      await eventually('it is said', async () => {
        const { status, body } = await service.getBare('/health/ready')
        expect(status).toBe(200)
        return body.mangler[0]?.tekst === 'PostgreSQL can not be used now (53100)'
      })
      const metrics = await (await fetch(`${service.opsAddress}/metrics`)).text()
      expect(metrics).toMatch(/^bedriftsoppslag_store_usable\{del="database"\} 0$/m)
      expect((await service.get(`/api/bedrift/${SAMPLE.healthy}`)).status).toBe(200)
    } finally {
      await service.close()
    }
  })
})

describe('P39: PostgreSQL and the queue’s Redis are away', () => {
  let around: Surroundings
  let redis: TestRedis
  let way: BreakableConnection

  beforeAll(async () => {
    ;[around, redis] = await Promise.all([startSurroundings(), startRedis()])
    way = await createBreakableConnection(around.storage.url)
  })
  afterAll(async () => {
    await way.close()
    await Promise.all([around.close(), redis.close()])
  })

  it.each(['refuse', 'are silent'])(
    'they %s: a front is ready, answers what is held, and says what is missing',
    async (how) => {
      const service = await startTestService(around.register, {
        workers: false,
        variables: { DATABASE_URL: way.url, QUEUE_REDIS_URL: redis.url },
      })
      const ask = () =>
        service.getBare(`/api/bedrift/${SAMPLE.healthy}`, { authorization: `Bearer ${around.token}` })
      const metric = async (name: string) =>
        new RegExp(`^${name} (.+)$`, 'm').exec(
          await (await fetch(`${service.opsAddress}/metrics`)).text(),
        )?.[1]
      try {
        expect((await ask()).status).toBe(200)
        expect((await service.getBare('/health/ready')).body).toEqual(WHOLE)
        expect(await metric('bedriftsoppslag_store_usable{del="queue"}')).toBe('1')

        if (how === 'refuse') await Promise.all([way.cut(), redis.stop()])
        else {
          way.silence()
          redis.pause()
        }
        await eventually('both are missed', async () => {
          const { status, body } = await service.getBare('/health/ready')
          expect([status, body.klar]).toEqual([200, true])
          return body.mangler.map(({ del }: { del: string }) => del).join() === 'database,queue'
        })
        expect((await ask()).status).toBe(200)
        expect(await metric('bedriftsoppslag_ready')).toBe('1')
        expect(await metric('bedriftsoppslag_store_usable{del="database"}')).toBe('0')
        expect(await metric('bedriftsoppslag_store_usable{del="queue"}')).toBe('0')
      } finally {
        await way.restore()
        if (how === 'refuse') await redis.start()
        else redis.resume()
        await service.close()
      }
    },
  )

  it('P185: they take nothing: it says so, who wants something written is told to come back, and nothing need be started anew', async () => {
    const service = await startTestService(around.register, {
      workers: false,
      variables: { DATABASE_URL: around.storage.url, QUEUE_REDIS_URL: redis.url },
    })
    const server = new Redis(redis.url)
    const beside = new URL(around.storage.url)
    const name = beside.pathname.slice(1)
    beside.pathname = '/postgres'
    // As a server that another has taken the place of: connections to it last, and stay what they are.
    const beReadOnly = (how: 'on' | 'off') =>
      onServer(beside.href, `alter database ${name} set default_transaction_read_only = ${how}`)
    const missing = async () => (await service.getBare('/health/ready')).body.mangler
    const watch = () =>
      service.call('PUT', `/api/overvaking/${SAMPLE.healthy}`, { token: around.token, body: {} })
    try {
      expect((await watch()).status).toBe(201)
      await beReadOnly('on')
      await onServer(
        beside.href,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
      )
      await server.config('SET', 'maxmemory', '1')
      await eventually('both are missed', async () => {
        const [database, queue] = await missing()
        return database?.tekst.includes('25006') && queue?.kode === 'ko_tar_ikke_imot'
      })
      const refused = await watch()
      expect([refused.status, refused.headers.has('retry-after')]).toEqual([503, true])
    } finally {
      await beReadOnly('off')
      await server.config('SET', 'maxmemory', '0')
    }
    try {
      await eventually('nothing is missing', async () => (await missing()).length === 0)
      expect((await watch()).status).toBe(200)
    } finally {
      server.disconnect()
      await service.close()
    }
  })
})

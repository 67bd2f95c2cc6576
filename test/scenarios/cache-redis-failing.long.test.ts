import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { CACHE_CHANNEL, type CacheEvent } from '#src/cache/events.ts'
import { eventually } from '../support/eventually.ts'
import { answersWithCopies, inventNumbers } from '../support/invented-companies.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

const numbers = inventNumbers(40)
const held = numbers.slice(0, 10)
const cold = numbers.slice(10)

describe('P15: the cache’s Redis', () => {
  let register: RegisterStandIn
  let redis: TestRedis
  let way: TcpProxy
  let service: TestService

  beforeAll(async () => {
    register = await startRegisterStandIn({ answers: answersWithCopies(numbers) })
  })
  beforeEach(async () => {
    redis = await startRedis({ maxmemory: '3mb', policy: 'noeviction' })
    way = await startTcpProxy({ upstream: redis })
    service = await open()
    return async () => {
      await service.close()
      await way.close()
      await redis.close()
    }
  })
  afterEach(() => register.calls.reset())
  afterAll(() => register.close())

  function open(): Promise<TestService> {
    return startTestService(register, {
      isLoaded: true,
      workers: false,
      // The announcements are bounded for other reasons, and would leave some of the answers in part.
      variables: { CACHE_REDIS_URL: `redis://${way.host}:${way.port}`, KUNNGJORINGER: 'av' },
    })
  }

  const read = (orgnr: string) => service.get(`/api/bedrift/${orgnr}`)
  /**
   * One after the other: of the copies of accounts four are asked for at a time, and an answer that lacks them is held for seconds, which
   * a busy machine takes until it is looked for again.
   */
  async function readAll(orgnrs: readonly string[]) {
    const answers: Awaited<ReturnType<typeof read>>[] = []
    for (const orgnr of orgnrs) answers.push(await read(orgnr))
    return answers
  }
  const isUsable = () => service.tiers.cache.stats().redis?.isUsable === true
  const isShown = async () =>
    /^bedriftsoppslag_cache_redis_usable (\d)$/m.exec(
      await (await fetch(`${service.opsAddress}/metrics`)).text(),
    )?.[1]
  const isListening = () => service.tiers.cache.stats().isListening === true

  /**
   * In memory, while Redis is used. On a busy machine it is too late for one of them at times, and is then left alone for a while; and
   * what was read in the same millisecond as the bus began to listen is asked for once more.
   */
  async function holdSome(): Promise<void> {
    await eventually('some are held, and Redis is used', async () => {
      await readAll(held)
      await service.tiers.cache.settled()
      register.calls.reset()
      const answers = await readAll(held)
      const areHits = answers.every(({ headers }) => headers.get('cache-status')?.includes('; hit;'))
      return areHits && register.calls.count() === 0 && isUsable() && isListening()
    })
  }

  /** From memory what is held, from the registers what is not; and afterwards from memory. */
  async function expectService(): Promise<void> {
    for (const { status, headers } of await readAll(held)) {
      expect(status).toBe(200)
      expect(headers.get('cache-status')).toContain('; hit;')
    }
    expect(register.calls.count()).toBe(0)
    for (const { status, body } of await readAll(cold.slice(0, 15))) {
      expect([status, body.roller.tilstand]).toEqual([200, 'fersk'])
    }
    for (const orgnr of cold.slice(0, 15))
      expect((await read(orgnr)).headers.get('cache-status')).toContain('; hit;')
    for (const orgnr of cold.slice(0, 15)) expect(register.calls.count('roller', orgnr)).toBe(1)
  }

  /** A question to Redis that got no answer was given up within the reader's budget, not when its connection was. */
  async function expectNobodyWaits(work: () => Promise<void>): Promise<void> {
    const failures: Extract<CacheEvent, { kind: 'redis-failure' }>[] = []
    const onEvent = (event: unknown) => {
      const told = event as CacheEvent
      if (told.kind === 'redis-failure') failures.push(told)
    }
    subscribe(CACHE_CHANNEL, onEvent)
    try {
      await work()
    } finally {
      unsubscribe(CACHE_CHANNEL, onEvent)
    }
    // What was asked shortly before the hung connection is given up ends with it, sooner than its time.
    const whys = new Set(failures.map(({ why }) => why))
    expect(whys).toContain('timeout')
    expect([...whys].filter((why) => why !== 'timeout' && why !== 'unreachable')).toEqual([])
    // What a fill brought is written behind whoever waited for it, and so is what Redis has lost.
    const waitedFor = failures.filter(
      ({ operation }) => !['write', 'release', 'restore', 'write-note'].includes(operation),
    )
    const tooLong = waitedFor.filter(({ withinMs }) => withinMs > policy.cache.redisAnswerMs)
    expect(tooLong).toEqual([])
  }

  it('goes down: what memory has is served, the rest comes from the registers', async () => {
    await holdSome()
    await eventually('it is shown to be used', async () => (await isShown()) === '1')
    await redis.stop()
    await expectService()
    await eventually('it is shown to be away', async () => (await isShown()) === '0')
  })

  it('was never there: the service starts and answers', async () => {
    await service.close()
    await way.down()
    service = await open()
    expect((await readAll(cold.slice(0, 5))).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    await way.up()
    await eventually('it is used when it comes', () => isUsable() && isListening())
  })

  it('answers five seconds late: nobody waits for it', async () => {
    await holdSome()
    way.set({ kind: 'latency', ms: 5000 })
    await expectNobodyWaits(async () => {
      await expectService()
      for (const orgnr of cold.slice(15)) await read(orgnr)
    })
    expect(isUsable()).toBe(false)
    way.set()
    await eventually('it is used again', isUsable)
  })

  it('stops answering without a word: nobody waits for it', async () => {
    await holdSome()
    redis.pause()
    try {
      await expectNobodyWaits(expectService)
    } finally {
      redis.resume()
    }
    await eventually('it is used again', isUsable)
  })

  it('is full: what it can not take is served all the same', async () => {
    await holdSome()
    const filler = new Redis(redis.url)
    try {
      for (let index = 0; ; index++) await filler.set(`stuff-${index}`, Buffer.alloc(20_000))
    } catch (error) {
      expect(String(error)).toMatch(/OOM/)
    }
    await expectService()
    // A soft purge has to reach Redis all the same; it frees before it writes.
    await service.tiers.cache.invalidate(held[0] ?? '')
    const { status, body } = await read(held[0] ?? '')
    expect([status, body.navn]).toEqual([200, 'TINDEVÅG SJØMAT AS'])
    filler.disconnect()
  })

  it.each([
    ['is full', (server: Redis) => server.config('SET', 'maxmemory', '1')],
    ['follows another', (server: Redis) => server.replicaof('127.0.0.1', 1)],
  ])(
    'P15: attack: %s: what changed is served fresh all the same, and operators are told',
    async (_, spoil) => {
      await holdSome()
      const [orgnr = ''] = held
      await service.tiers.cache.invalidate(orgnr)
      const server = new Redis(redis.url)
      await spoil(server)
      await eventually('it is shown to take nothing', async () => (await isShown()) === '0')
      const tilstand = async () => (await read(orgnr)).body.roller.tilstand
      // Nobody works off the queue here: whoever does could keep what it fetched from nobody but itself.
      await eventually('it is fresh', async () => (await tilstand()) === 'fersk', 20_000)
      await Promise.all([server.config('SET', 'maxmemory', '0'), server.replicaof('NO', 'ONE')])
      server.disconnect()
      await eventually('it is shown to be used again', async () => (await isShown()) === '1')
    },
  )
})

import { setImmediate as nextTurn } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CacheUnavailableError, CompanyErasedError, FillDeadlineError } from '#src/cache/errors.ts'
import type { Key } from '#src/cache/key.ts'
import { unpack } from '#src/cache/packing.ts'
import { beBusyFor } from '#test/support/be-busy.ts'
import { startRedis, type TestRedis } from '#test/support/redis.ts'
import { startTcpProxy } from '#test/support/tcp-proxy.ts'
import {
  createTestClock,
  createTestSource,
  found,
  gate,
  HOUR,
  MINUTE,
  type OneProcess,
  Outage,
  SCHEMA_VERSION,
  startProcess,
  type TestClock,
  type TestSource,
  untilTrue,
} from './one-process.ts'

/** Two processes' worth of cache: nothing but Redis is shared between them. */
let redis: TestRedis
let raw: Redis
let clock: TestClock
let source: TestSource
let a: OneProcess
let b: OneProcess
let key: Key
let number = 920_000_000

const get = (one: OneProcess, more: Parameters<OneProcess['wish']>[1] = {}) =>
  one.cache.getOrFetch(key, one.wish(source, more))
const asked = (calls: number) => untilTrue(() => source.calls === calls)
/** The connections on which something is listened for, as Redis numbers them. */
async function listening(): Promise<string[]> {
  const list = String(await raw.call('CLIENT', 'LIST', 'TYPE', 'pubsub'))
  return [...list.matchAll(/^id=(\d+)/gm)].map(([, id = '']) => id)
}

/** Both processes have found out that theirs were cut, and listen on others. */
async function listenAnew(gone: readonly string[]): Promise<void> {
  await untilTrue(async () => {
    const ids = await listening()
    return ids.length >= gone.length && !ids.some((id) => gone.includes(id))
  })
  await untilTrue(() => a.cache.stats().isListening === true && b.cache.stats().isListening === true)
}

const inRedis = () => raw.hgetall(`bo:${SCHEMA_VERSION}:${key.company}`)

async function told(serving: ReturnType<typeof get>): Promise<[string, string]> {
  const { how, entry } = await serving
  return [how, entry.body.toString()]
}

/** The fill's answer is in Redis as well. */
async function filled(one: OneProcess): Promise<void> {
  await get(one)
  await one.cache.settled()
}

/** A source that answers when told to. */
function held(): { open: () => void } {
  const answer = gate<void>()
  source.answers(async (_signal, call) => {
    await answer.promise
    return found(`answer ${call}`)
  })
  return { open: () => answer.open() }
}

beforeAll(async () => {
  redis = await startRedis()
  raw = new Redis(redis.url)
})
afterAll(async () => {
  raw.disconnect()
  await redis.close()
})
beforeEach(async () => {
  key = { company: String(number++), section: 'enhet' }
  clock = createTestClock()
  source = createTestSource()
  // Questions have all the time they need here: what time does to them is tested where Redis fails.
  const settings = { redisUrl: redis.url, clock }
  ;[a, b] = await Promise.all([startProcess(settings), startProcess(settings)])
  clock.advance(1000)
})
afterEach(() => Promise.all([a.close(), b.close()]))

describe('two processes', () => {
  it('P7: 1,000 who ask at once for a company nobody has make one call to its source', async () => {
    const answer = held()
    const waiting = Array.from({ length: 1000 }, (_, index) => told(get(index % 2 === 0 ? a : b)))
    await asked(1)
    answer.open()
    const served = await Promise.all(waiting)
    expect(source.calls).toBe(1)
    expect(new Set(served.map(([, body]) => body))).toEqual(new Set(['answer 1']))
    expect(served.filter(([how]) => how === 'miss')).toHaveLength(1)
    expect([...a.events, ...b.events]).toContainEqual({
      kind: 'collapsed',
      within: 'processes',
      section: 'enhet',
    })
  })

  it('P13: attack: who waits for another process’ fill to the deadline learns as much as who asked, and who is given it does not', async () => {
    const inVain: OneProcess[] = []
    const noting = (one: OneProcess) => ({ awaitedInVain: () => void inVain.push(one) })
    const answer = held()
    const first = told(get(a, noting(a)))
    await asked(1)
    await expect(get(b, { deadlineMs: 50, ...noting(b) })).rejects.toBeInstanceOf(FillDeadlineError)
    await untilTrue(() => inVain.length > 0)
    const second = told(get(b, noting(b)))
    answer.open()
    expect(await Promise.all([first, second])).toEqual([
      ['miss', 'answer 1'],
      ['collapsed', 'answer 1'],
    ])
    expect(inVain).toEqual([b])
  })

  it('P13: attack: a process too busy to hear of another’s fill learns nothing of the company from that', async () => {
    let wasInVain = false
    const awaitedInVain = () => {
      wasInVain = true
    }
    const answer = held()
    const first = told(get(a))
    await asked(1)
    const second = get(b, { deadlineMs: 300, awaitedInVain })
    while (!b.events.some(({ kind }) => kind === 'miss')) await nextTurn()
    beBusyFor(600)
    await expect(second).rejects.toBeInstanceOf(FillDeadlineError)
    await nextTurn()
    expect(wasInVain).toBe(false)
    answer.open()
    await first
  })

  it('P7: another process takes over as soon as the fill fails, long before the lease would end', async () => {
    const settings = { redisUrl: redis.url, clock, leaseMs: 60_000 }
    const [c, d] = await Promise.all([startProcess(settings), startProcess(settings)])
    const first = gate<void>()
    source.answers(async (_signal, call) => {
      if (call > 1) return found(`answer ${call}`)
      await first.promise
      throw new Outage()
    })
    const failing = get(c)
    await asked(1)
    const waiting = told(get(d))
    first.open()
    await expect(failing).rejects.toBeInstanceOf(Outage)
    expect(await waiting).toEqual(['miss', 'answer 2'])
    await Promise.all([c.close(), d.close()])
  })

  it('P7: another process takes over when the one that fills dies', async () => {
    const killed = await startProcess({ redisUrl: redis.url, clock, leaseMs: 300 })
    // Its lease is taken by hand and never renewed, as by a process that was killed.
    await killed.redis?.begin(key)
    expect((await get(a)).how).toBe('miss')
    expect(source.calls).toBe(1)
    await killed.close()
  })

  it('P7: a process that is busy itself before it asks does not take Redis for late, and go alone', async () => {
    const busyMs = 150
    let pauses = 3
    const busy = await startProcess({
      redisUrl: redis.url,
      clock: {
        now() {
          if (pauses-- > 0) beBusyFor(busyMs)
          return clock.now()
        },
      },
      answerMs: busyMs - 50,
    })
    await filled(busy)
    expect(await inRedis()).toHaveProperty('enhet')
    expect((await get(a)).how).toBe('redis')
    await busy.close()
  })

  it('P7: a fill that takes longer than a lease keeps its lease', async () => {
    const settings = { redisUrl: redis.url, clock, leaseMs: 900 }
    const [c, d] = await Promise.all([startProcess(settings), startProcess(settings)])
    const answer = held()
    const slow = told(get(c))
    await asked(1)
    const waiting = told(get(d))
    const field = `!l:${key.section}`
    const lease = async () => (await inRedis())[field]
    const first = await lease()
    await untilTrue(async () => (await lease()) !== first)
    expect((await lease())?.split(':')[0]).toBe(first?.split(':')[0])
    answer.open()
    expect(await slow).toEqual(['miss', 'answer 1'])
    expect(await waiting).toEqual(['collapsed', 'answer 1'])
    expect(source.calls).toBe(1)
    await Promise.all([c.close(), d.close()])
  })

  it('what one has fetched the other finds in Redis, with the other sections of the company', async () => {
    await filled(a)
    const roller = { ...key, section: 'roller' }
    await a.cache.getOrFetch(roller, a.wish(source))
    await a.cache.settled()
    expect(await told(get(b))).toEqual(['redis', 'answer 1'])
    expect(await told(b.cache.getOrFetch(roller, b.wish(source)))).toEqual(['memory', 'answer 2'])
    expect((await b.cache.read(key.company)).size).toBe(2)
    expect(b.cache.stats().redis?.asked).toBe(1)
  })

  it('P17: a refresh in one is what the other serves', async () => {
    await filled(a)
    await get(b)
    clock.advance(MINUTE)
    await a.cache.getOrFetch(key, a.wish(source, { mode: 'refresh' }))
    await untilTrue(async () => (await told(get(b)))[1] === 'answer 2')
    expect((await get(b)).how).toBe('memory')
  })

  it('a refresh is not content with what another process had fetched before', async () => {
    await filled(a)
    clock.advance(1000)
    expect(await told(get(b, { mode: 'refresh' }))).toEqual(['miss', 'answer 2'])
  })

  it('P17: an invalidation in one makes the copy stale in the other, and in Redis', async () => {
    await filled(a)
    await get(b)
    expect(await a.cache.invalidate(key.company)).toBe(true)
    await untilTrue(async () => (await get(b)).how === 'stale')
    expect(b.stale).toEqual([{ key, isShared: true }])
    const c = await startProcess({ redisUrl: redis.url, clock })
    expect((await get(c)).how).toBe('stale')
    await c.close()
  })

  it('an invalidation says that Redis holds the company though this process does not', async () => {
    await filled(a)
    expect(await b.cache.invalidate(key.company)).toBe(true)
    expect(await b.cache.invalidate('929999999')).toBe(false)
  })

  it('a purge in one reaches the other', async () => {
    await filled(a)
    await get(b)
    await a.cache.purge(key.company, { hard: true })
    await untilTrue(() => b.memory.read(key.company) === null)
    expect(await told(get(b))).toEqual(['miss', 'answer 2'])
  })

  it('P21: attack: what is read of Redis while all there is forgotten stays in no memory, of who forgets it neither', async () => {
    await filled(a)
    const way = await startTcpProxy({ upstream: redis })
    way.set({ kind: 'latency', ms: 20 })
    const one = await startProcess({ redisUrl: `redis://${way.host}:${way.port}`, clock })
    try {
      let isForgotten = false
      const forgetting = one.cache.purgeAll({ hard: true }).finally(() => {
        isForgotten = true
      })
      const read = await one.cache.read(key.company)
      expect([read.size, isForgotten]).toEqual([1, false])
      await forgetting
      expect((await one.cache.read(key.company)).size).toBe(0)
    } finally {
      await one.close()
      await way.close()
    }
  })

  it('a purge of everything reaches the other, and what each of them made of it', async () => {
    await filled(a)
    await get(b)
    await a.cache.purgeAll({ hard: true })
    await untilTrue(() => b.memory.read(key.company) === null)
    expect(b.changes).toContainEqual({ prefix: '' })
    expect(await inRedis()).not.toHaveProperty('enhet')
  })

  it.each(['', 'x', 'x'.repeat(16), 'x'.repeat(33), 'x'.repeat(400)])(
    'P9: attack: what lies in Redis in place of what memory holds (%j) is a miss, and is replaced',
    async (bytes) => {
      const place = `bo:${SCHEMA_VERSION}:${key.company}`
      await filled(a)
      // What it holds is looked for again, since something may have been said meanwhile.
      const gone = await listening()
      await raw.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
      await listenAnew(gone)
      clock.advance(2 * MINUTE)
      await raw.hset(place, key.section, bytes)
      expect((await told(get(a)))[1]).toMatch(/^answer [12]$/)
      expect((await told(get(b)))[1]).toMatch(/^answer [12]$/)
      await Promise.all([a.cache.settled(), b.cache.settled()])
      expect(
        unpack((await raw.hgetBuffer(place, key.section)) ?? Buffer.alloc(0), SCHEMA_VERSION),
      ).not.toBeNull()
    },
  )

  it('garbage in Redis is a miss, and is replaced', async () => {
    await raw.hset(`bo:${SCHEMA_VERSION}:${key.company}`, 'enhet', 'garbage')
    expect(await told(get(a))).toEqual(['miss', 'answer 1'])
    await a.cache.settled()
    expect(await told(get(b))).toEqual(['redis', 'answer 1'])
  })
})

describe('an erasure', () => {
  it('P11: attack: is heard by none of another installation, which has another database of the same Redis', async () => {
    const others = await Promise.all(
      Array.from({ length: 2 }, () => startProcess({ redisUrl: `${redis.url}/1`, clock })),
    )
    try {
      await others[0]?.cache.erase(key.company)
      await untilTrue(() => others[1]?.erased.has(key.company) === true)
      // What is told after it is heard after it.
      await a.cache.erase('920999999')
      await untilTrue(() => b.erased.has('920999999'))
      expect(b.erased.has(key.company)).toBe(false)
    } finally {
      await Promise.all(others.map((other) => other.close()))
    }
  })

  const erase = (one: OneProcess) => {
    one.erased.add(key.company)
    return one.cache.erase(key.company)
  }

  it('P11: reaches memory in every process and Redis, and leaves a tombstone', async () => {
    await filled(a)
    await get(b)
    await erase(a)
    await untilTrue(() => b.erased.has(key.company))
    expect(b.memory.read(key.company)).toBeNull()
    await expect(get(b)).rejects.toBeInstanceOf(CompanyErasedError)
    expect(Object.keys(await inRedis()).sort()).toEqual(['!g', '!x'])
  })

  it('P11: a process that has not heard of it learns it from the tombstone', async () => {
    await filled(a)
    await erase(a)
    const late = await startProcess({ redisUrl: redis.url, clock })
    await expect(get(late)).rejects.toBeInstanceOf(CompanyErasedError)
    expect(late.erased.has(key.company)).toBe(true)
    expect(source.calls).toBe(1)
    await late.close()
  })

  it('P11: a fill of another process that began before writes nothing after, here or there', async () => {
    const answer = held()
    const waiting = get(b)
    await asked(1)
    await erase(a)
    await untilTrue(() => b.erased.has(key.company))
    answer.open()
    await expect(waiting).rejects.toBeInstanceOf(CompanyErasedError)
    await b.cache.settled()
    expect(Object.keys(await inRedis()).sort()).toEqual(['!g', '!x'])
    expect(b.memory.read(key.company)).toBeNull()
  })

  it.each(['erase', 'purge', 'invalidate'] as const)(
    'P11: nor when the process that fills has not heard of the %s',
    async (change) => {
      const deaf = await startProcess({ redisUrl: redis.url, clock, isDeaf: true })
      await filled(a)
      clock.advance(1000)
      const answer = held()
      const waiting = deaf.cache.getOrFetch(key, deaf.wish(source, { mode: 'refresh' }))
      await asked(2)
      if (change === 'erase') await erase(a)
      else if (change === 'purge') await a.cache.purge(key.company, { hard: true })
      else await a.cache.invalidate(key.company)
      const before = await inRedis()
      answer.open()
      await waiting.catch(() => {})
      await deaf.cache.settled()
      expect(await inRedis()).toEqual(before)
      expect(deaf.events).toContainEqual(expect.objectContaining({ kind: 'refused', tier: 'redis' }))
      expect(deaf.memory.read(key.company)?.get('enhet')).toBeUndefined()
      expect(deaf.erased.has(key.company)).toBe(change === 'erase')
      await deaf.close()
    },
  )

  it('P11: that could not reach Redis says so, serves nothing meanwhile, and reaches it when done again', async () => {
    const own = await startRedis()
    const settings = { redisUrl: own.url, clock }
    const one = await startProcess(settings)
    await filled(one)
    await own.stop()
    await expect(erase(one)).rejects.toBeInstanceOf(CacheUnavailableError)
    await expect(get(one)).rejects.toBeInstanceOf(CompanyErasedError)
    await own.start()
    await untilTrue(() =>
      erase(one).then(
        () => true,
        () => false,
      ),
    )
    const other = await startProcess(settings)
    await expect(get(other)).rejects.toBeInstanceOf(CompanyErasedError)
    await Promise.all([one.close(), other.close()])
    await own.close()
  })
})

describe('when what others do can not be heard', () => {
  it('what was told meanwhile is asked for before memory is believed again', async () => {
    await filled(a)
    await get(b)
    const gone = await listening()
    await raw.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    // Nobody hears this: every listener's connection is gone.
    await a.cache.purge(key.company, { hard: true })
    await listenAnew(gone)
    clock.advance(2 * MINUTE)
    expect(await told(get(b))).toEqual(['miss', 'answer 2'])
  })

  it('P17: a Redis that has lost the company meanwhile does not confirm a copy that was changed', async () => {
    await filled(a)
    await told(get(b))
    const gone = await listening()
    await raw.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await raw.del(`bo:${SCHEMA_VERSION}:${key.company}`)
    clock.advance(1000)
    expect(await a.cache.invalidate(key.company)).toBe(true)
    await listenAnew(gone)
    clock.advance(MINUTE)
    expect(await told(get(b))).toEqual(['miss', 'answer 2'])
  })

  it('a memory copy that Redis confirms is served as before', async () => {
    await filled(a)
    await raw.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await untilTrue(() => a.cache.stats().isListening === false)
    await untilTrue(() => a.cache.stats().isListening === true)
    clock.advance(2 * MINUTE)
    expect((await get(a)).entry.body.toString()).toBe('answer 1')
    expect((await get(a)).how).toBe('memory')
    expect(source.calls).toBe(1)
  })

  it('memory is believed for a while, then served as stale with a refresh that must be made here', async () => {
    const own = await startRedis()
    const one = await startProcess({ redisUrl: own.url, clock })
    clock.advance(1000)
    await filled(one)
    clock.advance(30 * MINUTE)
    expect((await get(one)).how).toBe('memory')
    await own.stop()
    await untilTrue(() => one.cache.stats().isListening === false)
    expect((await get(one)).how).toBe('memory')
    clock.advance(MINUTE)
    expect((await get(one)).how).toBe('stale')
    expect(one.stale).toEqual([{ key, isShared: false }])
    await one.cache.getOrFetch(key, one.wish(source, { mode: 'refresh' }))
    expect(await told(get(one))).toEqual(['memory', 'answer 2'])
    await one.close()
    await own.close()
  })

  it('P10: what is not found is then asked for again, not served', async () => {
    const own = await startRedis()
    const one = await startProcess({ redisUrl: own.url, clock, policy: { trustAloneMs: MINUTE } })
    source.answers((_signal, call) => ({ state: 'absent', body: Buffer.from(`answer ${call}`) }))
    await filled(one)
    await own.stop()
    await untilTrue(() => one.cache.stats().isListening === false)
    clock.advance(MINUTE)
    expect(await told(get(one))).toEqual(['miss', 'answer 2'])
    await one.close()
    await own.close()
  })
})

describe('a Redis that was emptied', () => {
  const section = async () => (await inRedis()).enhet

  it.each(['and runs on', 'by a restart'])(
    'P57: is given back what is still served from memory (%s), so that a new process asks nobody',
    async (how) => {
      const own = await startRedis()
      const settings = { redisUrl: own.url, clock }
      const one = await startProcess(settings)
      clock.advance(1000)
      const there = new Redis(own.url, { lazyConnect: true, retryStrategy: () => 10 })
      there.on('error', () => {})
      const isThere = async () =>
        (await there.hexists(`bo:${SCHEMA_VERSION}:${key.company}`, key.section).catch(() => 0)) === 1
      await filled(one)
      await untilTrue(isThere)
      clock.advance(MINUTE)
      // It has left its mark.
      await untilTrue(async () => (await there.keys('bo-here:*')).length === 1)
      if (how === 'by a restart') {
        await own.stop()
        await untilTrue(() => one.cache.stats().isListening === false)
        await own.start()
        await untilTrue(() => one.cache.stats().isListening === true && one.redis?.isUsable() === true)
        // It finds out both ways: by the connection, and then by its mark that is gone.
        await untilTrue(async () => (await there.del(`bo-here:${one.redis?.origin}`).catch(() => 0)) === 1)
        await untilTrue(async () => (await there.keys('bo-here:*')).length === 1)
      } else await there.flushall()
      clock.advance(MINUTE)
      await untilTrue(async () => {
        clock.advance(1000)
        expect((await get(one)).entry.body.toString()).toBe('answer 1')
        return isThere()
      })
      const fresh = await startProcess(settings)
      clock.advance(1000)
      expect(await told(get(fresh))).toEqual(['redis', 'answer 1'])
      expect(source.calls).toBe(1)
      there.disconnect()
      await Promise.all([one.close(), fresh.close()])
      await own.close()
    },
  )

  it.each(['here', 'by another, as it could not be heard'])(
    'P57: attack: is not given back what was changed with all others while it waited for that (%s)',
    async (where) => {
      const own = await startRedis()
      // One in a turn.
      const one = await startProcess({ redisUrl: own.url, clock, policy: { refillPerSecond: 10 } })
      clock.advance(1000)
      const there = new Redis(own.url)
      const naming = Array.from({ length: 20 }, () => ({ company: String(number++), section: 'konsern' }))
      const held = async ({ company, section }: Key) =>
        (await there.hexists(`bo:${SCHEMA_VERSION}:${company}`, section)) === 1
      const all = [...naming, key]
      const readAll = () => Promise.all(all.map((each) => one.cache.getOrFetch(each, one.wish(source))))
      await readAll()
      await one.cache.settled()
      await untilTrue(async () => (await there.keys('bo-here:*')).length === 1)
      await there.flushall()
      clock.advance(MINUTE)
      await untilTrue(async () => {
        clock.advance(1000)
        await readAll()
        return (await Promise.all(all.map(held))).includes(true)
      })
      const purge = { hard: true, sections: ['konsern'] }
      if (where === 'here') await one.cache.purgeAll(purge)
      else {
        const other = await startProcess({ redisUrl: own.url, clock })
        await there.call('ACL', 'SETUSER', 'default', '-subscribe')
        await there.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
        await untilTrue(() => one.cache.stats().isListening === false)
        await other.cache.purgeAll(purge)
        await there.call('ACL', 'SETUSER', 'default', '+subscribe')
        await other.close()
        await untilTrue(() => one.cache.stats().isListening === true)
        clock.advance(MINUTE)
        // Whoever reads what is in memory still has it given back again. What Redis refuses is not fetched.
        source.answers(() => Promise.reject(new Error('away')))
        await Promise.allSettled(all.map((each) => one.cache.getOrFetch(each, one.wish(source))))
      }
      // Which came behind all of them.
      await untilTrue(() => held(key))
      expect(await Promise.all(naming.map(held))).not.toContain(true)
      there.disconnect()
      await one.close()
      await own.close()
    },
  )

  it('P57: is not given back what was changed or erased meanwhile, nor what is being filled', async () => {
    // By a clock that was ahead of this one.
    await raw.del(`bo-swept:${SCHEMA_VERSION}`)
    await filled(a)
    const packed = await raw.hgetBuffer(`bo:${SCHEMA_VERSION}:${key.company}`, 'enhet')
    if (packed === null || a.redis === null) throw new Error('it is not there')
    const restore = (generation = 0) => a.redis?.restore(key, packed, MINUTE, generation)
    expect(await restore()).toBe('there')
    await raw.hdel(`bo:${SCHEMA_VERSION}:${key.company}`, 'enhet')
    const begun = await a.redis.begin(key)
    expect(await restore()).toBe('lease')
    await a.redis.release(key, begun)
    expect(await restore()).toBe('stored')
    await raw.hdel(`bo:${SCHEMA_VERSION}:${key.company}`, 'enhet')
    await b.cache.purgeAll({ hard: false, prefix: 'sok-' })
    await b.cache.purgeAll({ hard: false, sections: ['roller'] })
    expect(await restore()).toBe('stored')
    await raw.hdel(`bo:${SCHEMA_VERSION}:${key.company}`, 'enhet')
    clock.advance(1)
    await b.cache.purgeAll({ hard: false, sections: ['enhet'] })
    expect(await restore()).toBe('swept')
    await raw.del(`bo-swept:${SCHEMA_VERSION}`)
    expect(await restore()).toBe('stored')
    await b.cache.purge(key.company, { hard: true })
    expect(await restore()).toBe('generation')
    await b.cache.erase(key.company)
    expect(await restore()).toBe('erased')
    expect(await section()).toBeUndefined()
  })
})

describe('a process whose clock is three days ahead', () => {
  let ahead: OneProcess
  beforeEach(async () => {
    const wrong = createTestClock()
    wrong.advance(1000 + 3 * 24 * HOUR)
    ahead = await startProcess({ redisUrl: redis.url, clock: wrong })
  })
  afterEach(() => ahead.close())

  it('P56: leaves nothing that others take for fresh: they ask the source, and what they write is what is held', async () => {
    await filled(ahead)
    expect(await told(get(a))).toEqual(['miss', 'answer 2'])
    await a.cache.settled()
    clock.advance(1)
    expect(await told(get(b))).toEqual(['redis', 'answer 2'])
  })

  it('P56: and knows it writes over nothing that is good, and holds up nobody who is right', async () => {
    await filled(a)
    const wrong = createTestClock()
    wrong.advance(1000 + 3 * 24 * HOUR)
    const known = await startProcess({
      redisUrl: redis.url,
      clock: wrong,
      clockAheadMs: () => 3 * 24 * HOUR,
    })
    const good = (await raw.hgetallBuffer(`bo:${SCHEMA_VERSION}:${key.company}`)).enhet
    expect(await told(get(known, { mode: 'refresh' }))).toEqual(['miss', 'answer 2'])
    await known.cache.settled()
    expect((await raw.hgetallBuffer(`bo:${SCHEMA_VERSION}:${key.company}`)).enhet).toEqual(good)
    expect(await told(get(b))).toEqual(['redis', 'answer 1'])
    clock.advance(1)
    expect(await told(get(b, { mode: 'refresh' }))).toEqual(['miss', 'answer 3'])
    await known.close()
  })

  it('P56: does not go on believing what it wrote itself, once its clock is right', async () => {
    const adjusted = createTestClock()
    adjusted.advance(3 * 24 * HOUR)
    const alone = await startProcess({ clock: adjusted })
    expect(await told(get(alone))).toEqual(['miss', 'answer 1'])
    adjusted.advance(-3 * 24 * HOUR)
    expect(await told(get(alone))).toEqual(['miss', 'answer 2'])
    await alone.close()
  })
})

it('closing ends all connections of a process, and lets Redis have what it was given', async () => {
  const own = await startRedis()
  const watcher = new Redis(own.url)
  const one = await startProcess({ redisUrl: own.url, clock })
  const named = async () => String(await watcher.client('LIST')).match(/name=bo-cache/g)?.length ?? 0
  await untilTrue(async () => (await named()) === 3)
  await get(one)
  await one.close()
  await untilTrue(async () => (await named()) === 0)
  expect(await watcher.hgetall(`bo:${SCHEMA_VERSION}:${key.company}`)).toHaveProperty('enhet')
  watcher.disconnect()
  await own.close()
})

import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SharedForm } from '#src/cache/redis-held.ts'
import { startRedis, type TestRedis } from '#test/support/redis.ts'
import {
  createTestClock,
  createTestSource,
  MINUTE,
  type OneProcess,
  SCHEMA_VERSION,
  startProcess,
  type TestClock,
  type TestSource,
  untilTrue,
} from './one-process.ts'

/** Two processes that share a Redis; the first puts an answer beside two sections, the second has none of it in memory. */
let redis: TestRedis
let raw: Redis
let clock: TestClock
let source: TestSource
let a: OneProcess
let b: OneProcess
let company: string
let number = 940_000_000

const SECTIONS = ['enhet', 'roller']
const ANSWER = { about: 'of two', bytes: Buffer.from('the answer') }
const answerKey = () => `bo-answer:${SCHEMA_VERSION}:${company}`
const shared = (one: OneProcess, by = 'us', form: SharedForm = 'gzip') =>
  one.cache.sharedAnswer(company, by, form)
const get = (one: OneProcess, section: string, mode: 'normal' | 'refresh' = 'normal') =>
  one.cache.getOrFetch({ company, section }, one.wish(source, { mode }))

async function filled(one: OneProcess): Promise<void> {
  for (const section of SECTIONS) await get(one, section)
  await one.cache.settled()
}

async function keep(one: OneProcess, keepForMs = 10 * MINUTE): Promise<boolean> {
  return (await one.cache.sharing(company, SECTIONS, 'us')?.(ANSWER, keepForMs)) ?? false
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
  company = String(number++)
  clock = createTestClock()
  source = createTestSource()
  const settings = { redisUrl: redis.url, clock }
  ;[a, b] = await Promise.all([startProcess(settings), startProcess(settings)])
  clock.advance(1000)
  await filled(a)
})
afterEach(() => Promise.all([a.close(), b.close()]))

describe('P129: an answer that lies beside its copies', () => {
  it('is given to whoever would make the same of them, and to nobody else', async () => {
    expect(await keep(a)).toBe(true)
    expect(await shared(b)).toMatchObject(ANSWER)
    expect(b.memory.has(company)).toBe(false)
    expect(await shared(b, 'another release')).toBeNull()
    // What was asked for in vain has brought the sections, so that nobody asks a second time.
    expect(b.memory.has(company)).toBe(true)
    expect(b.cache.mayShare(company)).toBe(false)
    expect(source.calls).toBe(2)
  })

  it('is given unpacked to who wants it so, once it lies there so too, and goes with the other', async () => {
    const plain = { about: 'of two, as it is', bytes: Buffer.from('the whole\nanswer') }
    const given = async (form: SharedForm) => {
      const asking = await startProcess({ redisUrl: redis.url, clock })
      const found = await shared(asking, 'us', form)
      await asking.close()
      return found && { about: found.about, bytes: found.bytes }
    }
    expect(await b.cache.sharePlain(company, plain, ANSWER)).toBe(false)
    await keep(a)
    expect(await given('plain')).toEqual(ANSWER)
    // What was read there is another by now.
    expect(await b.cache.sharePlain(company, plain, { ...ANSWER, about: 'of tw' })).toBe(false)
    expect(await b.cache.sharePlain(company, plain, ANSWER)).toBe(true)
    expect([await given('plain'), await given('gzip')]).toEqual([plain, ANSWER])
    expect(await raw.pttl(answerKey())).toBeGreaterThan(0)
    // Kept anew it is another, of which nobody has said how it is unpacked.
    await keep(a)
    expect(await given('plain')).toEqual(ANSWER)
    await b.cache.sharePlain(company, plain, ANSWER)
    await a.cache.invalidate(company, ['roller'])
    expect([await given('plain'), await given('gzip')]).toEqual([null, null])
  })

  it('is never given again when anything was done to any of them, whoever did it', async () => {
    const acts: Record<string, () => unknown> = {
      'one section was fetched again': async () => {
        await get(b, 'roller', 'refresh')
        await b.cache.settled()
      },
      'one section was said to be stale': () => b.cache.invalidate(company, ['enhet']),
      'one section was forgotten': () => b.cache.purge(company, { hard: true, sections: ['roller'] }),
      'all of a section was said to be stale': () => b.cache.purgeAll({ hard: false, sections: ['enhet'] }),
      'all was forgotten': () => b.cache.purgeAll({ hard: true }),
      'the company was erased': () => b.cache.erase(company),
    }
    for (const [what, act] of Object.entries(acts)) {
      company = String(number++)
      await filled(a)
      expect(await keep(a), what).toBe(true)
      clock.advance(1000)
      await act()
      expect(await raw.exists(answerKey()), what).toBe(0)
      const asking = await startProcess({ redisUrl: redis.url, clock })
      expect(await shared(asking), what).toBeNull()
      await asking.close()
    }
  })

  it('is not given when its copies are other ones, though whoever changed them knew nothing of it', async () => {
    const key = `bo:${SCHEMA_VERSION}:${company}`
    const acts: Record<string, () => Promise<unknown>> = {
      'a section is gone': () => raw.hdel(key, 'roller'),
      'a section is another': async () => {
        const packed = await raw.hgetBuffer(key, 'roller')
        // As an older release softens it: fresh no longer, and said to be stale.
        if (packed !== null) await raw.hset(key, 'roller', Buffer.from(packed).fill(1, 4, 11))
      },
      'the company is erased': () => raw.hset(key, '!x', '1'),
      'all of it was evicted': () => raw.del(key),
    }
    for (const [what, act] of Object.entries(acts)) {
      await raw.del(key)
      await a.cache.purge(company, { hard: true })
      await filled(a)
      expect(await keep(a), what).toBe(true)
      await act()
      expect(await raw.exists(answerKey()), what).toBe(1)
      expect(await shared(b), what).toBeNull()
      b.erased.clear()
      a.erased.clear()
      b.memory.erase(company)
    }
  })

  it('is not kept of copies that Redis does not hold', async () => {
    const keeping = a.cache.sharing(company, SECTIONS, 'us')
    clock.advance(MINUTE)
    await get(b, 'roller', 'refresh')
    await b.cache.settled()
    expect(await keeping?.(ANSWER, MINUTE)).toBe(false)
    expect(await raw.exists(answerKey())).toBe(0)
    // What memory does not hold any more was not seen to be what it is made of.
    await untilTrue(() => a.changes.length > 2)
    expect(a.cache.sharing(company, SECTIONS, 'us')).toBeNull()
  })

  it('is not given to who heard of a change while it was on its way', async () => {
    await keep(a)
    const asking = shared(b)
    // In this process at once, in Redis when its connection comes to it.
    const purging = b.cache.purge(company, { hard: true })
    expect(await asking).toBeNull()
    await purging
  })

  it('is let go by Redis itself after its time', async () => {
    await keep(a, 10 * MINUTE)
    expect(await raw.pttl(answerKey())).toBeLessThanOrEqual(10 * MINUTE)
    expect(await raw.pttl(answerKey())).toBeGreaterThan(0)
    await keep(a, 1)
    await untilTrue(async () => (await raw.exists(answerKey())) === 0)
    expect(await shared(b)).toBeNull()
  })

  it('is asked for where memory knows nothing of the company, and that nothing is anywhere is known for a while', async () => {
    expect(a.cache.mayShare(company)).toBe(false)
    company = String(number++)
    expect(b.cache.mayShare(company)).toBe(true)
    expect(await shared(b)).toBeNull()
    expect(b.cache.mayShare(company)).toBe(false)
    const asked = b.redis?.stats().asked
    expect(await b.cache.whereHeld({ company, section: 'enhet' })).toBeNull()
    expect(b.redis?.stats().asked).toBe(asked)
    // Another process brings it, and says so.
    await filled(a)
    await untilTrue(() => b.cache.mayShare(company))
    expect(await b.cache.whereHeld({ company, section: 'enhet' })).toBe('redis')
  })
})

import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEntry } from '#src/cache/entry.ts'
import { CacheUnavailableError } from '#src/cache/errors.ts'
import type { CacheEvent } from '#src/cache/events.ts'
import { pack, unpack } from '#src/cache/packing.ts'
import type { Begun } from '#src/cache/redis-held.ts'
import { channelOf } from '#src/cache/redis-keys.ts'
import { createRedisTier, type RedisTier } from '#src/cache/redis-tier.ts'
import { sampleAnswers } from '#test/fixtures/samples/index.ts'
import { startRedis, type TestRedis } from '#test/support/redis.ts'
import { lasting, SCHEMA_VERSION, untilTrue } from './one-process.ts'

const T = Date.parse('2026-11-02T08:00:00Z')
let server: TestRedis
let raw: Redis
let number = 910_000_000
let company: string

function open(more: { url?: string; leaseMs?: number; schemaVersion?: number; events?: CacheEvent[] } = {}) {
  const { events, ...rest } = more
  return createRedisTier({
    url: server.url,
    schemaVersion: SCHEMA_VERSION,
    answerMs: 2000,
    changeMs: 3000,
    leaseMs: 60_000,
    generationKeepMs: 60_000,
    failuresMax: 3,
    probeEveryMs: 10,
    onEvent: (event) => void events?.push(event),
    ...rest,
  })
}

const key = (section = 'enhet') => ({ company, section })
const hash = (version = SCHEMA_VERSION) => `bo:${version}:${company}`
const entry = (text: string) =>
  pack(
    createEntry({ state: 'found', body: Buffer.from(text) }, lasting, T, () => 0.5),
    SCHEMA_VERSION,
  )

function tokenOf(begun: Begun): number {
  if (begun.state !== 'begun') throw new Error(`expected a lease, found ${begun.state}`)
  return Number(begun.token)
}

beforeAll(async () => {
  server = await startRedis()
  raw = new Redis(server.url)
})
afterAll(async () => {
  raw.disconnect()
  await server.close()
})

describe('one hash per company', () => {
  let tier: RedisTier
  beforeAll(async () => {
    tier = open()
    await tier.isReady(5000)
    return () => tier.close()
  })

  it('has a field per section, and lives as long as the section that lives longest', async () => {
    company = String(number++)
    await tier.write(key('enhet'), entry('a'), 50_000, await tier.begin(key('enhet')))
    await tier.write(key('regnskap'), entry('b'), 90_000, await tier.begin(key('regnskap')))
    await tier.write(key('roller'), entry('c'), 20_000, await tier.begin(key('roller')))
    expect((await raw.hkeys(hash())).sort()).toEqual(['enhet', 'regnskap', 'roller'])
    const left = await raw.pttl(hash())
    expect(left).toBeGreaterThan(60_000)
    expect(left).toBeLessThanOrEqual(90_000)
  })

  it('is not kept by a lease longer than the lease lasts', async () => {
    company = String(number++)
    await tier.begin(key())
    expect(await raw.pttl(hash())).toBeLessThanOrEqual(60_000)
    await tier.release(key(), await tier.begin(key()))
  })

  it('is gone when a lease is given up and nothing was written', async () => {
    company = String(number++)
    await tier.release(key(), await tier.begin(key()))
    expect(await raw.exists(hash())).toBe(0)
  })

  it('P104: is of another name in another schema version, so that two releases run side by side', async () => {
    company = String(number++)
    const next = open({ schemaVersion: SCHEMA_VERSION + 1 })
    await next.isReady(5000)
    await tier.write(key(), entry('a'), 50_000, await tier.begin(key()))
    expect(await next.read(company)).toBeNull()
    await next.purge(company, 'all')
    expect((await tier.read(company))?.size).toBe(1)
    await next.close()
  })

  it('is read as bytes, whatever they are: who reads decides that they mean nothing', async () => {
    company = String(number++)
    const garbage = Buffer.from([0xff, 0, 1, 2, 0xc3, 0x28])
    await raw.hset(hash(), 'enhet', garbage)
    const held = await tier.read(company)
    expect(held?.get('enhet')).toEqual(garbage)
    expect(unpack(garbage, SCHEMA_VERSION)).toBeNull()
    expect(await tier.soften(company, 'all', T)).toBe(true)
    expect((await tier.read(company))?.get('enhet')).toEqual(garbage)
  })

  it('takes less than 2.0 kB of Redis for a whole record, on average over the samples', async () => {
    let bytes = 0
    let companies = 0
    for (const [orgnr, answers] of sampleAnswers().companies) {
      company = orgnr
      for (const [section, answer] of Object.entries(answers)) {
        if (!('json' in answer)) continue
        const body = Buffer.from(JSON.stringify(answer.json))
        const packed = pack(
          createEntry({ state: 'found', body }, lasting, T, () => 0.5),
          SCHEMA_VERSION,
        )
        await tier.write(key(section), packed, 50_000, await tier.begin(key(section)))
      }
      bytes += Number(await raw.memory('USAGE', hash(), 'SAMPLES', 0))
      companies++
    }
    expect(companies).toBeGreaterThan(20)
    expect(bytes / companies).toBeLessThan(2000)
  })

  const planted: [string, (name: string) => Promise<unknown>][] = [
    ['a text', (name) => raw.set(name, 'text')],
    ['a list', (name) => raw.del(name).then(() => raw.rpush(name, 'a', 'b'))],
    ['ten megabytes', (name) => raw.hset(name, 'enhet', Buffer.alloc(10_000_000))],
    [
      'ten megabytes among others',
      (name) => raw.hset(name, ...fields(20), 'enhet', Buffer.alloc(10_000_000)),
    ],
    ['a name of ten megabytes', (name) => raw.hset(name, Buffer.alloc(10_000_000, 'a'), 'b')],
    ['thousands of fields', (name) => raw.hset(name, ...fields(5000))],
  ]
  const fields = (count: number) => Array.from({ length: count }, (_, index) => [`f${index}`, 'v']).flat()

  it.each(planted)('P175: in whose place stands %s is a miss, and is filled', async (_what, plant) => {
    company = String(number++)
    await plant(hash())
    expect(await tier.readCompany(company)).toMatchObject({ isErased: false, sections: new Map() })
    expect(await raw.exists(hash())).toBe(0)
    await plant(hash())
    expect(await tier.write(key(), entry('a'), 50_000, await tier.begin(key()))).toBe('stored')
    await plant(`bo-answer:${SCHEMA_VERSION}:${company}`)
    expect(await tier.readAnswer(company, 'maker', 'plain')).toMatchObject({ isErased: false })
    expect(await raw.exists(`bo-answer:${SCHEMA_VERSION}:${company}`)).toBe(0)
    expect(tier.isUsable()).toBe(true)
  })

  it.each(planted)('P175: in whose place stands %s can be changed and erased', async (_what, plant) => {
    company = String(number++)
    await plant(hash())
    expect(await tier.soften(company, 'all', T)).toBe(false)
    await plant(hash())
    expect(await tier.purge(company, 'all')).toBe(false)
    await plant(hash())
    await raw.del('bo-versions')
    await plant('bo-versions')
    await tier.erase(company)
    expect((await tier.readCompany(company))?.isErased).toBe(true)
  })

  it('P175: a note is read as far as one may be long', async () => {
    await raw.set('bo-note:long', Buffer.alloc(10_000_000, 'a'))
    expect((await tier.readNote('long'))?.length).toBeLessThan(2000)
    expect(await tier.readNote('none')).toBeNull()
    await raw.del('bo-note:long')
  })
})

it('P162: what came from Redis is gone with the next short collection of garbage', async () => {
  setFlagsFromString('--expose-gc')
  const collect: (how: { type: 'minor' }) => void = runInNewContext('gc')
  const tier = open()
  await tier.isReady(5000)
  company = String(number++)
  await raw.hset(hash(), 'enhet', Buffer.alloc(BYTES, 1))
  const garbage: unknown[] = []
  const held = () => process.memoryUsage().arrayBuffers
  const read = async (times: number) => {
    for (let each = 0; each < times; each++) {
      expect((await tier.readCompany(company))?.sections.get('enhet')?.length).toBe(BYTES)
      // As a service makes it beside: what is collected often is known to be collected.
      garbage.push(...Array.from({ length: 64 }, () => new Array(1000).fill(each)))
      garbage.length = 0
    }
  }
  await read(TIMES)
  const before = held()
  await read(TIMES)
  // Which are finished beside what the process does.
  await untilTrue(() => {
    collect({ type: 'minor' })
    return held() - before < (BYTES * TIMES) / 4
  })
  await tier.close()
})

/** Less than what brings about a whole collection. */
const BYTES = 100_000
const TIMES = 300

describe('P143: what is asked of Redis at one time', () => {
  let tier: RedisTier
  beforeAll(async () => {
    tier = open()
    await tier.isReady(5000)
    return () => tier.close()
  })
  const sections = Array.from({ length: 12 }, (_, index) => `kilde-${String.fromCharCode(97 + index)}`)

  /** Scripts that Redis has run since. */
  async function scriptsRun(): Promise<number> {
    const told = await raw.info('commandstats')
    return [...told.matchAll(/cmdstat_eval(?:sha)?:calls=([0-9]+)/g)].reduce(
      (sum, [, calls]) => sum + Number(calls),
      0,
    )
  }

  it('is one command for the leases of a company, one for what is written of it, and one for many readers', async () => {
    company = String(number++)
    const before = await scriptsRun()
    const begun = await Promise.all(sections.map((section) => tier.begin(key(section))))
    expect(new Set(begun.map(tokenOf)).size).toBe(sections.length)
    expect(await scriptsRun()).toBe(before + 1)
    const written = await Promise.all(
      sections.map((section, index) =>
        tier.write(key(section), entry(section), 50_000, begun[index] as Begun),
      ),
    )
    expect(written).toEqual(sections.map(() => 'stored'))
    expect(await scriptsRun()).toBe(before + 2)
    const [whole, none, again] = await Promise.all([
      tier.read(company),
      tier.read('999'),
      tier.readCompany(company),
    ])
    expect(
      [...(whole ?? [])].map(([section, packed]) => [section, String(unpack(packed, SCHEMA_VERSION)?.body)]),
    ).toEqual(sections.map((section) => [section, section]))
    expect(none).toBeNull()
    expect(again?.sections).toEqual(whole)
    expect(await scriptsRun()).toBe(before + 3)
  })

  it('is told of once, and what is refused of it costs nothing else', async () => {
    company = String(number++)
    const ear = raw.duplicate()
    const heard: string[] = []
    ear.on('message', (_channel, line) => heard.push(line))
    await ear.subscribe(channelOf(SCHEMA_VERSION))
    const [first, second, third] = await Promise.all(
      ['a', 'b', 'c'].map((section) => tier.begin(key(section))),
    )
    await tier.release(key('b'), second as Begun)
    const written = await Promise.all([
      tier.write(key('a'), entry('a'), 50_000, first as Begun),
      tier.write(key('b'), entry('b'), 50_000, second as Begun),
      tier.write(key('c'), entry('c'), 50_000, third as Begun),
    ])
    expect(written).toEqual(['stored', 'lease', 'stored'])
    expect([...((await tier.read(company))?.keys() ?? [])].sort()).toEqual(['a', 'c'])
    await raw.publish(channelOf(SCHEMA_VERSION), 'end')
    await untilTrue(() => heard.includes('end'))
    expect(heard.filter((line) => line.includes(company))).toEqual([`${tier.origin} store ${company} a,b,c`])
    ear.disconnect()
  })

  it('finds what was written before it, though that waits for more to go with it', async () => {
    company = String(number++)
    const writing = tier.write(key(), entry('a'), 50_000, await tier.begin(key()))
    expect((await tier.read(company))?.size).toBe(1)
    const later = tier.write(key(), entry('b'), 50_000, await tier.begin(key()))
    // Its lease has ended with it: nobody waits for the next.
    expect((await tier.begin(key())).state).toBe('begun')
    expect(await Promise.all([writing, later])).toEqual(['stored', 'stored'])
  })

  it('fails together, and in time, when Redis is not there', async () => {
    const away = open({ url: 'redis://127.0.0.1:1' })
    expect(await Promise.all(sections.map((section) => away.begin(key(section))))).toEqual(
      sections.map(() => ({ state: 'unreachable' })),
    )
    expect(await Promise.all([away.read('1'), away.readAnswer('2', 'us', 'gzip')])).toEqual([null, null])
    await away.close()
  })
})

describe('a lease', () => {
  it('P7: is held by one at a time, and the next token is higher', async () => {
    company = String(number++)
    const [one, other] = [open(), open()]
    await Promise.all([one.isReady(5000), other.isReady(5000)])
    const first = await one.begin(key())
    expect((await other.begin(key())).state).toBe('busy')
    expect((await other.begin(key('roller'))).state).toBe('begun')
    await one.release(key(), first)
    const second = await other.begin(key())
    expect(tokenOf(second)).toBeGreaterThan(tokenOf(first))
    await Promise.all([one.close(), other.close()])
  })

  it('P7: comes with the answer that nothing is held, to the first who asks, and is given back where no fill takes it', async () => {
    company = String(number++)
    const [one, other] = [open(), open()]
    await Promise.all([one.isReady(5000), other.isReady(5000)])
    const wanted = ['enhet', 'roller']
    expect(await one.readAnswer(company, 'us', 'gzip', wanted)).toMatchObject({ sections: new Map() })
    expect(await other.readAnswer(company, 'us', 'gzip', wanted)).toMatchObject({ token: null })
    expect((await other.begin(key())).state).toBe('busy')
    expect((await other.begin(key('regnskap'))).state).toBe('begun')
    const begun = await one.begin(key())
    expect((await one.begin(key())).state).toBe('busy')
    expect(await one.write(key(), entry('a'), 50_000, begun)).toBe('stored')
    await untilTrue(async () => (await other.begin(key('roller'))).state === 'begun')
    await Promise.all([one.close(), other.close()])
  })

  it('P11: that came so is of no use where the company was changed since', async () => {
    company = String(number++)
    const [one, other] = [open(), open()]
    await Promise.all([one.isReady(5000), other.isReady(5000)])
    await one.readAnswer(company, 'us', 'gzip', ['enhet'])
    await other.purge(company, 'all')
    expect(await one.write(key(), entry('old'), 50_000, await one.begin(key()))).toBe('generation')
    await Promise.all([one.close(), other.close()])
  })

  it('P15: is done without in a Redis that is full, which still tells what it holds', async () => {
    company = String(number++)
    const one = open()
    await one.isReady(5000)
    await raw.config('SET', 'maxmemory', '1')
    const found = await one.readAnswer(company, 'us', 'gzip', ['enhet'])
    await raw.config('SET', 'maxmemory', '0')
    expect(found).toMatchObject({ sections: new Map(), token: null })
    expect((await one.begin(key())).state).toBe('begun')
    await one.close()
  })

  it('P7: that has ended goes to another, and its holder writes nothing any more', async () => {
    company = String(number++)
    const dying = open({ leaseMs: 1 })
    const other = open()
    await Promise.all([dying.isReady(5000), other.isReady(5000)])
    const first = await dying.begin(key())
    let second = await other.begin(key())
    await untilTrue(async () => {
      if (second.state === 'busy') second = await other.begin(key())
      return second.state === 'begun'
    })
    expect(tokenOf(second)).toBeGreaterThan(tokenOf(first))
    expect(await dying.renew(key(), first)).toBe(false)
    expect(await dying.write(key(), entry('late'), 1000, first)).toBe('lease')
    await dying.release(key(), first)
    expect(await other.write(key(), entry('good'), 1000, second)).toBe('stored')
    expect((await other.read(company))?.get('enhet')).toEqual(entry('good'))
    await Promise.all([dying.close(), other.close()])
  })

  it('lasts longer when it is renewed', async () => {
    company = String(number++)
    const [short, long] = [open({ leaseMs: 5000 }), open({ leaseMs: 60_000 })]
    await Promise.all([short.isReady(5000), long.isReady(5000)])
    const begun = await short.begin(key())
    expect(await long.renew(key(), begun)).toBe(true)
    expect(await raw.pttl(hash())).toBeGreaterThan(30_000)
    expect((await short.begin(key())).state).toBe('busy')
    await Promise.all([short.close(), long.close()])
  })

  it('P11: tokens and generations rise also when Redis has forgotten the company in between', async () => {
    company = String(number++)
    const tier = open()
    await tier.isReady(5000)
    const first = await tier.begin(key())
    await raw.del(hash())
    const second = await tier.begin(key())
    expect(tokenOf(second)).toBeGreaterThan(tokenOf(first))
    expect(await tier.write(key(), entry('late'), 1000, first)).toBe('lease')
    await tier.write(key(), entry('a'), 1000, second)
    await tier.purge(company, 'all')
    const before = (await tier.readCompany(company))?.generation ?? 0
    await raw.del(hash())
    await tier.write(key(), entry('a'), 1000, await tier.begin(key()))
    await tier.purge(company, 'all')
    expect((await tier.readCompany(company))?.generation).toBeGreaterThan(before)
    await tier.close()
  })
})

describe('a claim', () => {
  it('is given to one of those who ask, until its time is over, and to nobody when Redis is away', async () => {
    const own = await startRedis()
    const [one, other] = [open({ url: own.url }), open({ url: own.url })]
    await Promise.all([one.isReady(5000), other.isReady(5000)])
    const claims = await Promise.all([one, other, one].map((tier) => tier.claim('fersk-901012121', 60_000)))
    expect(claims.filter((isTaken) => isTaken)).toHaveLength(1)
    expect(claims).not.toContain(null)
    expect(await one.claim('fersk-901023239', 1)).toBe(true)
    await untilTrue(async () => (await other.claim('fersk-901023239', 60_000)) === true)
    // No sweep over companies takes it away.
    await one.sweep('', 'all', 'purge', T)
    expect(await one.claim('fersk-901012121', 60_000)).toBe(false)
    await own.stop()
    await untilTrue(() => !one.isUsable())
    expect(await one.claim('fersk-901012121', 60_000)).toBeNull()
    await Promise.all([one.close(), other.close()])
    await own.close()
  })
})

describe('a refused write', () => {
  it('P11: says what happened to the company since the fill began', async () => {
    const tier = open()
    await tier.isReady(5000)
    for (const [change, why] of [
      [() => tier.soften(company, ['roller'], T), 'generation'],
      [() => tier.purge(company, 'all'), 'generation'],
      [() => tier.erase(company), 'erased'],
    ] as const) {
      company = String(number++)
      const begun = await tier.begin(key())
      await change()
      expect(await tier.write(key(), entry('late'), 1000, begun)).toBe(why)
    }
    await tier.close()
  })
})

describe('an erasure', () => {
  it('P11: leaves a tombstone that does not expire, and nothing else', async () => {
    company = String(number++)
    const tier = open()
    await tier.isReady(5000)
    await tier.write(key(), entry('Kari Nordmann'), 50_000, await tier.begin(key()))
    await tier.begin(key('roller'))
    await tier.erase(company)
    expect((await raw.hkeys(hash())).sort()).toEqual(['!g', '!x'])
    expect(await raw.pttl(hash())).toBe(-1)
    expect(await tier.readCompany(company)).toMatchObject({ isErased: true, sections: new Map() })
    expect(await tier.begin(key())).toEqual({ state: 'erased' })
    await tier.sweep('', 'all', 'purge', T)
    expect(await raw.pttl(hash())).toBe(-1)
    await tier.close()
  })

  it('P11: reaches every release that keeps anything, and leaves each its tombstone', async () => {
    company = String(number++)
    const versions = [SCHEMA_VERSION, 2_150_000_001, 4_000_000_000]
    const tiers = versions.map((schemaVersion) => open({ schemaVersion }))
    for (const tier of tiers) {
      await tier.isReady(5000)
      expect(await tier.write(key(), entry('a'), 50_000, await tier.begin(key()))).toBe('stored')
    }
    await tiers[1]?.erase(company)
    for (const version of versions) expect(await raw.hkeys(hash(version))).toEqual(['!x', '!g'])
    for (const tier of tiers) await tier.close()
  })

  it('P11: reaches a release whose copies were given back to a Redis that had lost them', async () => {
    company = String(number++)
    const [here, there] = [open(), open({ schemaVersion: 2_150_000_002 })]
    await Promise.all([here.isReady(5000), there.isReady(5000)])
    expect(await there.restore(key(), entry('a'), 50_000, 0)).toBe('stored')
    await here.erase(company)
    expect(await raw.hkeys(hash(2_150_000_002))).toEqual(['!x', '!g'])
    await Promise.all([here.close(), there.close()])
  })

  it('P11: reaches the releases that counted their versions and list them nowhere', async () => {
    company = String(number++)
    const tier = open({ schemaVersion: 4_000_000_000 })
    await tier.isReady(5000)
    for (let version = 1; version <= 6; version++) await raw.hset(hash(version), 'enhet', 'x')
    await tier.erase(company)
    for (let version = 1; version <= 6; version++) expect(await raw.hexists(hash(version), 'enhet')).toBe(0)
    expect(await raw.hexists(hash(6), '!x')).toBe(1)
    await tier.close()
  })

  it('forgets a version that nothing has been kept under for longer than a copy lives', async () => {
    company = String(number++)
    const tier = open()
    await tier.isReady(5000)
    await raw.zadd('bo-versions', (Date.now() - 501 * 86_400_000) * 1000, '2999999999')
    await tier.erase(company)
    expect(await raw.zscore('bo-versions', '2999999999')).toBeNull()
    expect(await raw.zscore('bo-versions', String(SCHEMA_VERSION))).not.toBeNull()
    await tier.close()
  })

  it('P11: is carried out by a Redis that is full, and so are purges and invalidations', async () => {
    company = String(number++)
    const full = await startRedis({ policy: 'noeviction' })
    const fill = new Redis(full.url)
    const events: CacheEvent[] = []
    const tier = open({ url: full.url, events })
    await tier.isReady(5000)
    const purged = { company: '911111111', section: 'enhet' }
    const softened = { company: '911111112', section: 'enhet' }
    for (const each of [key(), purged, softened]) {
      await tier.write(each, entry('a'), 50_000, await tier.begin(each))
    }
    await fill.config('SET', 'maxmemory', 1000)
    await expect(fill.set('one', 'more')).rejects.toThrow('OOM')
    expect(await tier.begin(key('roller'))).toEqual({ state: 'unreachable' })
    expect(events.at(-1)).toMatchObject({ kind: 'redis-failure', operation: 'begin', why: 'full' })
    expect(tier.isUsable()).toBe(true)
    await tier.erase(company)
    expect((await tier.readCompany(company))?.isErased).toBe(true)
    expect(await tier.purge(purged.company, 'all')).toBe(true)
    expect(await tier.soften(softened.company, 'all', T + 1)).toBe(true)
    const soft = (await tier.read(softened.company))?.get('enhet')
    expect(soft && unpack(soft, SCHEMA_VERSION)?.freshUntil).toBe(T + 1)
    fill.disconnect()
    await tier.close()
    await full.close()
  })

  it('P11: says so when Redis could not be reached, and succeeds when done again', async () => {
    company = String(number++)
    const own = await startRedis()
    const tier = open({ url: own.url })
    await tier.isReady(5000)
    await own.stop()
    for (const change of [
      () => tier.erase(company),
      () => tier.purge(company, 'all'),
      () => tier.soften(company, 'all', T),
      () => tier.sweep('', 'all', 'purge', T),
    ]) {
      await expect(change()).rejects.toBeInstanceOf(CacheUnavailableError)
    }
    await own.start()
    await untilTrue(() =>
      tier.erase(company).then(
        () => true,
        () => false,
      ),
    )
    expect(await tier.isReady(5000)).toBe(true)
    expect((await tier.readCompany(company))?.isErased).toBe(true)
    await tier.close()
    await own.close()
  })

  it('P40: an error says what failed and repeats nothing of what was sent', async () => {
    company = String(number++)
    const events: CacheEvent[] = []
    const tier = open({ events })
    await tier.isReady(5000)
    await raw.call('ACL', 'SETUSER', 'default', '-publish')
    const error = await tier.purge(company, 'all').catch((error: unknown) => error)
    await raw.call('ACL', 'SETUSER', 'default', '+publish')
    expect(error).toBeInstanceOf(CacheUnavailableError)
    expect(error).toMatchObject({ code: 'mellomlager_utilgjengelig', operation: 'purge', why: 'refused' })
    expect(JSON.stringify([error, events]) + String(error) + String((error as Error).cause)).not.toContain(
      company,
    )
    await tier.close()
  })
})

describe('closing', () => {
  it('ends every connection, also while Redis is away', async () => {
    const own = await startRedis()
    const watcher = new Redis(own.url)
    const tier = open({ url: own.url })
    await tier.isReady(5000)
    const named = async () => String(await watcher.client('LIST')).match(/name=bo-cache/g)?.length ?? 0
    await untilTrue(async () => (await named()) === 2)
    await tier.close()
    await untilTrue(async () => (await named()) === 0)
    const other = open({ url: own.url })
    await other.isReady(5000)
    watcher.disconnect()
    await own.stop()
    await untilTrue(() => !other.isUsable())
    await other.close()
    await own.close()
    expect(other.isUsable()).toBe(false)
  })
})

describe('P175: attack: somebody stands where Redis stood, and answers what is asked', () => {
  it.each([
    ['with a number', ':5\r\n'],
    ['with a word', '$5\r\nbegun\r\n'],
    ['with a list of nothing', '*1\r\n_\r\n'],
    ['with sections that are no bytes', '*1\r\n*2\r\n$5\r\nenhet\r\n:5\r\n'],
    ['with a lease on what is no bytes', '*1\r\n*4\r\n$5\r\nbegun\r\n:1\r\n:1\r\n*0\r\n'],
  ])('%s: it is a Redis that can not be asked', async (_, answer) => {
    const stranger = createServer((client) => {
      client.on('error', () => {})
      client.on('data', (asked) => {
        for (const line of asked.toString('latin1').split('\r\n'))
          if (/^(hello|client|info|ping|set|evalsha|eval)$/i.test(line))
            client.write(/^eval/i.test(line) ? answer : '$17\r\nredis_version:7.0\r\n')
      })
    }).listen(0, '127.0.0.1')
    await once(stranger, 'listening')
    const { port } = stranger.address() as AddressInfo
    const events: CacheEvent[] = []
    const tier = open({ url: `redis://127.0.0.1:${port}`, events })
    expect(await tier.isReady(60_000)).toBe(true)
    const held = await tier.readCompany('901012121')
    expect(held === null || held.sections.size === 0).toBe(true)
    const begun = await tier.begin({ company: '901012121', section: 'enhet' })
    expect(begun.state === 'unreachable' || begun.state === 'erased').toBe(true)
    await tier.write({ company: '901012121', section: 'enhet' }, Buffer.alloc(9), 1000, {
      state: 'begun',
      generation: '0',
      token: '1',
      packed: null,
    })
    expect(events.some(({ kind }) => kind === 'redis-failure')).toBe(true)
    await tier.close()
    stranger.close()
  })
})

describe('answers that come out of step', () => {
  /** Says the last answer before it was told to again, in front of the next. */
  async function startEcho() {
    let said: Buffer | null = null
    let isOn = false
    const sockets = new Set<{ destroy(): void }>()
    const listening = createServer((client) => {
      const redis = connect(server.port, server.host)
      for (const socket of [client, redis]) {
        sockets.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => {
          client.destroy()
          redis.destroy()
        })
      }
      client.pipe(redis)
      redis.on('data', (answer) => {
        client.write(said === null ? answer : Buffer.concat([said, answer]))
        said = said === null && isOn ? answer : null
      })
    })
    await once(listening.listen(0, '127.0.0.1'), 'listening')
    return {
      url: `redis://127.0.0.1:${(listening.address() as AddressInfo).port}`,
      on() {
        isOn = true
      },
      close: () => {
        for (const socket of sockets) socket.destroy()
        return new Promise((resolve) => listening.close(resolve))
      },
    }
  }

  it.each(['reads', 'begins to fill'] as const)(
    'P9: attack: one that is said twice is taken for no other company’s, by who %s',
    async (how) => {
      const [one, other] = [String(number++), String(number++)]
      const beside = open()
      await beside.isReady(5000)
      for (const each of [one, other]) {
        const of = { company: each, section: 'enhet' }
        await beside.write(of, entry(each), 50_000, await beside.begin(of))
      }
      const echo = await startEcho()
      const tier = open({ url: echo.url })
      const told = async (of: string): Promise<string | null> => {
        const begun = how === 'reads' ? null : await tier.begin({ company: of, section: 'enhet' })
        const packed =
          begun === null ? (await tier.read(of))?.get('enhet') : 'packed' in begun && begun.packed
        return packed ? String(unpack(packed, SCHEMA_VERSION)?.body) : null
      }
      try {
        await untilTrue(async () => (await told(one)) === one)
        echo.on()
        await told(one)
        // None, or its own: of a connection that is out of step nothing is taken, and the next is in step.
        const all = new Set<string | null>()
        await untilTrue(async () => all.add(await told(other)).has(other))
        expect(all).not.toContain(one)
      } finally {
        await Promise.all([tier.close(), beside.close()])
        await echo.close()
      }
    },
  )
})

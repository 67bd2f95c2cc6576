import { gunzipSync, gzipSync } from 'node:zlib'
import { Redis } from 'ioredis'
import { request } from 'undici'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import type { SharedForm } from '#src/cache/redis-held.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { fromShared, toShared } from '#src/record/assembled.ts'
import { createTestClock, HOUR_MS, type TestClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { answersWithCopies, inventNumbers } from '../support/invented-companies.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'

const all = inventNumbers(600)

let register: RegisterStandIn
let redis: TestRedis
let raw: Redis
let clock: TestClock
/** So little memory that it holds a handful of companies. */
let service: TestService
let orgnr: Organisasjonsnummer

const before = { ...policy.cache }

beforeAll(async () => {
  // Redis has all the time it needs: what time does to it is tested where it fails.
  Object.assign(policy.cache, {
    sectionBytesMax: 32 * 1024,
    answerBytesMax: 128 * 1024,
    redisAnswerMs: 5000,
  })
  register = await startRegisterStandIn({ answers: answersWithCopies(all) })
  redis = await startRedis()
  raw = new Redis(redis.url)
  clock = createTestClock()
  clock.advance(-HOUR_MS)
  service = await startTestService(register, {
    clock,
    isLoaded: true,
    workers: false,
    variables: { CACHE_REDIS_URL: redis.url },
  })
  await eventually('Redis is used', () => {
    const { redis: tier, isListening } = service.tiers.cache.stats()
    return tier?.isUsable === true && isListening === true
  })
})
beforeEach(async () => {
  clock.advance(2000)
  orgnr = all.shift() ?? orgnr
  await readTwice()
})
afterAll(async () => {
  Object.assign(policy.cache, before)
  await service.close()
  raw.disconnect()
  await redis.close()
  await register.close()
})

const path = () => `/api/bedrift/${orgnr}`
const asItIs = () => service.get(path(), { 'accept-encoding': 'identity' })
const answerKey = async () => (await raw.keys(`bo-answer:*:${orgnr}`))[0] ?? null

/** Nothing of the company is left in memory. */
async function forgotten(): Promise<void> {
  await service.tiers.cache.settled()
  // As many as it takes: how much of them fits is the tier's business.
  while (!service.tiers.cache.mayShare(orgnr) && all.length > 0) {
    await Promise.all(all.splice(0, 4).map((other) => service.get(`/api/bedrift/${other}`)))
    await service.tiers.cache.settled()
  }
  service.tiers.answers.drop({ prefix: '' })
}

async function readTwice(): Promise<void> {
  await service.get(path())
  await forgotten()
  expect((await service.get(path())).headers.get('cache-status')).toContain('detail=redis')
  await eventually('the whole answer lies in Redis', async () => (await answerKey()) !== null)
  await forgotten()
}

/** The answer that lies there in gzip: what is said of it, as it is read. */
async function lying() {
  const whole = (await raw.hgetBuffer((await answerKey()) ?? '', 'gzip')) ?? Buffer.alloc(0)
  const end = whole.indexOf('\n')
  const told = { about: whole.toString('latin1', 0, end), bytes: whole.subarray(end + 1) }
  const known = fromShared(told, orgnr, 0)
  if (known === null) throw new Error('nothing lies there')
  return { known, about: told.about }
}

/** What lies there in that form is another text, so that it is seen when it is sent. */
async function marked(form: SharedForm): Promise<void> {
  const bytes = Buffer.from('{"merket":true}')
  const sent = form === 'gzip' ? gzipSync(bytes) : bytes
  const { about } = toShared((await lying()).known, form, sent, bytes.length)
  await raw.hset((await answerKey()) ?? '', form, Buffer.concat([Buffer.from(`${about}\n`), sent]))
}

describe('P129: a company that is read again and again, and that memory has no room for', () => {
  it('is answered from Redis whole, with the very same words', async () => {
    const first = await service.get(path())
    expect(first.headers.get('cache-status')).toContain('detail=redis')
    await forgotten()
    await raw.del((await answerKey()) ?? '')
    const made = await service.get(path())
    expect(first.text).toBe(made.text)
    expect(first.headers.get('etag')).toBe(made.headers.get('etag'))
    expect(first.body.komplett).toBe(true)
    const names = (answer: { headers: Headers }) => [...answer.headers.keys()].sort()
    expect(names(first)).toEqual(names(made))
  })

  it('is sent as it lies there to who takes it so, unpacked to others, and not at all to who has it', async () => {
    const ask = (headers: Record<string, string>) =>
      request(service.address + path(), {
        headers: { authorization: `Bearer ${service.token}`, ...headers },
      })
    const plain = await ask({})
    const text = await plain.body.text()
    await forgotten()
    const packed = await ask({ 'accept-encoding': 'br, gzip' })
    expect(packed.headers['content-encoding']).toBe('gzip')
    expect(packed.headers['cache-status']).toContain('detail=redis')
    expect(gunzipSync(await packed.body.bytes()).toString()).toBe(text)
    await forgotten()
    const known = await ask({ 'if-none-match': String(plain.headers.etag) })
    expect(known.statusCode).toBe(304)
    await known.body.dump()
    await forgotten()
    const other = await ask({ 'accept-encoding': 'gzip;q=0' })
    expect(other.headers['content-encoding']).toBeUndefined()
    expect(await other.body.text()).toBe(text)
  })

  it('is read anew when one of its sections was said to be stale', async () => {
    await service.tiers.cache.invalidate(orgnr, ['roller'])
    expect(await answerKey()).toBeNull()
    expect((await service.get(path())).body.kilder.roller.tilstand).toBe('utdatert')
  })

  it('is not given to who knows of an erased company that its maker may not have known of', async () => {
    await marked('gzip')
    expect((await service.get(path())).body).toEqual({ merket: true })
    await forgotten()
    service.tiers.tombstones.remove(all.shift() ?? '', null)
    expect((await service.get(path())).body.komplett).toBe(true)
  })

  it('P11: is gone with the company', async () => {
    service.tiers.tombstones.remove(orgnr, null)
    expect((await service.get(path())).status).toBe(410)
    await service.tiers.cache.erase(orgnr)
    expect(await answerKey()).toBeNull()
  })

  it('lies there unpacked, too, once somebody asked for it so, and is sent as it lies there', async () => {
    const first = await asItIs()
    await eventually('it lies there as it is', async () => {
      return (await raw.hexists((await answerKey()) ?? '', 'plain')) === 1
    })
    await forgotten()
    const again = await asItIs()
    expect(again.text).toBe(first.text)
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
    await marked('plain')
    await forgotten()
    expect((await asItIs()).body).toEqual({ merket: true })
    await forgotten()
    expect((await service.get(path())).text).toBe(first.text)
  })

  it('is put there once by who has its sections in memory, and had from there, until one of them is another', async () => {
    // As it is made here: its sections are in memory after this, and nothing whole is.
    const key = (await answerKey()) ?? ''
    await raw.del(key)
    await service.get(path())
    await eventually('it lies there', async () => (await raw.exists(key)) === 1)
    await marked('gzip')
    const again = () => {
      service.tiers.answers.drop({ prefix: '' })
      return service.get(path())
    }
    await eventually('it is had from there', async () => (await again()).body.merket === true)
    expect(service.tiers.cache.mayShare(orgnr)).toBe(false)
    expect((await again()).headers.get('cache-status')).toContain('detail=redis')
    expect((await again()).body).toEqual({ merket: true })
    await service.tiers.cache.purge(orgnr, { hard: true, sections: ['roller'] })
    clock.advance(2000)
    expect((await again()).body.komplett).toBe(true)
    await eventually('it lies there anew', async () => (await raw.exists(key)) === 1)
    expect((await lying()).known.bytes.toString()).not.toBe('{"merket":true}')
  })

  it('is not had from a Redis that holds older copies than memory does', async () => {
    const key = (await answerKey()) ?? ''
    const sections = `bo${key.slice('bo-answer'.length)}`
    const again = () => {
      service.tiers.answers.drop({ prefix: '' })
      return service.get(path())
    }
    const untilItIsHadFromThere = () =>
      eventually('it is had from there', async () =>
        String((await again()).headers.get('cache-status')).includes('detail=redis'),
      )
    await raw.del(key)
    await untilItIsHadFromThere()
    await marked('gzip')
    const older = [await raw.dumpBuffer(sections), await raw.dumpBuffer(key)] as const
    const goBack = async () => {
      for (const [name, value] of [[sections, older[0]] as const, [key, older[1]] as const])
        await raw.restore(name, 0, value ?? '', 'REPLACE')
    }
    await service.tiers.cache.invalidate(orgnr, ['roller'])
    await goBack()
    expect((await again()).body.kilder.roller.tilstand).toBe('utdatert')
    await service.tiers.cache.purge(orgnr, { hard: true, sections: ['roller'] })
    clock.advance(2000)
    await untilItIsHadFromThere()
    await goBack()
    expect((await again()).body.komplett).toBe(true)
  })

  it('is made of its sections when what lies there can not be read', async () => {
    const key = (await answerKey()) ?? ''
    const { text } = await service.get(path())
    const { known, about } = await lying()
    const notGzip = Buffer.alloc(40, 'not gzip')
    notGzip.writeUInt32LE(known.bytes.length, 36)
    const said = toShared(known, 'gzip', notGzip, known.bytes.length).about
    for (const value of [
      `${about}\nnot gzip`,
      `${about.replace('gzip', 'plain')}\nneither`,
      Buffer.concat([Buffer.from(`${said}\n`), notGzip]),
      'of another release',
      '',
    ]) {
      await forgotten()
      await raw.hset(key, 'gzip', value, 'plain', value)
      const answer = await asItIs()
      expect(answer.status).toBe(200)
      expect(answer.text).toBe(text)
    }
  })
})

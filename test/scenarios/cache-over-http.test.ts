import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { request } from 'undici'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SAMPLE, sampleAnswers, UNKNOWN_NUMBER } from '../fixtures/samples/index.ts'
import { createTestClock, HOUR_MS, type TestClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { answersWithCopies, copyOf, inventNumbers } from '../support/invented-companies.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'

const sample = sampleAnswers().companies.get(SAMPLE.healthy) ?? {}
const numbers = inventNumbers(60)
const nextNumber = () => numbers.shift() ?? ''

let register: RegisterStandIn
let redis: TestRedis
let clock: TestClock
let folder: string
let logFile: string
/** Two processes' worth of service: only Redis is shared. */
let a: TestService
let b: TestService
let orgnr: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oppslag-log-'))
  logFile = join(folder, 'a.log')
  register = await startRegisterStandIn({ answers: answersWithCopies(numbers) })
  redis = await startRedis()
  clock = createTestClock()
  // Behind PostgreSQL's however far the tests move it: a process that is known to be ahead writes nothing for others (P56).
  clock.advance(-HOUR_MS)
  const start = (more: Record<string, string>) =>
    startTestService(register, {
      clock,
      isLoaded: true,
      workers: false,
      variables: { CACHE_REDIS_URL: redis.url, ...more },
    })
  ;[a, b] = await Promise.all([start({ LOG_FILE: logFile, LOG_LEVEL: 'info' }), start({})])
  for (const { tiers } of [a, b])
    await eventually('Redis is used', () => {
      const { redis: tier, isListening } = tiers.cache.stats()
      return tier?.isUsable === true && isListening === true
    })
})
beforeEach(() => {
  // Past the moment the bus began to listen, and into another second of the budget for forced refreshes.
  clock.advance(2000)
  orgnr = nextNumber()
  register.calls.reset()
})
afterEach(() => register.clearFaults())
afterAll(async () => {
  await Promise.all([a.close(), b.close()])
  await redis.close()
  await register.close()
  await rm(folder, { recursive: true })
})

const path = (of: string = orgnr) => `/api/bedrift/${of}`
const status = (answer: { headers: Headers }) => answer.headers.get('cache-status')
/** Held whole, by both tiers. */
async function held(of: string = orgnr) {
  const answer = await a.get(path(of))
  await a.tiers.cache.settled()
  return answer
}

/** As it goes over the wire: nothing is unpacked. */
async function raw(
  method: 'GET' | 'HEAD',
  headers: Record<string, string> = {},
  { of = orgnr, scheme = 'Bearer' }: { of?: string; scheme?: string } = {},
) {
  const answer = await request(a.address + path(of), {
    method,
    headers: { authorization: `${scheme} ${a.token}`, ...headers },
  })
  const bytes = Buffer.from(await answer.body.arrayBuffer())
  return { status: answer.statusCode, headers: answer.headers, bytes }
}

describe('Cache-Status (RFC 9211) and Age', () => {
  it('a miss that is stored, and hits that grow older', async () => {
    const miss = await a.get(path())
    expect(status(miss)).toMatch(/^bedriftsoppslag; fwd=miss; stored; ttl=\d+$/)
    expect(miss.headers.get('age')).toBe('0')
    const ttl = Number(/ttl=(\d+)/.exec(status(miss) ?? '')?.[1])
    clock.advance(10_000)
    const hit = await a.get(path())
    expect(status(hit)).toBe(`bedriftsoppslag; hit; ttl=${ttl - 10}`)
    expect(hit.headers.get('age')).toBe('10')
    expect(hit.text).toBe(miss.text)
    expect(hit.headers.get('cache-control')).toBe('private, no-cache')
    expect(hit.headers.get('vary')).toBe('Accept-Encoding, Accept-Language')
  })

  it('who waits for another’s question is told so', async () => {
    const opened = Promise.withResolvers<void>()
    register.setFault('roller', { kind: 'hold', until: opened.promise })
    const first = a.get(path())
    await eventually('the source is asked', () => register.calls.inFlight('roller') === 1)
    const second = a.get(path())
    await a.getBare('/health/live')
    opened.resolve()
    expect(status(await first)).toMatch(/^bedriftsoppslag; fwd=miss; stored; ttl=\d+$/)
    expect(status(await second)).toMatch(/^bedriftsoppslag; fwd=miss; stored; collapsed; ttl=\d+$/)
  })

  it('what another process has fetched is a hit from Redis, and then from memory', async () => {
    const here = await held()
    register.calls.reset()
    const there = await b.get(path())
    expect(status(there)).toMatch(/^bedriftsoppslag; hit; ttl=\d+; detail=redis$/)
    // People's ids are each installation's own, and these two have a database each.
    const withoutIds = (text: string) => text.replaceAll(/"ri_[\w-]{22}"/g, '"ri"')
    expect(withoutIds(there.text)).toBe(withoutIds(here.text))
    expect(status(await b.get(path()))).toMatch(/^bedriftsoppslag; hit; ttl=\d+$/)
    expect(register.calls.count()).toBe(0)
  })

  it('an answer in part is not stored', async () => {
    register.setFault('signatur', { kind: 'status', code: 500 })
    expect(status(await a.get(path()))).toMatch(/^bedriftsoppslag; fwd=miss; ttl=\d+$/)
    register.clearFaults()
    const whole = await a.get(path())
    expect([status(whole)?.includes('fwd=miss; stored'), whole.body.komplett]).toEqual([true, true])
  })

  it('a stale copy has a negative ttl, and its refresh makes it fresh', async () => {
    await held()
    clock.advance(60_000)
    await a.tiers.cache.invalidate(orgnr, ['roller'])
    clock.advance(3000)
    const stale = await a.get(path())
    // Three seconds, or a millisecond more: it was said to be stale at the last odd millisecond.
    expect(status(stale)).toMatch(/^bedriftsoppslag; hit; ttl=-[34]$/)
    expect(stale.headers.get('age')).toBe('63')
    expect(stale.body.kilder.roller).toMatchObject({ tilstand: 'utdatert', arsak: { kode: 'fornyes' } })
  })
})

describe('?fersk=true', () => {
  const everySource = [
    'enhet',
    'roller',
    'signatur',
    'prokura',
    'regnskap',
    'kunngjoringer',
    'konsern',
    'underenheter',
    'rollerIAndreForetak',
    'regnskapskopier',
  ] as const
  const force = (service: TestService, of: string = orgnr) => service.get(`${path(of)}?fersk=true`)

  it('asks every source, once per company and minute over all processes', async () => {
    await held()
    register.calls.reset()
    clock.advance(5000)
    const given = await force(a)
    expect(given.headers.get('x-fersk')).toBe('gitt')
    expect(status(given)).toMatch(/^bedriftsoppslag; fwd=request; stored; ttl=\d+$/)
    expect(given.headers.get('age')).toBe('0')
    for (const source of everySource) expect(register.calls.count(source, orgnr)).toBe(1)

    for (const service of [a, b]) {
      const refused = await force(service)
      expect(refused.headers.get('x-fersk')).toBe('nylig')
      expect(status(refused)).toMatch(/^bedriftsoppslag; hit; /)
      expect(refused.body.navn).toBe('TINDEVÅG SJØMAT AS')
    }
    expect(register.calls.count(undefined, orgnr)).toBe(everySource.length)
    expect((await a.get(path())).headers.has('x-fersk')).toBe(false)
  })

  it('over all companies they come by turns, so many a second: whoever wants more than that waits', async () => {
    const some = [orgnr, ...Array.from({ length: 6 }, nextNumber)]
    const answers = await Promise.all(some.map((each) => force(a, each)))
    expect(answers.map(({ headers }) => headers.get('x-fersk'))).toEqual(some.map(() => 'gitt'))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })

  it('the other process serves what was fetched', async () => {
    await held()
    expect((await b.get(path())).status).toBe(200)
    const changed = copyOf(sample, SAMPLE.healthy, orgnr, { 'TINDEVÅG SJØMAT AS': 'FERSKT NAVN AS' })
    if (changed.enhet !== undefined) register.set(orgnr, 'enhet', changed.enhet)
    clock.advance(1)
    expect((await force(a)).body.navn).toBe('FERSKT NAVN AS')
    await eventually(
      'the other process has it',
      async () => (await b.get(path())).body.navn === 'FERSKT NAVN AS',
    )
  })
})

describe('ETag and If-None-Match', () => {
  it('the same content fetched again has the same tag, other content another', async () => {
    const first = await held()
    clock.advance(60_000)
    const again = await a.get(`${path()}?fersk=true`)
    expect(again.headers.get('x-fersk')).toBe('gitt')
    expect(again.text).not.toBe(first.text)
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'))

    const changed = copyOf(sample, SAMPLE.healthy, orgnr, { 'TINDEVÅG SJØMAT AS': 'ET ANNET NAVN AS' })
    if (changed.enhet !== undefined) register.set(orgnr, 'enhet', changed.enhet)
    clock.advance(61_000)
    await a.tiers.cache.purge(orgnr, { hard: true })
    const other = await a.get(path())
    expect(other.body.navn).toBe('ET ANNET NAVN AS')
    expect(other.headers.get('etag')).not.toBe(first.headers.get('etag'))
  })

  it.each(['Bearer', 'bearer'])('304 for what the client has, and only that (%s)', async (scheme) => {
    await held()
    const etag = String((await raw('GET', {}, { scheme })).headers.etag)
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/)
    const ask = (ifNoneMatch: string, acceptEncoding?: string) =>
      raw(
        'GET',
        {
          'if-none-match': ifNoneMatch,
          ...(acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding }),
        },
        { scheme },
      )
    const strong = etag.slice(2)
    for (const list of [etag, strong, `"x", ${etag}`, `"x" ,${strong},"y"`, '*']) {
      const answer = await ask(list)
      expect([answer.status, answer.bytes.length], list).toEqual([304, 0])
      expect(answer.headers).toMatchObject({
        etag,
        vary: 'Accept-Encoding, Accept-Language',
        'cache-control': 'private, no-cache',
        age: '0',
        'cache-status': expect.stringMatching(/^bedriftsoppslag; hit; ttl=\d+$/),
        'x-request-id': expect.any(String),
      })
      expect(Object.keys(answer.headers)).not.toContain('content-length')
      expect(Object.keys(answer.headers)).not.toContain('content-encoding')
    }
    for (const list of ['"x"', etag.slice(0, -1), strong.slice(1, -1), etag.replace('"', '"x'), ''])
      expect((await ask(list)).status, list).toBe(200)

    // The facts are the same in every form.
    const packed = await raw('GET', { 'accept-encoding': 'gzip' }, { scheme })
    expect([packed.headers['content-encoding'], packed.headers.etag]).toEqual(['gzip', etag])
    expect((await ask(etag, 'gzip')).status).toBe(304)
  })
})

describe('forms of an answer', () => {
  const unpack = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync } as const

  it.each(['Bearer', 'bearer'])(
    'every form holds the same bytes, and HEAD is GET without them (%s)',
    async (scheme) => {
      await held()
      const plain = await raw('GET', {}, { scheme })
      expect(plain.headers['content-encoding']).toBeUndefined()
      for (const encoding of ['gzip', 'br', 'zstd', null] as const) {
        const headers: Record<string, string> = encoding === null ? {} : { 'accept-encoding': encoding }
        const got = await raw('GET', headers, { scheme })
        expect(got.status).toBe(200)
        if (encoding !== null) {
          expect(got.headers['content-encoding']).toBe(encoding)
          expect(got.bytes.length).toBeLessThan(plain.bytes.length / 2)
          expect(unpack[encoding](got.bytes)).toEqual(plain.bytes)
        }
        expect(got.headers['content-length']).toBe(String(got.bytes.length))
        const head = await raw('HEAD', headers, { scheme })
        expect(head.bytes).toHaveLength(0)
        expect(withoutChance(head.headers)).toEqual(withoutChance(got.headers))
      }
    },
  )

  it('HEAD of what nobody holds, and of what is not there', async () => {
    const head = await raw('HEAD')
    expect([head.status, head.bytes.length]).toEqual([200, 0])
    const unknown = await raw('HEAD', {}, { of: UNKNOWN_NUMBER })
    expect([unknown.status, unknown.bytes.length]).toEqual([404, 0])
  })
})

describe('the short way for hits', () => {
  const asked: [string, 'GET' | 'HEAD', Record<string, string>][] = [
    ['plain', 'GET', {}],
    ['packed', 'GET', { 'accept-encoding': 'br, gzip;q=0.5' }],
    ['not modified', 'GET', { 'if-none-match': '*' }],
    ['a head', 'HEAD', { 'accept-encoding': 'zstd' }],
  ]

  it.each(asked)(
    '%s: the head, the bytes and the log line are those of the ordinary way',
    async (_name, method, headers) => {
      await held()
      // The scheme in small letters is right as well, and out of the ordinary.
      const short = await raw(method, headers, { scheme: 'Bearer' })
      const ordinary = await raw(method, headers, { scheme: 'bearer' })
      expect(withoutChance(short.headers)).toEqual(withoutChance(ordinary.headers))
      expect(short.bytes).toEqual(ordinary.bytes)
      const lines = await Promise.all(
        [short, ordinary].map((each) => lineOf(String(each.headers['x-request-id']))),
      )
      const [shortLine, ordinaryLine] = lines
      expect(shortLine).toEqual(ordinaryLine)
      expect(shortLine).toMatchObject({
        msg: 'request',
        metode: method,
        rute: '/api/bedrift/:orgnr',
        status: short.status,
        ms: 'a number',
        nokkelId: expect.stringMatching(/^[0-9A-Za-z]{12}$/),
      })
      expect(JSON.stringify(shortLine)).not.toContain(orgnr)
    },
  )

  /** The line with this id, without what no two lines share. */
  async function lineOf(id: string): Promise<Record<string, unknown>> {
    let found: Record<string, unknown> = {}
    await eventually('the line is written', async () => {
      const line = (await readFile(logFile, 'utf8')).split('\n').find((each) => each.includes(id))
      if (line === undefined) return false
      const { time: _time, foresporselId: _id, ms, ...rest } = JSON.parse(line)
      found = { ...rest, ms: `a ${typeof ms}` }
      return true
    })
    return found
  }
})

/** Without what differs between any two answers, and what the client has decided about its connection. */
function withoutChance(headers: Record<string, unknown>): Record<string, unknown> {
  const {
    date: _date,
    'x-request-id': _id,
    connection: _connection,
    'keep-alive': _keepAlive,
    ...rest
  } = headers
  return rest
}

import { Pool } from 'undici'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Deployment, startDeployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { answersWithCopies, inventNumbers } from '../support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'

/** Those that are asked at once; the group is asked for when the unit has said that there is one. */
const atOnce = [
  'enhet',
  'roller',
  'signatur',
  'prokura',
  'regnskap',
  'kunngjoringer',
  'underenheter',
  'rollerIAndreForetak',
] as const
const sources = [...atOnce, 'konsern', 'regnskapskopier'] as const
/** The shortest that one of them is waited for. */
const SOURCE_WAITS_MS = 2000
const numbers = inventNumbers(4)
const catalogue = answersWithCopies(numbers)
const [one = '', two = '', three = '', four = ''] = numbers

describe('a company that nobody holds, over two processes', () => {
  let register: RegisterStandIn
  let service: Deployment
  let readers: Pool[]
  let open: () => void

  beforeAll(async () => {
    register = await startRegisterStandIn({ answers: catalogue })
    service = await startDeployment(register, { variables: { ANSWER_DEADLINE_MS: '4500' } })
    readers = service.apis.map(({ address }) => new Pool(address, { connections: 500, pipelining: 1 }))
    // Connected before they ask: then they ask at once, and not as fast as connections are made.
    await Promise.all(
      readers.flatMap((pool) =>
        Array.from({ length: 500 }, async () => (await ask(pool, '/health/live')).body.dump()),
      ),
    )
  })
  beforeEach(() => {
    const opened = Promise.withResolvers<void>()
    open = opened.resolve
    register.setFault('alle', { kind: 'hold', until: opened.promise })
    register.calls.reset()
    return () => register.clearFaults()
  })
  afterAll(async () => {
    await Promise.all(readers.map((pool) => pool.destroy()))
    await service.close()
    await register.close()
  })

  function ask(pool: Pool, path: string, signal?: AbortSignal) {
    return pool.request({
      method: 'GET',
      path,
      headers: { authorization: `Bearer ${service.token}` },
      ...(signal === undefined ? {} : { signal }),
    })
  }

  /** Asks at once, every other one in the other process. */
  function readAtOnce(orgnr: string, count: number, signalOf: (index: number) => AbortSignal | undefined) {
    return Array.from({ length: count }, async (_, index) => {
      const { statusCode, headers, body } = await ask(
        readers[index % 2] as Pool,
        `/api/bedrift/${orgnr}`,
        signalOf(index),
      )
      return {
        status: statusCode,
        etag: headers.etag,
        came: headers['cache-status'],
        text: await body.text(),
      }
    })
  }

  /** Both processes have got round to a question that came after all the others. */
  async function allHaveArrived(orgnr: string): Promise<void> {
    await eventually('the sources are asked', () =>
      atOnce.every((each) => register.calls.count(each, orgnr) > 0),
    )
    // A connection that had been closed for want of use is made again before its question is sent.
    await eventually('every question is sent', () =>
      readers.every(({ stats }) => stats.pending === 0 && stats.queued === 0),
    )
    await Promise.all(service.apis.map(({ address }) => fetch(`${address}/health/live`)))
  }

  const never = () => undefined
  const callsAbout = (orgnr: string) => sources.map((each) => register.calls.count(each, orgnr))

  /** What the fronts say of their Redis: whether all of them use it, and how often it was not there in time. */
  async function redisAsSeen() {
    const said = await Promise.all(
      service.apis.map(async (each) => (await fetch(`${each.opsAddress()}/metrics`)).text()),
    )
    const sum = (metric: RegExp) =>
      said.flatMap((text) => [...text.matchAll(metric)]).reduce((all, [, value]) => all + Number(value), 0)
    return {
      isUsed: sum(/^bedriftsoppslag_cache_redis_usable (\d+)$/gm) === service.apis.length,
      failures:
        sum(/^bedriftsoppslag_cache_events_total{hendelse="redis-failure".*} (\d+)$/gm) +
        sum(/^bedriftsoppslag_cache_events_total{hendelse="refused",.*hvor="lease"} (\d+)$/gm),
    }
  }

  /**
   * How many calls to a source are allowed until it is asked again: one, and two when a front has said meanwhile that Redis was
   * not there in time, or that it was itself held up for longer than its lease. On a busy machine either has no turn for so
   * long; a race between the fronts is never taken for that.
   */
  async function callsAllowed(): Promise<() => Promise<1 | 2>> {
    await eventually('both fronts use Redis', async () => (await redisAsSeen()).isUsed)
    const { failures } = await redisAsSeen()
    return async () => ((await redisAsSeen()).failures > failures ? 2 : 1)
  }

  function expectCalls(orgnr: string, most: 1 | 2): void {
    const calls = callsAbout(orgnr)
    expect(
      calls.every((count) => count >= 1 && count <= most),
      `${calls} calls, ${most} allowed`,
    ).toBe(true)
  }

  it('P7: 1,000 who ask at once make one call to each source', async () => {
    const allowed = await callsAllowed()
    const begunAt = performance.now()
    const reading = readAtOnce(one, 1000, never)
    await allHaveArrived(one)
    open()
    const heldMs = performance.now() - begunAt
    const answers = await Promise.all(reading)
    const most = await allowed()
    expectCalls(one, most)
    expect(register.calls.count(undefined, one)).toBeLessThanOrEqual(most * sources.length)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1000)
    expect(new Set(answers.map(({ etag }) => etag)).size).toBeLessThanOrEqual(most)
    expect(new Set(answers.map(({ text }) => text)).size).toBeLessThanOrEqual(most)
    // A busy machine has them all there when a source is waited for no more: all are told that then.
    const areWhole = answers.every(({ text }) => JSON.parse(text).komplett === true)
    expect(areWhole || heldMs > SOURCE_WAITS_MS, `held for ${heldMs} ms`).toBe(true)
    // Of two who fetched, one is not let into Redis.
    const miss = most === 1 ? 'fwd=miss; stored' : 'fwd=miss(; stored)?'
    for (const { came } of answers)
      expect(came).toMatch(new RegExp(`^bedriftsoppslag; (${miss}(; collapsed)?|hit); ttl=\\d+`))
  })

  it('P7: a client that goes away does not fail the others, whoever began', async () => {
    const allowed = await callsAllowed()
    const leaving = new AbortController()
    const first = Promise.allSettled(readAtOnce(two, 2, () => leaving.signal))
    await eventually('the sources are asked', () => register.calls.count('roller', two) > 0)
    const reading = Promise.allSettled(
      readAtOnce(two, 100, (index) => (index % 4 === 0 ? leaving.signal : undefined)),
    )
    await allHaveArrived(two)
    leaving.abort()
    const left = await first
    expect(left.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await Promise.all(service.apis.map(({ address }) => fetch(`${address}/health/live`)))
    open()
    const answers = await reading
    const stayed = answers.filter((_, index) => index % 4 !== 0)
    expect(stayed).toHaveLength(75)
    for (const answer of stayed) expect(answer).toMatchObject({ status: 'fulfilled', value: { status: 200 } })
    expectCalls(two, await allowed())
  })

  it('P7: a source that fails is not asked by every one of those who waited, and the next asks again', async () => {
    const sound = catalogue.companies.get(three)?.roller ?? null
    register.set(three, 'roller', { status: 500, json: {} })
    const reading = readAtOnce(three, 200, never)
    await allHaveArrived(three)
    open()
    const answers = await Promise.all(reading)
    for (const { status, text } of answers) {
      expect(status).toBe(200)
      expect(JSON.parse(text).kilder.roller).toMatchObject({ tilstand: 'utilgjengelig' })
    }
    // Once in each process by those who waited; a busy machine gets round to some only when it has failed, and those ask again.
    expect(register.calls.count('roller', three)).toBeLessThanOrEqual(20)
    register.set(three, 'roller', sound)
    const { body } = await service.get(service.apis[0], `/api/bedrift/${three}`)
    expect(body.roller.tilstand).toBe('fersk')
  })

  it('P7: with the cache’s Redis down each process makes one call', async () => {
    await service.cacheRedis.stop()
    const reading = readAtOnce(four, 1000, never)
    await allHaveArrived(four)
    open()
    const answers = await Promise.all(reading)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1000)
    for (const source of sources) expect(register.calls.count(source, four)).toBeLessThanOrEqual(2)
  })
})

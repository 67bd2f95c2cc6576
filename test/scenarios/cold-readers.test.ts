import { Pool } from 'undici'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Deployment, startDeployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { answersWithCopies, inventNumbers } from '../support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'

const sources = ['enhet', 'roller', 'signatur', 'prokura', 'regnskap', 'kunngjoringer'] as const
const numbers = inventNumbers(8)
const [three = '', four = '', ...others] = numbers

/**
 * A Redis that a busy machine keeps waiting for its 25 ms is one that is down, and two calls are allowed then: tried again with
 * a company nobody holds. Without lease or flights it fails every time.
 */
const RETRIES = 2

describe('a company that nobody holds, over two processes', () => {
  let register: RegisterStandIn
  let service: Deployment
  let readers: Pool[]
  let open: () => void

  beforeAll(async () => {
    register = await startRegisterStandIn({ answers: answersWithCopies(numbers) })
    service = await startDeployment(register, { variables: { ANSWER_DEADLINE_MS: '4500' } })
    readers = service.apis.map(({ address }) => new Pool(address, { connections: 500, pipelining: 1 }))
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

  /** Asks at once, every other one in the other process. */
  function readAtOnce(orgnr: string, count: number, signalOf: (index: number) => AbortSignal | undefined) {
    return Array.from({ length: count }, async (_, index) => {
      const signal = signalOf(index)
      const { statusCode, headers, body } = await (readers[index % 2] as Pool).request({
        method: 'GET',
        path: `/api/bedrift/${orgnr}`,
        headers: { authorization: `Bearer ${service.token}` },
        ...(signal === undefined ? {} : { signal }),
      })
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
      sources.every((each) => register.calls.count(each, orgnr) > 0),
    )
    await Promise.all(service.apis.map(({ address }) => fetch(`${address}/health/live`)))
  }

  const never = () => undefined
  const callsAbout = (orgnr: string) =>
    Object.fromEntries(sources.map((each) => [each, register.calls.count(each, orgnr)]))
  const once = Object.fromEntries(sources.map((each) => [each, 1]))

  it('P7: 1,000 who ask at once make one call to each source', { retry: RETRIES }, async () => {
    const one = others.shift() ?? ''
    const reading = readAtOnce(one, 1000, never)
    await allHaveArrived(one)
    open()
    const answers = await Promise.all(reading)
    expect(callsAbout(one)).toEqual(once)
    expect(register.calls.count(undefined, one)).toBe(sources.length)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1000)
    expect(new Set(answers.map(({ etag }) => etag)).size).toBe(1)
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.every(({ text }) => JSON.parse(text).komplett === true)).toBe(true)
    for (const { came } of answers)
      expect(came).toMatch(/^bedriftsoppslag; (fwd=miss; stored(; collapsed)?|hit); ttl=\d+/)
  })

  it('P7: a client that goes away does not fail the others, whoever began', { retry: RETRIES }, async () => {
    const two = others.shift() ?? ''
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
    expect(callsAbout(two)).toEqual(once)
  })

  it('P7: a source that fails is not asked by every one of those who waited, and the next asks again', async () => {
    register.setFault('roller', { kind: 'status', code: 500 }, { orgnr: three })
    const reading = readAtOnce(three, 200, never)
    await allHaveArrived(three)
    open()
    const answers = await Promise.all(reading)
    for (const { status, text } of answers) {
      expect(status).toBe(200)
      expect(JSON.parse(text).kilder.roller).toMatchObject({ tilstand: 'utilgjengelig' })
    }
    expect(register.calls.count('roller', three)).toBeLessThanOrEqual(2)
    register.clearFaults()
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

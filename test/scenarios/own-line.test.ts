import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { CACHE_CHANNEL, type CacheEvent } from '#src/cache/events.ts'
import { idIn, mintKey } from '#src/core/api-key.ts'
import { REQUEST_CHANNEL, type RequestLine } from '#src/ops/request-report.ts'
import { companySources, sourceOf } from '#src/sources/index.ts'
import { SAMPLE } from '#test/fixtures/samples/index.ts'
import { eventually } from '#test/support/eventually.ts'
import { forgeKey } from '#test/support/forged-key.ts'
import { answersWithCopies, inventNumbers } from '#test/support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '#test/support/register-stand-in.ts'
import { issueToken, startTestService, type TestService } from '#test/support/service.ts'

/** Those that are asked at once about a main unit. */
const SOURCES = companySources.filter(
  (name) => name !== 'underenhet' && sourceOf(name).askedWhen === null,
).length
/** As many as the register is asked for one key at once, and some more. */
const asked = policy.guard.frontInFlightForOneMax
const BEHIND = 6
const all = inventNumbers(3 + asked + BEHIND + 2)
const numbers = all.slice(2)
/** One is written at a time, and thirty-two wait. */
const WORKBOOKS = 36
/** More than wait, and than are gone through while they come. */
const AGAIN = 5 * policy.push.againWaitingMax
const [before = '', behind = ''] = all
const [single = '', here = '', broken = '', ...crowd] = numbers

let register: RegisterStandIn
let service: TestService
let other: string
let told: RequestLine[]
let missed = 0
const hear = (line: unknown) => void told.push(line as RequestLine)
const hearCache = (told: unknown) => {
  const event = told as CacheEvent
  if (event.kind === 'miss' && event.section === 'enhet') missed += 1
}

beforeAll(async () => {
  register = await startRegisterStandIn({ answers: answersWithCopies(all) })
  service = await startTestService(register, { workers: false, isLoaded: true })
  other = await issueToken(service.storage)
})
beforeEach(() => {
  told = []
  missed = 0
  subscribe(REQUEST_CHANNEL, hear)
  subscribe(CACHE_CHANNEL, hearCache)
})
afterEach(() => {
  unsubscribe(REQUEST_CHANNEL, hear)
  unsubscribe(CACHE_CHANNEL, hearCache)
  register.clearFaults()
})
afterAll(async () => {
  await service.close()
  await register.close()
})

describe('one key that asks for many companies at once', () => {
  it('P54: attack: has nobody told that others are answered late, and hides no register that is slow, were it all who ask', async () => {
    expect((await service.get(`/api/bedrift/${here}`)).status).toBe(200)
    await eventually('it is told of', () => told.length === 1)
    told = []
    missed = 0
    const held = Promise.withResolvers<void>()
    register.setFault('enhet', { kind: 'hold', until: held.promise })
    register.setFault('enhet', { kind: 'html' }, { orgnr: broken })
    const ask = (orgnr: string, token = service.token) =>
      service.call('GET', `/api/bedrift/${orgnr}`, { token })
    const isAsked = (orgnr: string) => () => register.calls.count('enhet', orgnr) > 0
    const begun: Promise<{ status: number }>[] = []
    for (const orgnr of crowd.slice(0, asked)) {
      begun.push(ask(orgnr))
      await eventually('the register is asked', isAsked(orgnr))
    }
    await eventually('nothing else of them is in line', () =>
      crowd.slice(0, asked).every((orgnr) => register.calls.count(undefined, orgnr) === SOURCES),
    )
    const heldFromMs = performance.now()
    for (const orgnr of crowd.slice(asked)) begun.push(ask(orgnr))
    begun.push(ask(single, other))
    await eventually('another is in none of their lines', isAsked(single))
    expect((await ask(broken, other)).status).toBe(503)
    expect((await service.get(`/api/bedrift/${here}/roller`)).status).toBe(200)
    await eventually('they are looked for', () => missed === numbers.length - 1)
    await eventually('they have waited', () => performance.now() > heldFromMs + 100)
    const heldMs = performance.now() - heldFromMs
    held.resolve()
    expect(new Set((await Promise.all(begun)).map(({ status }) => status))).toEqual(new Set([200]))
    await eventually('all are told of', () => told.length === numbers.length)
    expect(told.filter(({ avMange }) => avMange)).toEqual([])
    const behindOwn = told.filter(({ egenKoMs = 0 }) => egenKoMs > 0)
    expect(new Set(behindOwn.map(({ nokkelId }) => nokkelId))).toEqual(new Set([idIn(service.token)]))
    // Whom the register was asked for waited for it, and it is the register's lateness.
    const late = told.filter(({ ms, egenKoMs = 0 }) => ms - egenKoMs >= Math.floor(heldMs))
    expect(late.length).toBeGreaterThanOrEqual(asked)
  })
})

describe('whoever sends requests along behind one that is late', () => {
  it('P54: attack: has nobody told that those are late too, which were answered while that one was waited for', async () => {
    expect((await service.get(`/api/bedrift/${here}`)).status).toBe(200)
    await eventually('it is told of', () => told.length === 1)
    told = []
    const held = Promise.withResolvers<void>()
    register.setFault('enhet', { kind: 'hold', until: held.promise })
    const socket = connect(Number(new URL(service.address).port), '127.0.0.1').resume()
    const sentAtMs = performance.now()
    for (const path of [before, here, `${here}/roller`, behind])
      socket.write(
        `GET /api/bedrift/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.token}\r\n\r\n`,
      )
    await eventually('the last is begun', () => register.calls.count('enhet', behind) > 0)
    const begunMs = performance.now() - sentAtMs
    await eventually('they have waited', () => performance.now() - sentAtMs > 2 * begunMs + 100)
    held.resolve()
    await eventually('all are told of', () => told.length === 4)
    socket.destroy()
    const atHand = told.filter(({ hentet }) => hentet === 'svar')
    expect(atHand).toHaveLength(2)
    for (const { ms } of atHand) expect(ms).toBeLessThanOrEqual(Math.ceil(begunMs))
  })
})

describe('whoever wants more workbooks than there is room for', () => {
  it('P54: attack: has nobody told that others are refused, for the many they want besides', async () => {
    const wanted = Array.from({ length: WORKBOOKS }, () => service.get(`/foretak/${SAMPLE.healthy}/xlsx`))
    const statuses = (await Promise.all(wanted)).map(({ status }) => status)
    expect(statuses).toContain(200)
    await eventually('all are told of', () => told.length === WORKBOOKS)
    const refused = told.filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThan(0)
    expect(told.filter(({ avMange }) => avMange)).toEqual(refused)
  })
})

describe('whoever asks for what was sent again and again', () => {
  it('P54: attack: has nobody told that PostgreSQL is away, for the many that wait for their own', async () => {
    const { body } = await service.call('POST', '/api/endepunkter', {
      body: { adresse: 'https://mottaker.example/endringer' },
    })
    await eventually('it is told of', () => told.length === 1)
    told = []
    const span = { fra: '2026-11-01T00:00:00Z', til: '2026-11-02T00:00:00Z' }
    const path = `/api/endepunkter/${body.endepunkt.id}/igjen`
    await Promise.all(Array.from({ length: AGAIN }, () => service.call('POST', path, { body: span })))
    await eventually('all are told of', () => told.length === AGAIN)
    const refused = told.filter(({ status }) => status >= 500)
    expect(refused.length).toBeGreaterThan(0)
    expect(told.filter(({ avMange }) => avMange)).toEqual(refused)
  })
})

describe('whoever makes up keys', () => {
  it('P54: attack: has nobody told that others are refused, for the many they show with one id', async () => {
    const path = '/api/bedrift/status'
    await eventually('some are not looked at', async () => {
      const { token } = mintKey('test')
      await Promise.all(
        Array.from({ length: 10 }, () => service.call('GET', path, { token: forgeKey(token) })),
      )
      return told.some(({ status }) => status === 503)
    })
    const refused = told.filter(({ status }) => status >= 500)
    expect(told.filter(({ avMange }) => avMange)).toEqual(refused)
  })
})

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { mintKey } from '#src/core/api-key.ts'
import { REQUEST_CHANNEL, type RequestLine } from '#src/ops/request-report.ts'
import { eventually } from '#test/support/eventually.ts'
import { forgeKey } from '#test/support/forged-key.ts'
import { answersWithCopies, inventNumbers } from '#test/support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '#test/support/register-stand-in.ts'
import { issueToken, startTestService, type TestService } from '#test/support/service.ts'

const { manyFrom } = policy.readings
const each = manyFrom + 1
const numbers = inventNumbers(manyFrom + 12 + 3)
const shared = inventNumbers(numbers.length + 3 * each).slice(numbers.length)
const [single = '', here = '', broken = '', ...crowd] = numbers

let register: RegisterStandIn
let service: TestService
let other: string
let told: RequestLine[]
const hear = (line: unknown) => void told.push(line as RequestLine)

beforeAll(async () => {
  register = await startRegisterStandIn({ answers: answersWithCopies([...numbers, ...shared]) })
  service = await startTestService(register, { workers: false, isLoaded: true })
  other = await issueToken(service.storage)
})
beforeEach(() => {
  told = []
  subscribe(REQUEST_CHANNEL, hear)
})
afterEach(() => {
  unsubscribe(REQUEST_CHANNEL, hear)
  register.clearFaults()
})
afterAll(async () => {
  await service.close()
  await register.close()
})

/** Lines that say that they waited for what their sender had under way. */
const ofMany = () => told.filter(({ avMange }) => avMange === true)

describe('one key that asks for many companies at once', () => {
  it('P54: attack: has nobody told that others are answered late; what is wrong is no matter of how many it asks for', async () => {
    expect((await service.get(`/api/bedrift/${here}`)).status).toBe(200)
    await eventually('it is told of', () => told.length === 1)
    told = []
    const held = Promise.withResolvers<void>()
    register.setFault('enhet', { kind: 'hold', until: held.promise })
    register.setFault('enhet', { kind: 'html' }, { orgnr: broken })
    const begun: Promise<{ status: number }>[] = []
    const begin = async (orgnr: string, token: string) => {
      begun.push(service.call('GET', `/api/bedrift/${orgnr}`, { token }))
      await eventually('it is asked for', () => register.calls.count('enhet', orgnr) > 0)
    }
    for (const orgnr of crowd) await begin(orgnr, service.token)
    await begin(single, other)
    // What lies here is answered without a wait, and what the register answers wrongly is its own fault.
    expect((await service.get(`/api/bedrift/${here}/roller`)).status).toBe(200)
    expect((await service.get(`/api/bedrift/${broken}`)).status).toBe(503)
    await eventually('they are told of', () => told.length === 2)
    expect(ofMany()).toEqual([])
    held.resolve()
    expect(new Set((await Promise.all(begun)).map(({ status }) => status))).toEqual(new Set([200]))
    await eventually('all are told of', () => told.length === 2 + crowd.length + 1)
    expect(ofMany()).toHaveLength(crowd.length - manyFrom)
  })
})

describe('keys that each ask for many companies at once', () => {
  it('P54: attack: wait for one another, and are counted as those who wait are', async () => {
    const tokens = [service.token, other, await issueToken(service.storage)]
    const held = Promise.withResolvers<void>()
    register.setFault('enhet', { kind: 'hold', until: held.promise })
    const begun: Promise<{ status: number }>[] = []
    for (const [at, orgnr] of shared.entries()) {
      const token = tokens[Math.floor(at / each)] ?? ''
      begun.push(service.call('GET', `/api/bedrift/${orgnr}`, { token }))
      await eventually('it is asked for', () => register.calls.count('enhet', orgnr) > 0)
    }
    held.resolve()
    expect(new Set((await Promise.all(begun)).map(({ status }) => status))).toEqual(new Set([200]))
    await eventually('all are told of', () => told.length === shared.length)
    // The first of them was alone when it asked for its last.
    expect(ofMany()).toHaveLength(1)
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
    expect(ofMany()).toEqual(refused)
  })
})

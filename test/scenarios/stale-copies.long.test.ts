import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { beforeEach, describe, expect, it } from 'vitest'
import { fromStored } from '#src/record/stored-answer.ts'
import { SAMPLE, sampleAnswers, UNKNOWN_NUMBER } from '../fixtures/samples/index.ts'
import { HOUR_MS, MINUTE_MS, type TestClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import type { Fault, RegisterStandIn } from '../support/register-stand-in.ts'
import type { TestAnswer, TestService } from '../support/service.ts'
import { startTimedService } from '../support/timed-service.ts'

let register: RegisterStandIn
let clock: TestClock
let service: TestService

beforeEach(async () => {
  const started = await startTimedService({ ANSWER_DEADLINE_MS: '1000' })
  ;({ register, clock, service } = started)
  return started.close
})

const path = (orgnr: string) => `/api/bedrift/${orgnr}`
const read = (orgnr: string = SAMPLE.healthy) => service.get(path(orgnr))
/** Once more where a register was too late for a busy machine: what came is held. */
async function readWhole(): Promise<TestAnswer> {
  let answer = await read()
  await eventually('all of it came', async () => {
    if (!answer.body.komplett) answer = await read()
    return answer.body.komplett
  })
  return answer
}
const force = (orgnr: string = SAMPLE.healthy) => service.get(`${path(orgnr)}?fersk=true`)
const about = (orgnr: string) => service.tiers.cache.read(orgnr)

/** Past every unit's, role's and mandate's fresh time, and inside their stale time. */
const LATER_MS = 30 * HOUR_MS

describe('P8: a register that fails', () => {
  const faults: [Fault, string, number | null][] = [
    [{ kind: 'refuse' }, 'nettverk', null],
    [{ kind: 'reset' }, 'nettverk', null],
    [{ kind: 'hang' }, 'tidsfrist', null],
    [{ kind: 'drip', chunkBytes: 1, everyMs: 50 }, 'tidsfrist', null],
    [{ kind: 'status', code: 500 }, 'feilstatus', 500],
    [{ kind: 'status', code: 503, headers: { 'retry-after': '30' } }, 'feilstatus', 503],
    [{ kind: 'status', code: 429, headers: { 'retry-after': '30' } }, 'feilstatus', 429],
  ]

  it.each(faults)('%j: the stale copy, and the truth about it', async (fault, kode, status) => {
    const fresh = await readWhole()
    clock.advance(LATER_MS)
    register.setFault('alle', fault)

    const stale = await read()
    expect(stale.status).toBe(200)
    expect(stale.headers.get('age')).toBe(String(LATER_MS / 1000))
    expect(stale.headers.get('cache-status')).toMatch(/^bedriftsoppslag; hit; ttl=-\d+$/)
    expect(stale.body.navn).toBe(fresh.body.navn)
    expect(stale.body.roller.data).toEqual(fresh.body.roller.data)
    expect(stale.body.kilder.roller).toMatchObject({
      tilstand: 'utdatert',
      hentet: fresh.body.kilder.roller.hentet,
    })

    // Whoever asks for the source itself is told how it failed, and has the same copy.
    const forced = await force()
    expect(forced.status).toBe(200)
    expect(forced.headers.get('age')).toBe(String(LATER_MS / 1000))
    const fwdStatus = status === null ? '' : `; fwd-status=${status}`
    expect(forced.headers.get('cache-status')).toMatch(
      new RegExp(`^bedriftsoppslag; fwd=stale${fwdStatus}; ttl=-\\d+$`),
    )
    expect(forced.body.roller.data).toEqual(fresh.body.roller.data)
    expect(forced.body.kilder.roller).toMatchObject({ tilstand: 'utdatert', arsak: { kode } })
    expect(forced.body.kilder.enhet).toMatchObject({ tilstand: 'utdatert', arsak: { kode } })

    // Why it is stale is no fact of the company's: nobody who has the answer is sent it again.
    expect(forced.headers.get('etag')).toBe(stale.headers.get('etag'))
  })

  it('when it is well again, the copy is fresh again', async () => {
    await readWhole()
    clock.advance(LATER_MS)
    register.setFault('roller', { kind: 'status', code: 503 })
    expect((await read()).body.roller.tilstand).toBe('utdatert')
    register.clearFaults()
    await eventually('it is fresh', async () => {
      clock.advance(10_000)
      const { body, headers } = await read()
      return body.roller.tilstand === 'fersk' && /; hit; ttl=\d/.test(headers.get('cache-status') ?? '')
    })
  })

  it('after the stale time nothing is shown any more', async () => {
    await readWhole()
    clock.advance(LATER_MS + 7 * 24 * HOUR_MS)
    register.setFault('alle', { kind: 'status', code: 503 })
    expect((await read()).status).toBe(503)
  })
})

describe('P9: an answer that can not be believed', () => {
  const faults: Fault[] = [
    { kind: 'html' },
    { kind: 'truncated' },
    { kind: 'wrongShape' },
    { kind: 'wrongCompany' },
  ]
  const sources = ['enhet', 'signatur', 'regnskap'] as const

  it.each(faults)('%j: the good copy stays, and it counts as a failure', async (fault) => {
    const fresh = await readWhole()
    const before = await about(SAMPLE.healthy)
    const failed: string[] = []
    const onEvent = (message: unknown) => {
      const event = message as { source: string; kind: string }
      if (event.kind === 'failed') failed.push(event.source)
    }
    subscribe('bedriftsoppslag:source', onEvent)
    try {
      for (const source of sources) register.setFault(source, fault)
      clock.advance(1000)
      await service.tiers.cache.invalidate(SAMPLE.healthy, [...sources])
      register.calls.reset()
      const forced = await force()
      expect(forced.status).toBe(200)
      expect(forced.headers.get('cache-status')).toMatch(/fwd=stale; (fwd-status=200; )?ttl=-?\d+$/)
      expect(forced.body.navn).toBe(fresh.body.navn)
      for (const source of sources) expect(register.calls.count(source)).toBeGreaterThan(0)
      for (const source of ['signatur', 'regnskap'] as const) {
        expect(forced.body[source].data).toEqual(fresh.body[source].data)
        expect(forced.body.kilder[source].tilstand).toBe('utdatert')
      }
      expect(new Set(failed)).toEqual(new Set(sources))
    } finally {
      unsubscribe('bedriftsoppslag:source', onEvent)
    }
    const after = await about(SAMPLE.healthy)
    for (const source of sources) {
      expect(after.get(source)?.fetchedAt).toBe(before.get(source)?.fetchedAt)
      expect(after.get(source)?.body).toEqual(before.get(source)?.body)
    }
  })

  it.each(faults)('%j about a company that nobody holds: nothing is stored', async (fault) => {
    register.setFault('alle', fault)
    expect((await read()).status).toBe(503)
    expect([...(await about(SAMPLE.healthy))]).toEqual([])
    register.clearFaults()
    register.setFault('signatur', fault)
    expect((await read()).body.kilder.signatur.tilstand).toBe('utilgjengelig')
    const held = await about(SAMPLE.healthy)
    expect([...held.keys()]).not.toContain('signatur')
    expect(service.tiers.answers.get(SAMPLE.healthy)).toBeNull()
  })
})

describe('P10: a company the register does not know', () => {
  it('is asked for again after five minutes at most, and never shown as unknown when nobody can say', async () => {
    expect((await read(UNKNOWN_NUMBER)).status).toBe(404)
    register.calls.reset()
    clock.advance(3 * MINUTE_MS)
    expect((await read(UNKNOWN_NUMBER)).status).toBe(404)
    expect(register.calls.count('enhet')).toBe(0)

    clock.advance(2 * MINUTE_MS)
    register.setFault('alle', { kind: 'status', code: 503 })
    expect((await read(UNKNOWN_NUMBER)).status).toBe(503)
    register.clearFaults()

    const found = sampleAnswers().companies.get(SAMPLE.association)?.enhet
    if (found === undefined || !('json' in found)) throw new Error('expected a sample')
    const json = { ...(found.json as object), organisasjonsnummer: UNKNOWN_NUMBER }
    register.set(UNKNOWN_NUMBER, 'enhet', { status: 200, json })
    try {
      const { status, body } = await read(UNKNOWN_NUMBER)
      expect([status, body.navn]).toEqual([200, 'HAVBLIKK VEL'])
    } finally {
      register.set(UNKNOWN_NUMBER, 'enhet', null)
    }
  })

  it('a storm of "unknown" about companies we know is a fault of the source', async () => {
    const known = [...sampleAnswers().companies]
      .filter(([, { enhet }]) => enhet?.status === 200)
      .map(([orgnr]) => orgnr)
    expect(known.length).toBeGreaterThan(15)
    for (const orgnr of known) expect((await read(orgnr)).status).toBe(200)
    register.setFault('enhet', { kind: 'status', code: 404 })
    register.setFault('underenhet', { kind: 'status', code: 404 })
    clock.advance(LATER_MS)
    register.calls.reset()
    for (const orgnr of known) await read(orgnr)
    await eventually('each was asked for', () =>
      known.every((orgnr) => register.calls.count('enhet', orgnr) > 0),
    )
    // Five seconds later each answer is looked at again.
    clock.advance(5001)
    const statuses = await Promise.all(known.map(async (orgnr) => (await read(orgnr)).status))
    const believed = statuses.filter((status) => status === 404).length
    expect(believed).toBeLessThan(5)
    expect(statuses.filter((status) => status === 200)).toHaveLength(known.length - believed)
    for (const orgnr of known) {
      const unit = (await about(orgnr)).get('enhet')
      if (unit?.state === 'found')
        expect(fromStored(unit)).toMatchObject({ value: { organisasjonsnummer: orgnr } })
    }
  })
})

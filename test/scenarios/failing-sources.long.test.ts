import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { eventually } from '../support/eventually.ts'
import { answersWithCopies, inventNumbers } from '../support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestAnswer, type TestService } from '../support/service.ts'

const numbers = inventNumbers(400)

let register: RegisterStandIn
let service: TestService

beforeAll(async () => {
  register = await startRegisterStandIn({ answers: answersWithCopies(numbers) })
})
beforeEach(async () => {
  register.calls.reset()
  service = await startTestService(register, {
    isLoaded: true,
    workers: false,
    // The announcements have a small bound of their own, for other reasons.
    variables: { KUNNGJORINGER: 'av' },
  })
})
afterEach(async () => {
  register.clearFaults()
  await service.close()
})
afterAll(() => register.close())

const read = (orgnr: string) => service.get(`/api/bedrift/${orgnr}`)
const readAll = (orgnrs: readonly string[]) => Promise.all(orgnrs.map(read))
/** What is not as it should be, of the sources that do not hang. */
const missing = ({ status, body }: TestAnswer) =>
  status === 200
    ? (['roller', 'signatur', 'prokura'] as const)
        .map((section) => body.kilder[section])
        .filter(({ tilstand }) => tilstand !== 'fersk')
    : [body]

describe('P12: one source that hangs', () => {
  it('holds as many calls as its bulkhead has places, and the answers of the others still come', async () => {
    register.setFault('regnskap', { kind: 'hang' })
    // Some more than it has places: all else of them is to be had in the time of one fill, on a busy machine too.
    const some = numbers.slice(0, policy.guard.frontInFlightForOneMax + 8)
    const answers = await readAll(some)
    expect(answers.flatMap(missing)).toEqual([])
    for (const { body } of answers) {
      expect(body.kilder.regnskap.tilstand).toBe('utilgjengelig')
      // Who comes to it when the first have given up is not kept waiting.
      expect(['tidsfrist', 'sperret']).toContain(body.kilder.regnskap.arsak.kode)
    }
    expect(register.calls.maxInFlight('regnskap')).toBe(policy.guard.frontInFlightForOneMax)
    for (const source of ['enhet', 'roller', 'signatur', 'prokura'] as const)
      expect(register.calls.count(source)).toBe(some.length)
  })
})

describe('P13: a source that is down', () => {
  it('is asked again for one call in ten at most, then left alone, and taken up without a burst', async () => {
    register.setFault('signatur', { kind: 'status', code: 503 })
    const asked = () => register.calls.count('signatur')
    // One after the other, so that no more than one learns of it at a time.
    let reads = 0
    for (; reads < 60; reads++) await read(numbers[reads] ?? '')
    const { retryShare, retriesSavedMax } = policy.guard
    expect(asked()).toBeLessThanOrEqual(reads * (1 + retryShare) + retriesSavedMax)
    const last = await read(numbers[reads++] ?? '')
    expect([last.status, last.body.roller.tilstand, last.body.regnskap.tilstand]).toEqual([
      200,
      'fersk',
      'fersk',
    ])
    expect(last.body.kilder.signatur).toMatchObject({ tilstand: 'utilgjengelig', arsak: { kode: 'sperret' } })
    const before = asked()
    await readAll(numbers.slice(reads, reads + 20))
    expect(asked() - before).toBeLessThanOrEqual(1)

    // Well again: the first who tries is alone until it has an answer.
    const held = Promise.withResolvers<void>()
    register.clearFaults()
    register.setFault('signatur', { kind: 'hold', until: held.promise })
    register.calls.reset()
    let next = 100
    await eventually('somebody tries', async () => {
      read(numbers[next++] ?? '').catch(() => {})
      return asked() > 0
    })
    const meanwhile = await readAll(numbers.slice(next, next + 20))
    next += 20
    expect(asked()).toBe(1)
    for (const { body } of meanwhile) expect(body.kilder.signatur.arsak.kode).toBe('sperret')
    held.resolve()
    await eventually(
      'it is in use again',
      async () => (await read(numbers[next++] ?? '')).body.signatur.tilstand === 'fersk',
    )
    register.clearFaults()
  })

  it('P13: attack: who reads a company it never answers about in time is told so at once, while one at a time asks, and holds no place', async () => {
    const [silent = '', ...others] = numbers.slice(240, 244)
    register.setFault('roller', { kind: 'hang' }, { orgnr: silent })
    const why = async () => (await read(silent)).body.kilder.roller.arsak.kode
    const asked = () => register.calls.count('roller', silent)
    await eventually('it is left alone', async () => (await why()) === 'sperret', 60_000)
    const before = asked()
    // Each would have waited for as long as an answer may take.
    const told = await Promise.all(Array.from({ length: 50 }, why))
    expect([told.filter((each) => each === 'sperret').length >= 49, asked() - before <= 1]).toEqual([
      true,
      true,
    ])
    expect((await readAll(others)).flatMap(missing)).toEqual([])
    // Whoever asks for it to be asked has it asked.
    register.clearFaults()
    const anew = await service.get(`/api/bedrift/${silent}?fersk=true`)
    expect(missing(anew)).toEqual([])
    expect(missing(await read(silent))).toEqual([])
  })

  it.each(['enhet', 'roller'] as const)(
    'P13: attack: one company about which it answers wrongly (%s), read again and again, has nobody else go without it',
    async (source) => {
      const [bad = '', ...others] = numbers.slice(200, 230)
      // Of a shape that nothing can be read of; what is refused is not kept, so each who reads has it asked for anew.
      register.set(bad as never, source, { status: 200, json: [] })
      for (const orgnr of others) {
        const { status, body } = await read(bad)
        if (source === 'enhet') expect(status).toBe(503)
        // Time and again, and it is asked once in a while.
        else expect(['ugyldig_svar', 'sperret']).toContain(body.kilder.roller.arsak.kode)
        expect(missing(await read(orgnr))).toEqual([])
      }
      register.set(
        bad as never,
        source,
        answersWithCopies([bad as never]).companies.get(bad as never)?.[source] ?? null,
      )
    },
  )

  it('P75: attack: names that are too long for the register in other letters leave its search to others', async () => {
    const find = (q: string) => service.get(`/api/bedrift/sok?q=${encodeURIComponent(q)}`)
    const statuses = new Set<number>()
    for (let times = 0; times < 20; times++) statuses.add((await find(`${'å'.repeat(170)}${times}`)).status)
    expect([...statuses]).toEqual([200])
    expect((await find('tindevåg')).body.treff.length).toBeGreaterThan(0)
  })

  it('P54: is shown as well again when it is, though nobody has asked for anything since', async () => {
    const shown = async () =>
      (await service.getBare('/status.json')).body.kilder.find(
        ({ kilde }: { kilde: string }) => kilde === 'prokura',
      ).drift
    register.setFault('prokura', { kind: 'status', code: 503 })
    await readAll(numbers.slice(300, 330))
    await eventually('it is left alone', async () => (await shown()) === 'nede')
    register.clearFaults()
    await eventually('it is in use', async () => (await shown()) === 'i_drift')
  })
})

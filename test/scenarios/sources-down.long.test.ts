import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SAMPLE, sampleAnswers, UNKNOWN_NUMBER } from '../fixtures/samples/index.ts'
import { eventually } from '../support/eventually.ts'
import { answersWithCopies, inventNumbers } from '../support/invented-companies.ts'
import { type Fault, type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'

describe('when a source fails', () => {
  let register: RegisterStandIn
  let service: TestService
  const healthy = inventNumbers(50)

  beforeAll(async () => {
    register = await startRegisterStandIn({ answers: answersWithCopies(healthy) })
  })
  afterEach(() => register.clearFaults())
  afterAll(() => register.close())

  /** What one of these taught the guards is not what the others ask about. @returns how it is closed */
  async function start(): Promise<() => Promise<void>> {
    const started = await startTestService(register, {
      workers: false,
      isLoaded: true,
      variables: { ANSWER_DEADLINE_MS: '1500' },
    })
    service = started
    return () => started.close()
  }
  /** A healthy company nobody has asked for yet. */
  const another = () => healthy.pop() ?? ''
  const record = (orgnr: string = another()) => service.get(`/api/bedrift/${orgnr}`)
  const sections = [
    // First: few companies may be asked about.
    'regnskapskopier',
    'roller',
    'signatur',
    'prokura',
    'regnskap',
    'kunngjoringer',
    'konsern',
    'underenheter',
    'rollerIAndreForetak',
  ] as const

  describe('once', () => {
    beforeAll(start)

    it('no source is asked about a number that can not be one', async () => {
      register.calls.reset()
      expect((await service.get('/api/bedrift/923609017')).status).toBe(400)
      expect(register.calls.count()).toBe(0)
    })

    it('when the main register has no record, the other calls are given up', async () => {
      register.setFault('regnskap', { kind: 'hang' })
      const { status } = await record(SAMPLE.removed)
      expect(status).toBe(410)
      await eventually('the call has ended', () => register.calls.inFlight('regnskap') === 0)
    })

    it('the registers are told who asks, and nothing of the caller is handed on', async () => {
      await service.get(`/api/bedrift/${another()}`, { cookie: 'a=b', 'x-forwarded-for': '10.0.0.1' })
      const { headers } = register.calls.last('enhet') ?? {}
      expect(headers?.['user-agent']).toMatch(/^bedriftsoppslag\/\d.* \(.+\)$/)
      expect(Object.keys(headers ?? {}).toSorted()).toEqual([
        'accept',
        'accept-encoding',
        'connection',
        'host',
        'user-agent',
      ])
    })

    it.each(sections)(
      'P2: %s refusing leaves a 200 with that section unavailable and the others whole',
      async (source) => {
        register.setFault(source, { kind: 'refuse' })
        const { status, body } = await record()
        expect(status).toBe(200)
        expect(body.komplett).toBe(false)
        expect(body.kilder[source]).toMatchObject({ tilstand: 'utilgjengelig', arsak: { kode: 'nettverk' } })
        expect(body[source]).toEqual({ tilstand: 'utilgjengelig', data: null })
        for (const other of sections.filter((each) => each !== source))
          expect(body[other].tilstand).toBe('fersk')
      },
    )

    it('a parent that can not be had leaves the sub-unit whole', async () => {
      register.setFault('enhet', { kind: 'refuse' }, { orgnr: SAMPLE.healthy })
      const { status, body } = await record(SAMPLE.subUnit)
      expect(status).toBe(200)
      expect(body).toMatchObject({
        komplett: false,
        overordnetEnhet: { organisasjonsnummer: SAMPLE.healthy, tilstand: 'utilgjengelig', data: null },
      })
    })
  })

  const faults: [Fault, string][] = [
    [{ kind: 'hang' }, 'tidsfrist'],
    [{ kind: 'drip', chunkBytes: 1, everyMs: 50 }, 'tidsfrist'],
    [{ kind: 'reset' }, 'nettverk'],
    [{ kind: 'status', code: 503 }, 'feilstatus'],
    [{ kind: 'status', code: 429, headers: { 'retry-after': '30' } }, 'feilstatus'],
    [{ kind: 'html' }, 'ugyldig_svar'],
    [{ kind: 'truncated' }, 'ugyldig_svar'],
    [{ kind: 'redirect' }, 'ugyldig_svar'],
    [{ kind: 'wrongShape' }, 'ugyldig_svar'],
    [{ kind: 'huge', bytes: 8 * 1024 * 1024 }, 'ugyldig_svar'],
    [{ kind: 'wrongCompany' }, 'feil_foretak'],
  ]
  describe.each(faults)('%j', (fault, reason) => {
    beforeAll(start)

    it('P2, P9: a source that answers so is unavailable, with the reason', async () => {
      register.setFault('signatur', fault)
      const { status, body } = await record()
      expect(status).toBe(200)
      expect(body.kilder.signatur).toMatchObject({ tilstand: 'utilgjengelig', arsak: { kode: reason } })
      expect(body.roller.tilstand).toBe('fersk')
    })

    it('P2: the main register answering so is a 503 that says when to come back', async () => {
      register.setFault('enhet', fault)
      const { status, headers, body } = await record()
      expect(status).toBe(503)
      expect(body.kode).toBe('register_utilgjengelig')
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    })
  })

  describe('again and again', () => {
    beforeEach(start)

    it('a register’s own Retry-After is handed on within reason', async () => {
      register.setFault('enhet', { kind: 'status', code: 503, headers: { 'retry-after': '17' } })
      expect((await record()).headers.get('retry-after')).toBe('17')
      register.setFault('enhet', { kind: 'status', code: 503, headers: { 'retry-after': '86400' } })
      expect((await record()).headers.get('retry-after')).toBe('120')
    })

    it('P3: "unknown" is said only when both registers of units say so', async () => {
      register.setFault('underenhet', { kind: 'status', code: 500 })
      expect((await record(UNKNOWN_NUMBER)).status).toBe(503)
      register.clearFaults()
      expect((await record(UNKNOWN_NUMBER)).status).toBe(404)
    })
  })
})

describe('KUNNGJORINGER=av', () => {
  it('the announcements are unavailable because they are switched off, and the page is never asked', async () => {
    const register = await startRegisterStandIn({ answers: sampleAnswers() })
    const service = await startTestService(register, { variables: { KUNNGJORINGER: 'av' } })
    try {
      const { body } = await service.get(`/api/bedrift/${SAMPLE.healthy}`)
      expect(body.kilder.kunngjoringer).toMatchObject({
        tilstand: 'utilgjengelig',
        arsak: { kode: 'avslatt' },
      })
      expect(register.calls.count('kunngjoringer')).toBe(0)
    } finally {
      await service.close()
      await register.close()
    }
  })
})

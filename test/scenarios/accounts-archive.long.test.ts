import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { beforeEach, describe, expect, it } from 'vitest'
import { ACCOUNTS_ARCHIVE_CHANNEL, type AccountsArchiveEvent } from '#src/record/archived-accounts.ts'
import { okAnswer } from '#src/samples/answers.ts'
import { aar, figures, regnskapJson } from '#src/samples/shapes/regnskap.ts'
import { readKeptFilings } from '#src/storage/accounts-archive.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { HOUR_MS, type TestClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import type { Fault, RegisterStandIn } from '../support/register-stand-in.ts'
import type { TestService } from '../support/service.ts'
import { startTimedService } from '../support/timed-service.ts'

const ORGNR = SAMPLE.association
const DAY_MS = 24 * HOUR_MS

const sums = {
  driftsinntekter: 5_000_000,
  driftskostnad: 4_400_000,
  finansinntekter: 10_000,
  finanskostnader: 60_000,
  skatt: 120_000,
  anleggsmidler: 2_000_000,
  omloepsmidler: 1_500_000,
  bankinnskudd: 400_000,
  innskuttEgenkapital: 100_000,
  opptjentEgenkapital: 1_100_000,
  langsiktigGjeld: 900_000,
}
const filed = (year: number, id = year) =>
  regnskapJson(
    {
      orgnr: ORGNR,
      form: 'AS',
      id,
      journalnr: `${year + 1}000001`,
      regnskapstype: 'SELSKAP',
      periode: aar(year),
    },
    figures({ ...sums, driftsinntekter: year * 1000 }),
  )

let register: RegisterStandIn
let clock: TestClock
let service: TestService

async function start(options: { workers: boolean }): Promise<() => Promise<void>> {
  const started = await startTimedService({ ANSWER_DEADLINE_MS: '1500' }, options)
  ;({ register, clock, service } = started)
  register.set(ORGNR, 'regnskap', okAnswer([filed(2024)]))
  return started.close
}

const path = `/api/bedrift/${ORGNR}`
const read = () => service.get(path)
const kept = () => readKeptFilings(service.storage.database, ORGNR)
const isKept = (id: number) =>
  eventually(`${id} is kept`, async () => (await kept()).some((each) => each.id === id))
const years = (body: { regnskap: { data: { aar: { periode: { tilDato: string } }[] } } }) =>
  body.regnskap.data.aar.map(({ periode }) => periode.tilDato.slice(0, 4))

/** The register has moved on to another year, and nobody holds what it said before. */
async function nextYear(...filings: object[]): Promise<void> {
  register.set(ORGNR, 'regnskap', okAnswer(filings))
  await service.tiers.cache.purge(ORGNR, { hard: true, sections: ['regnskap'] })
}
const forget = () => service.tiers.cache.purge(ORGNR, { hard: true, sections: ['regnskap'] })

describe('accounts that were fetched once', () => {
  beforeEach(() => start({ workers: false }))

  it('P5: two years of filings fetched at different times are both in the record', async () => {
    expect(years((await read()).body)).toEqual(['2024'])
    await isKept(2024)
    clock.advance(100 * DAY_MS)
    await nextYear(filed(2025))
    const { body } = await read()
    expect(years(body)).toEqual(['2025', '2024'])
    expect(body.kilder.regnskap).toMatchObject({ tilstand: 'fersk', gjelderPer: '2025-12-31', arsak: null })
    const [newest, older] = body.regnskap.data.aar
    expect(newest.selskap).toMatchObject({
      id: 2025,
      arkiv: null,
      forholdstall: { totalrentabilitet: { grunnlag: 'gjennomsnitt' } },
    })
    expect(older.selskap).toMatchObject({ id: 2024, arkiv: { kilde: 'regnskapsregisteret' } })
    expect(older.selskap.nokkeltall.sumDriftsinntekter).toEqual({ belop: 2_024_000, opplysning: 'oppgitt' })
  })

  it('P11: are forgotten when the register says so with a 410, whatever its body', async () => {
    await read()
    await isKept(2024)
    register.set(ORGNR, 'regnskap', { status: 410, html: '<html>Gone</html>' })
    await forget()
    const { body } = await read()
    expect(body.regnskap).toEqual({ tilstand: 'ikke_funnet', data: null })
    expect(body.kilder.regnskap.arsak.kode).toBe('fjernet_hos_kilden')
    expect(await kept()).toEqual([])
    register.setFault('regnskap', { kind: 'status', code: 503 })
    clock.advance(100 * DAY_MS)
    expect((await read()).body.regnskap.data).toBeNull()
  })

  it('a resubmission stands in place of what it replaces, which stays readable', async () => {
    await read()
    await isKept(2024)
    await nextYear(filed(2024, 9000))
    const { body } = await read()
    expect(body.regnskap.data).toMatchObject({
      aar: [{ selskap: { id: 9000 } }],
      erstattet: [{ id: 2024, erstattetAv: 9000 }],
    })
  })

  it('fetched again unchanged nothing is written, and the answer is the same', async () => {
    const first = await read()
    await isKept(2024)
    const versions = () => service.storage.database.query('select xmin::text, ctid::text from regnskapsarkiv')
    const before = await versions()
    const again = await service.get(`${path}?fersk=true`)
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
    expect(await versions()).toEqual(before)
  })

  const faults: [Fault, string][] = [
    [{ kind: 'status', code: 503 }, 'feilstatus'],
    [{ kind: 'refuse' }, 'nettverk'],
    [{ kind: 'hang' }, 'tidsfrist'],
    [{ kind: 'html' }, 'ugyldig_svar'],
  ]
  it.each(faults)(
    'P8: source down, no copy: the archive is shown as stale, with the failure: %j',
    async (fault, kode) => {
      await read()
      await isKept(2024)
      await forget()
      register.setFault('regnskap', fault)
      const { status, body, headers } = await read()
      expect(status).toBe(200)
      expect(years(body)).toEqual(['2024'])
      const hentet = (await kept())[0]?.hentet
      expect(body.kilder.regnskap).toMatchObject({
        tilstand: 'utdatert',
        arsak: { kode },
        hentet: hentet?.toISOString(),
      })
      expect(body.komplett).toBe(true)
      expect(headers.get('cache-status')).toContain('fwd=')
      expect(body.roller.tilstand).not.toBe('utilgjengelig')

      // Not kept as an answer: as soon as the source is well it is asked.
      register.clearFaults()
      await eventually('it is fresh again', async () => (await read()).body.regnskap.tilstand === 'fersk')
    },
  )

  it('source down and nothing kept: unavailable as before', async () => {
    register.setFault('regnskap', { kind: 'status', code: 503 })
    expect((await read()).body).toMatchObject({
      regnskap: { tilstand: 'utilgjengelig', data: null },
      komplett: false,
    })
  })

  it('P4: a register that has nothing any more: the archive is shown as stale and asked about again soon', async () => {
    await read()
    await isKept(2024)
    register.set(ORGNR, 'regnskap', null)
    await forget()
    const { body } = await read()
    expect(years(body)).toEqual(['2024'])
    expect(body.kilder.regnskap).toMatchObject({
      tilstand: 'utdatert',
      arsak: { kode: 'ingen_hos_kilden_na' },
    })
    clock.advance(5 * 60_000)
    register.set(ORGNR, 'regnskap', okAnswer([filed(2024)]))
    expect((await read()).body.regnskap.tilstand).toBe('fersk')
  })

  it('with PostgreSQL away the register’s answer is served, says what may be missing, and is whole when it is back', async () => {
    const { database } = service.storage
    await read()
    await isKept(2024)
    const failed: string[] = []
    const hear = (event: unknown) => {
      const told = event as AccountsArchiveEvent
      if (told.kind === 'failed') failed.push(told.what)
    }
    subscribe(ACCOUNTS_ARCHIVE_CHANNEL, hear)
    try {
      await database.query('alter table regnskapsarkiv rename to borte')
      await nextYear(filed(2025))
      const { body } = await read()
      expect(years(body)).toEqual(['2025'])
      expect(body.regnskap).toMatchObject({ tilstand: 'fersk', data: { arkivLest: false } })
      // Behind the answer.
      await eventually('it is found out that it can not be kept', () => failed.includes('write'))
    } finally {
      unsubscribe(ACCOUNTS_ARCHIVE_CHANNEL, hear)
    }
    await database.query('alter table borte rename to regnskapsarkiv')
    expect(await kept()).toHaveLength(1)
    clock.advance(7 * 60_000)
    await eventually('both years are there', async () => {
      clock.advance(6000)
      return years((await read()).body).length === 2
    })
    await isKept(2025)
  })
})

describe('accounts of a company that is removed', () => {
  beforeEach(() => start({ workers: true }))

  it('P11: nothing of a removed company is left, nor comes back', async () => {
    await read()
    await isKept(2024)
    register.set(ORGNR, 'enhet', {
      status: 410,
      json: { respons_klasse: 'FjernetEnhet', organisasjonsnummer: ORGNR, slettedato: '2026-11-01' },
    })
    try {
      expect((await service.get(`${path}?fersk=true`)).status).toBe(410)
      await eventually('it is erased', async () => {
        const rows = await service.storage.database.query<{ places: string[] }>(
          'select utvisket_fra as places from fjernet',
        )
        return rows[0]?.places.includes('regnskapsarkiv') === true
      })
      expect(await service.storage.database.query('select from regnskapsarkiv')).toEqual([])
      expect((await read()).status).toBe(410)
    } finally {
      register.set(ORGNR, 'enhet', sampleAnswers().companies.get(ORGNR)?.enhet ?? null)
    }
  })
})

describe('P4: a bank', () => {
  beforeEach(() => start({ workers: false }))

  it('keeps its state while nothing is known, and shows the years an operator has imported', async () => {
    const bank = () => service.get(`/api/bedrift/${SAMPLE.bank}`)
    expect((await bank()).body.kilder.regnskap).toMatchObject({
      tilstand: 'ikke_relevant',
      arsak: { kode: 'oppstillingsplan_ikke_stottet' },
    })
    await service.storage.database.query(
      `insert into regnskapsarkiv values ($1, 'SELSKAP', '2019-01-01', '2019-12-31', 0, null, 'NOK', 'import', now(),
       '{"oppstillingsplan":"BANK"}', '{"eiendeler":{"sumEiendeler":5}}', '{sumEiendeler}')`,
      [Number(SAMPLE.bank)],
    )
    await service.tiers.cache.purge(SAMPLE.bank, { hard: true, sections: ['regnskap'] })
    const { body } = await bank()
    expect(years(body)).toEqual(['2019'])
    expect(body.kilder.regnskap).toMatchObject({
      tilstand: 'utdatert',
      arsak: { kode: 'oppstillingsplan_ikke_stottet' },
    })
    expect(body.regnskap.data.aar[0].selskap).toMatchObject({
      arkiv: { kilde: 'import' },
      nokkeltall: {
        sumEiendeler: { belop: 5, opplysning: 'oppgitt' },
        driftsresultat: { belop: null, opplysning: 'ikke_pliktig' },
        aarsresultat: { belop: null, opplysning: 'ikke_hentet' },
      },
    })
  })
})

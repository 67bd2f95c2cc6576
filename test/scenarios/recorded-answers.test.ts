import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bedrift, Bedrift as BedriftSchema } from '#src/record/record.ts'
import { sectionNames } from '#src/record/sections.ts'
import { compilePromised } from '#test/support/promised.ts'
import { eventually } from '../support/eventually.ts'
import { RECORDED, recordedAnswers } from '../support/recorded-answers.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'

const answers = recordedAnswers()
const promised = compilePromised(BedriftSchema)

/** The whole service over what the registers really answered. Without the recordings beside the project this is skipped. */
describe.skipIf(answers === null)('over the recorded register answers', () => {
  let register: RegisterStandIn
  let service: TestService

  beforeAll(async () => {
    if (answers === null) return
    register = await startRegisterStandIn({ answers })
    service = await startTestService(register)
    await eventually('the industry codes are loaded', async () => {
      const { body } = await service.get(`/api/bedrift/${RECORDED.equinor}`)
      return body.kilder.sn2007.tilstand === 'fersk'
    })
  })
  afterAll(async () => {
    await service?.close()
    await register?.close()
  })

  async function record(orgnr: string): Promise<Bedrift> {
    const { status, body } = await service.get(`/api/bedrift/${orgnr}`)
    expect(status).toBe(200)
    expect([...promised.Errors(body)]).toEqual([])
    return body
  }

  it('Equinor has every section filled', async () => {
    const equinor = await record(RECORDED.equinor)
    expect(equinor.komplett).toBe(true)
    const states = Object.fromEntries(sectionNames.map((name) => [name, equinor.kilder[name].tilstand]))
    expect(states).toEqual({
      ...Object.fromEntries(sectionNames.map((name) => [name, 'fersk'])),
      overordnetEnhet: 'ikke_funnet',
      // Not recorded.
      rollerIAndreForetak: 'ikke_funnet',
      aksjonaerer: 'ikke_importert',
      eierskap: 'ikke_importert',
    })
    expect(equinor).toMatchObject({
      navn: 'EQUINOR ASA',
      antallAnsatte: { antall: 21239, opplysning: 'oppgitt' },
      kapital: { antallAksjer: 2390749040, valuta: 'NOK' },
      status: { data: { foretakstilstand: 'aktiv', paategninger: [] } },
      signatur: { data: { registrert: true } },
      prokura: { data: { registrert: false } },
    })
    expect(equinor.historiskeNavn?.map(({ fraDato }) => fraDato)).toEqual([
      '1995-03-12T16:23:00+01:00',
      '2001-05-11T08:32:09+02:00',
      '2007-10-01T06:44:33+02:00',
      '2009-11-02T07:56:24+01:00',
    ])
    expect(equinor.naering.data?.naeringskoder?.map(({ sn2025 }) => sn2025.kode)).toEqual([
      '06.100',
      '06.200',
      '19.200',
    ])
    expect(equinor.naering.data?.vedtektsfestetFormaal).toContain('avledede produkter og tjenester')
    expect(equinor.kunngjoringer.data?.kunngjoringer.map(({ dato }) => dato)).toEqual([
      '2026-08-26',
      '2026-08-26',
      '2025-06-04',
    ])
  })

  it('P6: Equinor’s former board member is not among the current', async () => {
    const { roller } = await record(RECORDED.equinor)
    expect(roller.data?.styre.medlemmer?.map(({ gjeldende }) => gjeldende)).toEqual([true, true])
    expect(roller.data?.tidligere?.map(({ rolleinnehaver }) => rolleinnehaver.navn)).toEqual([
      'Anne Test Nordmann',
    ])
    expect(roller.data?.styre.varamedlemmer?.[0]?.valgtAvAnsatte).toBe(true)
    expect(roller.data?.revisor?.[0]?.rolleinnehaver).toMatchObject({ navn: 'ERNST & YOUNG AS' })
  })

  it('P5: Equinor’s six filings keep company and group apart, in dollars', async () => {
    const { regnskap } = await record(RECORDED.equinor)
    const years = regnskap.data?.aar ?? []
    expect(years.map(({ periode }) => periode.tilDato)).toEqual(['2025-12-31', '2024-12-31', '2023-12-31'])
    const filings = years.flatMap(({ selskap, konsern }) => [selskap, konsern])
    expect(filings.map((filing) => filing?.id)).toEqual([
      7192427, 7192429, 5667197, 5667199, 5027443, 5027445,
    ])
    expect(new Set(filings.map((filing) => filing?.valuta))).toEqual(new Set(['USD']))
    expect(years[0]?.konsern?.nokkeltall.sumDriftsinntekter.belop).toBe(106462000000)
    expect(regnskap.data?.nokkeltallFra).toMatchObject({ regnskapstype: 'SELSKAP', tilDato: '2025-12-31' })
  })

  it('the bankrupt company has its date and its administrator', async () => {
    const { status, roller } = await record(RECORDED.bankrupt)
    expect(status.data).toMatchObject({
      foretakstilstand: 'konkurs',
      konkurs: { gjelder: true, dato: '2026-08-26' },
    })
    expect(roller.data?.bostyrer?.[0]?.rolleinnehaver).toMatchObject({
      type: 'bostyrer',
      navn: 'Adv. Ola Nordmann',
    })
  })

  it('the company under forced dissolution has the reason and its date', async () => {
    const { status, naering } = await record(RECORDED.forcedDissolution)
    expect(status.data).toMatchObject({
      foretakstilstand: 'tvangsopplosning',
      tvangsavviklingEllerTvangsopplosning: {
        grunner: [{ grunn: 'manglende_regnskap', dato: '2026-06-04' }],
      },
    })
    expect(naering.data?.naeringskoder?.[0]?.sn2007?.art).toBe('uoppgitt')
  })

  it('P3: the deleted answer 200 with name and date, and nothing live', async () => {
    for (const orgnr of RECORDED.deleted) {
      const deleted = await record(orgnr)
      expect(deleted).toMatchObject({
        enhetstype: 'slettet',
        status: { data: { foretakstilstand: 'slettet' } },
        roller: { data: null },
      })
      expect(deleted.slettedato).not.toBeNull()
    }
  })

  it('P3: the one removed on legal grounds answers 410 without a name', async () => {
    const { status, body, text } = await service.get(`/api/bedrift/${RECORDED.removed}`)
    expect(status).toBe(410)
    expect(body).toMatchObject({ kode: 'fjernet', slettedato: '2026-09-05' })
    expect(text).not.toContain('navn')
  })

  it('P3: the sub-unit’s number leads to it and to its parent', async () => {
    const subUnit = await record(RECORDED.subUnit)
    expect(subUnit).toMatchObject({
      enhetstype: 'underenhet',
      navn: 'DNB BANK ASA AVD ALTA',
      overordnetEnhet: { organisasjonsnummer: RECORDED.bank, tilstand: 'fersk' },
      adresser: { data: { beliggenhetsadresse: { poststed: 'ALTA' } } },
      roller: { tilstand: 'ikke_relevant' },
    })
  })

  it('the noted company shows the note, an address without lines, and withheld employees', async () => {
    const noted = await record(RECORDED.noted)
    expect(noted.status.data?.paategninger).toEqual([
      {
        infotype: { kode: 'FADR', beskrivelse: null },
        tekst: expect.stringContaining('forretningsadressen er feil'),
        innfortDato: '2026-09-01',
      },
    ])
    expect(noted.adresser.data?.forretningsadresse?.adresse).toEqual([])
    expect(noted.antallAnsatte).toEqual({ antall: null, opplysning: 'tilbakeholdt_1_til_4' })
  })

  it('a courier is not made a laundry by a table that lists only changes', async () => {
    const { naering } = await record(RECORDED.noted)
    expect(naering.data?.naeringskoder?.[0]).toMatchObject({
      sn2025: { kode: '53.200' },
      sn2007: { art: 'en_av_flere', fullstendig: false },
    })
  })

  it('P4: the bank’s accounts are not supported, and its record is complete', async () => {
    const bank = await record(RECORDED.bank)
    expect(bank.kilder.regnskap).toMatchObject({
      tilstand: 'ikke_relevant',
      arsak: { kode: 'oppstillingsplan_ikke_stottet' },
    })
    expect(bank.komplett).toBe(true)
  })

  it('P6: roles in the older shape are read the same way', async () => {
    const { roller } = await record(RECORDED.olderRoles)
    expect(roller.tilstand).toBe('fersk')
    expect(roller.data?.dagligLeder?.every(({ gjeldende }) => gjeldende === true)).toBe(true)
  })
})

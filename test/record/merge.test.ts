import { describe, expect, it } from 'vitest'
import { merge } from '#src/record/merge.ts'
import type { Parts } from '#src/record/parts.ts'
import { Bedrift } from '#src/record/record.ts'
import { sectionNames } from '#src/record/sections.ts'
import { compilePromised } from '#test/support/promised.ts'
import { absent, accounts, enhet, fetchedAt, found, late, parts } from './parts.ts'

const promised = compilePromised(Bedrift)
const record = (changes: Partial<Parts> = {}) => {
  const merged = merge(parts(changes))
  expect([...promised.Errors(merged)]).toEqual([])
  return merged
}

const loaded = {
  loadedAt: fetchedAt,
  isFresh: true,
  avvik: [],
  toSn2007: () => ({ art: 'samme' as const, koder: [], fullstendig: true }),
  toSn2025: () => [],
}
const bank = { kode: '64.190', beskrivelse: 'Banker og kredittforetak' }
const regnskap = (changes: object) => ({
  id: 1,
  regnskapstype: 'SELSKAP',
  virksomhet: { organisasjonsnummer: '923609016' },
  regnskapsperiode: { fraDato: '2025-01-01', tilDato: '2025-12-31' },
  valuta: 'NOK',
  ...changes,
})

describe('P1: every section says where it comes from and how it is', () => {
  it('each section has a source, a licence and a state', () => {
    const { kilder } = record()
    for (const name of sectionNames) {
      expect(kilder[name].kilde, name).not.toBe('')
      expect(kilder[name].lisens, name).not.toBe('')
    }
    expect(kilder.enhet).toMatchObject({ tilstand: 'fersk', hentet: '2026-11-21T10:00:00.000Z', arsak: null })
  })

  it('each source has a name for programs, and the address that was asked where one was', () => {
    const parent = { organisasjonsnummer: '974760673', answer: late }
    const { kilder } = record({ parent, roller: late, unitFrom: 'underenhet' })
    expect(kilder).toMatchObject({
      enhet: {
        kildeId: 'brreg-enhetsregisteret',
        adresse: 'https://data.brreg.no/enhetsregisteret/api/underenheter/923609016',
      },
      overordnetEnhet: { adresse: 'https://data.brreg.no/enhetsregisteret/api/enheter/974760673' },
      roller: {
        kildeId: 'brreg-roller',
        adresse: 'https://data.brreg.no/enhetsregisteret/api/enheter/923609016/roller',
      },
      kunngjoringer: {
        adresse: 'https://w2.brreg.no/kunngjoring/hent_nr.jsp?orgnr=923609016&deleted=true&spraak=nb',
      },
      aksjonaerer: { kildeId: 'skatteetaten-aksjonaerregisteret', adresse: null },
    })
    expect(record().kilder.overordnetEnhet.adresse).toBeNull()
    const unnamed = { organisasjonsnummer: '12', answer: late }
    expect(record({ parent: unnamed }).kilder.overordnetEnhet.adresse).toBeNull()
    const deleted = { ...enhet(), respons_klasse: 'SlettetEnhet' as const, slettedato: '2024-03-09' }
    expect(record({ unit: found(deleted) }).kilder.roller).toMatchObject({
      tilstand: 'ikke_relevant',
      adresse: null,
    })
  })

  it('data is there exactly when the state says so', () => {
    for (const changes of [
      {},
      { roller: late },
      { regnskap: { outcome: 'unsupported', certain: true, fetchedAt } },
    ] as Partial<Parts>[]) {
      const merged = record(changes)
      for (const section of [
        merged.adresser,
        merged.status,
        merged.roller,
        merged.signatur,
        merged.naering,
        merged.regnskap,
        merged.aksjonaerer,
      ]) {
        expect(section.data !== null).toBe(['fersk', 'utdatert'].includes(section.tilstand))
      }
    }
  })

  it('a source that is down is unavailable with a reason, never empty and never a bare null', () => {
    const { roller, kilder, komplett } = record({ roller: late, industryCodes: loaded })
    expect(roller).toEqual({ tilstand: 'utilgjengelig', data: null })
    expect(kilder.roller.arsak).toMatchObject({ kode: 'tidsfrist' })
    expect(komplett).toBe(false)
  })

  it('a source that answered with nothing is absent, and the record is complete', () => {
    const { roller, kilder, komplett } = record({ roller: absent, industryCodes: loaded })
    expect(roller).toEqual({ tilstand: 'ikke_funnet', data: null })
    expect(kilder.roller.hentet).toBe('2026-11-21T10:00:00.000Z')
    expect(komplett).toBe(true)
  })

  it('the shareholder sections say that the archive is not imported', () => {
    expect(record()).toMatchObject({
      aksjonaerer: { tilstand: 'ikke_importert' },
      eierskap: { tilstand: 'ikke_importert' },
    })
  })

  it('optional fields that had the wrong shape are named', () => {
    const unit = { ...found(enhet()), avvik: ['/antallAnsatte'] }
    expect(record({ unit }).kilder.enhet.avvik).toEqual(['/antallAnsatte'])
  })
})

describe('P71: what was sent and can not be read', () => {
  it('is null, and never none, no or current', () => {
    const unit = found(
      enhet({
        historiskeNavn: null,
        naeringskode1: null,
        forretningsadresse: { adresse: null, poststed: 'OSLO' },
        underTvangsavviklingEllerTvangsopplosning: true,
        tvangsopplostPgaManglendeRegnskapDato: null,
        paategninger: [null],
        frivilligMvaRegistrertBeskrivelser: [null],
        vedtektsfestetFormaal: ['Kjøp av', null, 'i Norge.'],
      }),
    )
    const merged = record({ unit })
    expect(merged).toMatchObject({ historiskeNavn: null, frivilligMvaRegistrertBeskrivelser: null })
    expect(merged.naering.data).toMatchObject({
      naeringskoder: null,
      vedtektsfestetFormaal: 'Kjøp av […] i Norge.',
    })
    expect(merged.adresser.data?.forretningsadresse).toMatchObject({ adresse: null, poststed: 'OSLO' })
    expect(merged.status.data).toMatchObject({
      paategninger: null,
      tvangsavviklingEllerTvangsopplosning: { gjelder: true, grunner: null },
    })
    const clean = record()
    expect(clean.naering.data?.naeringskoder).toEqual([])
    expect(clean.status.data?.tvangsavviklingEllerTvangsopplosning.grunner).toEqual([])
  })

  it('in a list costs itself: the street stays', () => {
    const adresse = ['Tyvholmen 1', null, '']
    const unit = found(enhet({ forretningsadresse: { adresse } }))
    expect(record({ unit }).adresser.data?.forretningsadresse?.adresse).toEqual(['Tyvholmen 1'])
  })

  it('of a parent is unavailable and named; the register does state one', () => {
    const unread = { outcome: 'failed', failure: 'ugyldig_svar', field: '/overordnetEnhet' } as const
    const merged = record({ parent: { organisasjonsnummer: null, answer: unread } })
    expect(merged.overordnetEnhet).toEqual({
      organisasjonsnummer: null,
      tilstand: 'utilgjengelig',
      data: null,
    })
    expect(merged.kilder.overordnetEnhet).toMatchObject({
      arsak: { kode: 'ugyldig_svar' },
      avvik: ['/overordnetEnhet'],
    })
  })

  it('and took a section with it is named there', () => {
    const refusedAt = (field: string | null) =>
      record({ roller: { outcome: 'failed', failure: 'ugyldig_svar', field } }).kilder.roller
    expect(refusedAt('/rollegrupper')).toMatchObject({ tilstand: 'utilgjengelig', avvik: ['/rollegrupper'] })
    expect(refusedAt('').avvik).toEqual(['(hele svaret)'])
    expect(refusedAt(null).avvik).toEqual([])
  })

  it('as a name costs the name, and the record stands', () => {
    const { navn, organisasjonsform, komplett } = record({
      unit: found(enhet({ navn: null, organisasjonsform: null })),
      industryCodes: loaded,
    })
    expect([navn, organisasjonsform, komplett]).toEqual([null, null, true])
  })
})

describe('P11: what a source was ordered to take out', () => {
  it('is not found, with that reason, in a record that is complete', () => {
    const removed = { outcome: 'removed', slettedato: null, fetchedAt } as const
    const merged = record({
      roller: removed,
      signatur: removed,
      kunngjoringer: removed,
      industryCodes: loaded,
    })
    for (const name of ['roller', 'signatur', 'kunngjoringer'] as const) {
      expect(merged[name]).toEqual({ tilstand: 'ikke_funnet', data: null })
      expect(merged.kilder[name].arsak?.kode).toBe('fjernet_hos_kilden')
    }
    expect(merged.komplett).toBe(true)
  })
})

describe('P3: deleted units and sub-units', () => {
  it('what a deleted sub-unit states besides is shown: the day it was closed, its address, its parent', () => {
    const unit = found({
      respons_klasse: 'SlettetEnhet' as const,
      organisasjonsnummer: '923609016',
      navn: 'LYNGHEI AVD',
      organisasjonsform: { kode: 'BEDR' },
      nedleggelsesdato: '2024-03-01',
      beliggenhetsadresse: { poststed: 'OSLO' },
    })
    const merged = record({ unit, parent: { organisasjonsnummer: '915330193', answer: absent } })
    expect(merged).toMatchObject({
      enhetstype: 'slettet',
      slettedato: null,
      nedleggelsesdato: '2024-03-01',
      overordnetEnhet: { organisasjonsnummer: '915330193' },
      adresser: { data: { beliggenhetsadresse: { poststed: 'OSLO' } } },
      naering: { tilstand: 'ikke_funnet' },
      status: { data: { foretakstilstand: 'slettet', slettet: { gjelder: true, dato: null } } },
    })
  })

  it('a deleted company keeps name, form and date, and shows nothing live', () => {
    const unit = found({
      respons_klasse: 'SlettetEnhet' as const,
      organisasjonsnummer: '923609016',
      navn: 'LYNGHEI AS',
      organisasjonsform: { kode: 'AS' },
      slettedato: '2024-03-09',
    })
    const merged = record({ unit, roller: late, industryCodes: loaded })
    expect(merged).toMatchObject({
      enhetstype: 'slettet',
      slettedato: '2024-03-09',
      antallAnsatte: { antall: null, opplysning: 'ukjent' },
      status: { data: { foretakstilstand: 'slettet', konkurs: { gjelder: null } } },
      adresser: { tilstand: 'ikke_funnet' },
      roller: { tilstand: 'ikke_relevant' },
      signatur: { tilstand: 'ikke_relevant' },
      komplett: true,
    })
  })

  it('a sub-unit shows its parent, and leaves to it what is the parent’s', () => {
    const unit = found({
      respons_klasse: 'Underenhet' as const,
      organisasjonsnummer: '973160834',
      navn: 'LYNGHEI AVD ALTA',
      organisasjonsform: { kode: 'BEDR' },
      overordnetEnhet: '923609016',
      beliggenhetsadresse: { poststed: 'ALTA', adresse: [] },
    })
    const merged = record({
      unit,
      parent: { organisasjonsnummer: '923609016', answer: found(enhet({ konkurs: true })) },
    })
    expect(merged).toMatchObject({
      enhetstype: 'underenhet',
      overordnetEnhet: {
        organisasjonsnummer: '923609016',
        tilstand: 'fersk',
        data: { navn: 'LYNGHEI AS', foretakstilstand: 'konkurs' },
      },
      adresser: { data: { beliggenhetsadresse: { poststed: 'ALTA', adresse: [], kommune: null } } },
      status: { tilstand: 'ikke_relevant' },
      roller: { tilstand: 'ikke_relevant' },
    })
  })

  it('a parent that can not be had is unavailable, its number still known', () => {
    const unit = found(enhet({ overordnetEnhet: '974760673' }))
    const merged = record({ unit, parent: { organisasjonsnummer: '974760673', answer: late } })
    expect(merged.overordnetEnhet).toEqual({
      organisasjonsnummer: '974760673',
      tilstand: 'utilgjengelig',
      data: null,
    })
    expect(merged.komplett).toBe(false)
  })
})

describe('P4: withheld, missing and zero are three things', () => {
  it.each([
    [
      { antallAnsatte: 12, harRegistrertAntallAnsatte: true },
      { antall: 12, opplysning: 'oppgitt' },
    ],
    [{ harRegistrertAntallAnsatte: true }, { antall: null, opplysning: 'tilbakeholdt_1_til_4' }],
    [{ harRegistrertAntallAnsatte: false }, { antall: null, opplysning: 'ingen_registrert' }],
    [
      { antallAnsatte: 0, harRegistrertAntallAnsatte: true },
      { antall: 0, opplysning: 'oppgitt' },
    ],
  ])('employees %j', (fields, shown) => {
    expect(record({ unit: found(enhet(fields)) }).antallAnsatte).toEqual(shown)
  })

  it('a figure that was not filed is null, not zero', () => {
    const filing = regnskap({
      resultatregnskapResultat: { aarsresultat: 0, driftsresultat: { driftsinntekter: {} } },
    })
    const { nokkeltall } = record({ regnskap: accounts([filing]) }).regnskap.data?.aar[0]?.selskap ?? {}
    expect(nokkeltall).toMatchObject({
      aarsresultat: { belop: 0, opplysning: 'oppgitt' },
      sumDriftsinntekter: { belop: null, opplysning: 'ikke_fort' },
      sumEiendeler: { belop: null, opplysning: 'ikke_fort' },
    })
  })

  it('a bank whose accounts the register can not serve is not an outage, whatever words the register uses', () => {
    const unit = found(enhet({ naeringskode1: bank }))
    const generic = { outcome: 'unsupported' as const, certain: false, fetchedAt }
    const merged = record({ unit, regnskap: generic, industryCodes: loaded })
    expect(merged).toMatchObject({ regnskap: { tilstand: 'ikke_relevant' }, komplett: true })
    expect(merged.kilder.regnskap.arsak?.kode).toBe('oppstillingsplan_ikke_stottet')
  })

  it('insurers and pension funds are known by their form or their industry, deleted ones too', () => {
    const generic = { outcome: 'unsupported' as const, certain: false, fetchedAt }
    const units = [
      ...['SPA', 'GFS', 'PK', 'VPFO'].map((kode) => enhet({ organisasjonsform: { kode } })),
      enhet({ naeringskode1: null, naeringskode2: { kode: '65.300' } }),
      { ...enhet({ organisasjonsform: { kode: 'PK' } }), respons_klasse: 'SlettetEnhet' as const },
    ]
    for (const unit of units) {
      expect(record({ unit: found(unit), regnskap: generic }).regnskap.tilstand).toBe('ikke_relevant')
    }
  })

  it('the same general error for a company that is no bank is an outage', () => {
    const generic = { outcome: 'unsupported' as const, certain: false, fetchedAt }
    expect(record({ regnskap: generic })).toMatchObject({
      regnskap: { tilstand: 'utilgjengelig' },
      komplett: false,
    })
  })

  it('years from the archive are shown, never as fresh, where the register has none itself', () => {
    const archived = [
      { regnskap: regnskap({}), kilde: 'import' as const, hentet: fetchedAt.toISOString(), felt: null },
    ]
    const unit = found(enhet({ naeringskode1: bank }))
    const all = [
      ['absent', undefined, 'ingen_hos_kilden_na'],
      ['unsupported', undefined, 'oppstillingsplan_ikke_stottet'],
      ['unsupported_uncertain', unit, 'oppstillingsplan_ikke_stottet'],
      ['unsupported_uncertain', undefined, 'feilstatus'],
    ] as const
    for (const [withoutLive, bankUnit, kode] of all) {
      const accountsPart = accounts([], { archived, withoutLive })
      const merged = record({ regnskap: accountsPart, ...(bankUnit && { unit: bankUnit }) })
      expect(merged.regnskap).toMatchObject({ tilstand: 'utdatert', data: { aar: [{ selskap: { id: 1 } }] } })
      expect(merged.kilder.regnskap).toMatchObject({
        tilstand: 'utdatert',
        arsak: { kode },
        hentet: fetchedAt.toISOString(),
        gjelderPer: '2025-12-31',
      })
    }
  })

  it('an unsupported plan that the register names itself is believed for any company', () => {
    const named = { outcome: 'unsupported' as const, certain: true, fetchedAt }
    expect(record({ regnskap: named }).regnskap.tilstand).toBe('ikke_relevant')
  })
})

describe('P5: accounts are picked by type and period', () => {
  const year = (year: number, type: string, id: number, valuta = 'NOK') =>
    regnskap({
      id,
      regnskapstype: type,
      valuta,
      regnskapsperiode: { fraDato: `${year}-01-01`, tilDato: `${year}-12-31` },
    })
  const filings = [
    year(2023, 'KONSERN', 1),
    year(2025, 'KONSERN', 3, 'USD'),
    year(2023, 'SELSKAP', 2),
    year(2025, 'SELSKAP', 4, 'USD'),
  ]

  it('the key figures are the newest company accounts, wherever they stand in the answer', () => {
    for (const order of [filings, [...filings].reverse()]) {
      const { data } = record({ regnskap: accounts(order) }).regnskap
      expect(data?.nokkeltallFra).toEqual({ regnskapstype: 'SELSKAP', tilDato: '2025-12-31', id: 4 })
      expect(data?.aar).toMatchObject([
        { periode: { tilDato: '2025-12-31' }, selskap: { id: 4 }, konsern: { id: 3 } },
        { periode: { tilDato: '2023-12-31' }, selskap: { id: 2 }, konsern: { id: 1 } },
      ])
    }
  })

  it('group accounts are the key figures only where there are no company accounts', () => {
    const { data } = record({ regnskap: accounts([year(2024, 'KONSERN', 9)]) }).regnskap
    expect(data?.nokkeltallFra).toMatchObject({ regnskapstype: 'KONSERN', id: 9 })
  })

  it('of two filings for one period the newest id stands, and the other says so', () => {
    const { data } = record({
      regnskap: accounts([year(2025, 'SELSKAP', 8), year(2025, 'SELSKAP', 7)]),
    }).regnskap
    expect(data?.nokkeltallFra?.id).toBe(8)
    expect(data?.aar).toMatchObject([{ selskap: { id: 8 }, konsern: null }])
    expect(data?.erstattet).toMatchObject([{ regnskapstype: 'SELSKAP', id: 7, erstattetAv: 8 }])
  })

  it('the currency is always shown, and what the accounts are as of', () => {
    const merged = record({ regnskap: accounts(filings) })
    expect(merged.regnskap.data?.aar[0]?.selskap?.valuta).toBe('USD')
    expect(merged.kilder.regnskap.gjelderPer).toBe('2025-12-31')
  })
})

describe('status', () => {
  it.each([
    [{ konkurs: true, underTvangsavviklingEllerTvangsopplosning: true }, 'konkurs'],
    [
      { underTvangsavviklingEllerTvangsopplosning: true, underAvvikling: true },
      'tvangsavvikling_eller_tvangsopplosning',
    ],
    [
      {
        underTvangsavviklingEllerTvangsopplosning: true,
        tvangsopplostPgaManglendeRegnskapDato: '2026-01-01',
      },
      'tvangsopplosning',
    ],
    [
      {
        underTvangsavviklingEllerTvangsopplosning: true,
        tvangsopplostPgaManglendeRegnskapDato: null,
        tvangsavvikletPgaManglendeSlettingDato: '2026-01-01',
      },
      'tvangsavvikling_eller_tvangsopplosning',
    ],
    [{ underRekonstruksjonsforhandlingDato: null }, 'ukjent'],
    [{ underUtenlandskInsolvensbehandlingDato: null }, 'ukjent'],
    [{ konkurs: null }, 'ukjent'],
    [{ konkurs: null, konkursdato: '2026-01-01' }, 'konkurs'],
    [{ klasseUlest: true as const }, 'ukjent'],
    [{ klasseUlest: true as const, konkurs: true }, 'konkurs'],
    [
      {
        underTvangsavviklingEllerTvangsopplosning: true,
        tvangsavvikletPgaManglendeSlettingDato: '2026-01-01',
      },
      'tvangsavvikling',
    ],
    [{ underAvvikling: true, underRekonstruksjonsforhandlingDato: '2026-01-01' }, 'under_avvikling'],
    [{ underRekonstruksjonsforhandlingDato: '2026-01-01' }, 'rekonstruksjon'],
    [{ underUtenlandskInsolvensbehandlingDato: '2026-01-01' }, 'utenlandsk_insolvens'],
    [{}, 'aktiv'],
  ])('%j is %s', (fields, tilstand) => {
    expect(record({ unit: found(enhet(fields)) }).status.data?.foretakstilstand).toBe(tilstand)
  })

  it('the form at home is a code with its own description and the register’s Norwegian for it', () => {
    const form = { kode: 'LTD', beskrivelse: 'Private limited', beskrivelseBokmaal: 'Privat selskap' }
    const shown = (at: object) =>
      record({ unit: found(enhet({ foretaksformIHjemlandet: at })) }).foretaksformIHjemlandet
    expect(shown(form)).toEqual(form)
    expect(shown({ kode: 'LTD' })).toEqual({ kode: 'LTD', beskrivelse: null, beskrivelseBokmaal: null })
  })

  it('a missing flag is unknown, not "no"', () => {
    const { konkurs: _, ...without } = enhet()
    expect(record({ unit: found(without) }).status.data).toMatchObject({
      foretakstilstand: 'ukjent',
      konkurs: { gjelder: null },
    })
  })

  it('every reason for forced dissolution keeps its date', () => {
    const unit = found(
      enhet({
        underTvangsavviklingEllerTvangsopplosning: true,
        tvangsopplostPgaManglendeRevisorDato: '2026-02-01',
        tvangsopplostPgaManglendeRegnskapDato: '2026-03-01',
      }),
    )
    expect(record({ unit }).status.data?.tvangsavviklingEllerTvangsopplosning.grunner).toEqual([
      { grunn: 'manglende_regnskap', dato: '2026-03-01' },
      { grunn: 'manglende_revisor', dato: '2026-02-01' },
    ])
  })
})

describe('industry', () => {
  it('without SSB’s table the register’s code is shown and the promised set is unavailable', () => {
    const merged = record({ unit: found(enhet({ naeringskode1: bank })) })
    expect(merged.naering.data?.naeringskoder).toEqual([{ rangering: 1, sn2025: bank, sn2007: null }])
    expect(merged.kilder.sn2007.tilstand).toBe('utilgjengelig')
  })

  it('hard-wrapped text is joined, and a gap in the ranks is kept', () => {
    const unit = found(
      enhet({ naeringskode2: bank, aktivitet: ['Drive butikk og', 'annet.'], vedtektsfestetFormaal: [] }),
    )
    expect(record({ unit, industryCodes: loaded }).naering.data).toMatchObject({
      aktivitet: 'Drive butikk og annet.',
      vedtektsfestetFormaal: null,
      naeringskoder: [{ rangering: 2 }],
    })
  })
})

import { describe, expect, it } from 'vitest'
import type { ArchivedFiling, KnownAccounts } from '#src/record/sections/regnskap/known-accounts.ts'
import { Regnskap, regnskapOf } from '#src/record/sections/regnskap.ts'
import { tindevaagSjomatRegnskap } from '#src/samples/companies/tindevaag-sjomat-regnskap.ts'
import type { RegisterRegnskap } from '#src/sources/regnskap/schema.ts'
import { compilePromised } from '#test/support/promised.ts'

const promised = compilePromised(Regnskap)
const shown = (known: Partial<KnownAccounts>) => {
  const section = regnskapOf({ live: [], archived: [], isArchiveRead: true, withoutLive: null, ...known })
  expect([...promised.Errors(section)]).toEqual([])
  return section
}

const filing = (year: number, changes: Partial<RegisterRegnskap> = {}): RegisterRegnskap => ({
  id: year,
  regnskapstype: 'SELSKAP',
  virksomhet: { organisasjonsnummer: '901012121' },
  regnskapsperiode: { fraDato: `${year}-01-01`, tilDato: `${year}-12-31` },
  valuta: 'NOK',
  eiendeler: { sumEiendeler: year },
  resultatregnskapResultat: {
    ordinaertResultatFoerSkattekostnad: 100,
    finansresultat: { finanskostnad: { sumFinanskostnad: 0 } },
  },
  ...changes,
})
const archived = (regnskap: RegisterRegnskap, changes: Partial<ArchivedFiling> = {}): ArchivedFiling => ({
  regnskap,
  kilde: 'regnskapsregisteret',
  hentet: '2025-08-01T10:00:00.000Z',
  felt: null,
  ...changes,
})
const companyYears = ({ aar }: Regnskap) => aar.map(({ periode, selskap }) => [periode.tilDato, selskap?.id])

describe('P4: a figure that can not be read', () => {
  it('says so, and is neither missing nor in any ratio', () => {
    const result = {
      ordinaertResultatFoerSkattekostnad: 100,
      aarsresultat: null,
      finansresultat: null,
      ekstraordinaerePoster: null,
    }
    const section = shown({
      live: [
        filing(2025, {
          resultatregnskapResultat: result,
          eiendeler: { goodwill: null, nytt: null } as never,
        }),
      ],
    })
    const { nokkeltall, andreTall, forholdstall } = section.aar[0]?.selskap ?? {}
    const unread = { belop: null, opplysning: 'ikke_lesbar' }
    expect(nokkeltall).toMatchObject({
      aarsresultat: unread,
      sumFinanskostnad: unread,
      sumEiendeler: { belop: null, opplysning: 'ikke_fort' },
    })
    expect(andreTall).toMatchObject({ goodwill: null, nytt: null, ekstraordinaerePoster: null })
    expect(forholdstall?.totalrentabilitet.verdi).toBeNull()
  })

  it('of what is extraordinary: the year’s result is then not the ordinary one', () => {
    const result = { aarsresultat: 50 }
    const ratio = (more: object) => {
      const live = [
        filing(2025, {
          resultatregnskapResultat: { ...result, ...more },
          egenkapitalGjeld: { egenkapital: { sumEgenkapital: 100 } },
        }),
      ]
      return shown({ live }).aar[0]?.selskap?.forholdstall.egenkapitalrentabilitet.verdi
    }
    expect(ratio({})).toBe(0.5)
    expect(ratio({ ekstraordinaerePoster: null })).toBeNull()
  })

  it('is one of all in a group that can not be read', () => {
    const { nokkeltall } = shown({ live: [filing(2025, { eiendeler: null })] }).aar[0]?.selskap ?? {}
    expect(nokkeltall?.sumEiendeler.opplysning).toBe('ikke_lesbar')
    expect(nokkeltall?.sumAnleggsmidler.opplysning).toBe('ikke_lesbar')
    expect(nokkeltall?.sumGjeld.opplysning).toBe('ikke_fort')
  })
})

describe('all years that are known', () => {
  it('are there newest first, from the register and from the archive, and say which', () => {
    const section = shown({
      live: [filing(2024), filing(2025), filing(2023)],
      archived: [2019, 2022].map((year) => archived(filing(year))),
    })
    expect(companyYears(section)).toEqual([
      ['2025-12-31', 2025],
      ['2024-12-31', 2024],
      ['2023-12-31', 2023],
      ['2022-12-31', 2022],
      ['2019-12-31', 2019],
    ])
    expect(section.aar.map(({ selskap }) => selskap?.arkiv)).toEqual([
      null,
      null,
      null,
      { kilde: 'regnskapsregisteret', hentet: '2025-08-01T10:00:00.000Z' },
      { kilde: 'regnskapsregisteret', hentet: '2025-08-01T10:00:00.000Z' },
    ])
    expect(section).toMatchObject({ nokkeltallFra: { tilDato: '2025-12-31', id: 2025 }, arkivLest: true })
  })

  it('P5: company and group of one period stand beside each other under their names, each with its currency', () => {
    const { aar, nokkeltallFra } = shown({
      live: [filing(2025, { regnskapstype: 'KONSERN', id: 1, valuta: 'USD' })],
      archived: [
        archived(filing(2025, { valuta: 'EUR' })),
        archived(filing(2024, { regnskapstype: 'KONSERN' })),
      ],
    })
    expect(aar).toMatchObject([
      { periode: { tilDato: '2025-12-31' }, selskap: { valuta: 'EUR' }, konsern: { id: 1, valuta: 'USD' } },
      { periode: { tilDato: '2024-12-31' }, selskap: null, konsern: { id: 2024 } },
    ])
    expect(nokkeltallFra?.regnskapstype).toBe('SELSKAP')
  })

  it('P5: of several for one period the newest id stands wherever it is from, and the others stay readable', () => {
    const { aar, erstattet } = shown({
      live: [filing(2025, { id: 7 })],
      archived: [archived(filing(2025, { id: 9 })), archived(filing(2025, { id: 8 }))],
    })
    expect(aar).toMatchObject([{ selskap: { id: 9, arkiv: {} } }])
    expect(erstattet).toMatchObject([
      { id: 8, erstattetAv: 9, regnskapstype: 'SELSKAP', nokkeltall: { sumEiendeler: { belop: 2025 } } },
      { id: 7, erstattetAv: 9, arkiv: null },
    ])
  })

  it('P5: another length of period is another period', () => {
    const short = filing(2025, { id: 2, regnskapsperiode: { fraDato: '2025-07-01', tilDato: '2025-12-31' } })
    expect(shown({ live: [filing(2025), short] }).aar).toHaveLength(2)
  })

  it('what was imported without an id gives way to the register’s own, and is not called replaced', () => {
    const { id: _, ...withoutId } = filing(2024, { valuta: 'SEK' })
    const imported = archived(withoutId, { kilde: 'import' })
    const section = shown({ live: [filing(2024)], archived: [imported] })
    expect(section).toMatchObject({ aar: [{ selskap: { valuta: 'NOK' } }], erstattet: [] })
    expect(shown({ archived: [imported] }).aar).toMatchObject([{ selskap: { id: null, valuta: 'SEK' } }])
  })

  it('accounts of neither kind are not taken for either', () => {
    const section = shown({ live: [filing(2025, { regnskapstype: 'MELLOMBALANSE' })] })
    expect(section).toMatchObject({ aar: [], erstattet: [], nokkeltallFra: null })
  })
})

describe('P4: each figure has its state', () => {
  const figures = (known: Partial<KnownAccounts>) => shown(known).aar[0]?.selskap?.nokkeltall

  it('zero is a figure; what was not filed is not zero', () => {
    const live = [filing(2025, { eiendeler: { sumEiendeler: 0, goodwill: 3 }, egenkapitalGjeld: {} })]
    expect(figures({ live })).toMatchObject({
      sumEiendeler: { belop: 0, opplysning: 'oppgitt' },
      sumEgenkapital: { belop: null, opplysning: 'ikke_fort' },
      ordinaertResultatSkattekostnad: { belop: null, opplysning: 'ikke_fort' },
    })
  })

  it('what the register did not give to anybody when it was fetched is not said to be missing', () => {
    expect(figures({ live: [filing(2025)] })).toMatchObject({
      ordinaertResultatSkattekostnad: { belop: null, opplysning: 'ikke_hentet' },
      aarsresultat: { belop: null, opplysning: 'ikke_fort' },
    })
  })

  it('of an imported file its columns decide', () => {
    const felt = ['sumEiendeler', 'sumGjeld']
    expect(figures({ archived: [archived(filing(2019), { kilde: 'import', felt })] })).toMatchObject({
      sumEiendeler: { belop: 2019, opplysning: 'oppgitt' },
      sumGjeld: { belop: null, opplysning: 'ikke_fort' },
      aarsresultat: { belop: null, opplysning: 'ikke_hentet' },
    })
  })

  it('what the rules or the plan do not have is not required', () => {
    const plain = filing(2025, { regnkapsprinsipper: { regnskapsregler: 'regnskapslovenAlminneligRegler' } })
    expect(figures({ live: [plain] })?.totalresultat.opplysning).toBe('ikke_pliktig')
    const ifrs = filing(2025, { regnkapsprinsipper: { regnskapsregler: 'IFRS' } })
    expect(figures({ live: [ifrs] })?.totalresultat.opplysning).toBe('ikke_fort')
    expect(figures({ archived: [archived(filing(2019, { oppstillingsplan: 'BANK' }))] })).toMatchObject({
      driftsresultat: { opplysning: 'ikke_pliktig' },
      sumOmloepsmidler: { opplysning: 'ikke_pliktig' },
      sumEgenkapital: { opplysning: 'ikke_fort' },
    })
  })

  it('every figure the source gave is there once', () => {
    for (const each of tindevaagSjomatRegnskap) {
      const section = shown({ live: [{ ...each, id: 1 } as RegisterRegnskap] })
      const { nokkeltall, andreTall } = section.aar[0]?.selskap ?? section.aar[0]?.konsern ?? {}
      const given =
        JSON.stringify(each).match(/"(sum\w+|\w*[rR]esultat\w*|\w+inntekter|netto\w+)":-?[\d.]+/g) ?? []
      const names = Object.entries(nokkeltall ?? {}).filter(([, { opplysning }]) => opplysning === 'oppgitt')
      expect(names.length + Object.keys(andreTall ?? {}).length).toBe(given.length)
      expect(Object.keys(andreTall ?? {}).filter((name) => name in (nokkeltall ?? {}))).toEqual([])
    }
  })
})

describe('P5: the year before, for what is of an average', () => {
  const basis = (year: RegisterRegnskap, before: RegisterRegnskap) =>
    shown({ live: [year], archived: [archived(before)] }).aar[0]?.selskap?.forholdstall.totalrentabilitet
      .grunnlag

  it('is the same kind of accounts in the same currency, ended the day before', () => {
    expect(basis(filing(2025), filing(2024))).toBe('gjennomsnitt')
    const { forholdstall } =
      shown({ live: [filing(2025)], archived: [archived(filing(2024))] }).aar[0]?.selskap ?? {}
    expect(forholdstall?.totalrentabilitet.verdi).toBe(0.049395)
  })

  it.each<[string, RegisterRegnskap]>([
    ['another kind', filing(2024, { regnskapstype: 'KONSERN' })],
    ['another currency', filing(2024, { valuta: 'USD' })],
    ['a gap', filing(2023)],
    ['a day missing', filing(2024, { regnskapsperiode: { fraDato: '2024-01-01', tilDato: '2024-12-30' } })],
  ])('is not %s', (_, before) => {
    expect(basis(filing(2025), before)).toBe('utgaaende')
  })

  it('is the resubmitted one where the year before was filed twice', () => {
    const corrected = filing(2024, { id: 9000, eiendeler: { sumEiendeler: 25 } })
    const section = shown({ live: [filing(2025)], archived: [archived(filing(2024)), archived(corrected)] })
    expect(section.aar[0]?.selskap?.forholdstall.totalrentabilitet.verdi).toBe(0.097561)
  })
})

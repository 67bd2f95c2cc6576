import { forholdstall } from '#src/record/sections/regnskap/forholdstall.ts'
import { type Nokkeltall, nokkeltallNames } from '#src/record/sections/regnskap/nokkeltall.ts'
import type { Aarsregnskap, Regnskap } from '#src/record/sections/regnskap.ts'

/** Six years of an invented company, one of them with a loss; its ratios are worked out as any company's are. */
export const sampleAccounts: Regnskap = {
  nokkeltallFra: { regnskapstype: 'SELSKAP', tilDato: '2025-12-31', id: 7300412 },
  aar: [],
  erstattet: [],
  arkivLest: true,
}

type Year = {
  aar: number
  driftsinntekter: number
  driftsresultat: number
  finansinntekter: number
  finanskostnad: number
  skatt: number
  omloepsmidler: number
  anleggsmidler: number
  egenkapital: number
  langsiktigGjeld: number
  id: number
}

const years: readonly Year[] = [
  {
    aar: 2020,
    driftsinntekter: 238_104_000,
    driftsresultat: 6_020_000,
    finansinntekter: 440_000,
    finanskostnad: 3_610_000,
    skatt: 627_000,
    omloepsmidler: 51_870_000,
    anleggsmidler: 118_300_000,
    egenkapital: 55_346_000,
    langsiktigGjeld: 82_000_000,
    id: 3122871,
  },
  {
    aar: 2021,
    driftsinntekter: 255_870_000,
    driftsresultat: 11_340_000,
    finansinntekter: 472_000,
    finanskostnad: 3_402_000,
    skatt: 1_850_000,
    omloepsmidler: 56_125_000,
    anleggsmidler: 119_066_000,
    egenkapital: 61_906_000,
    langsiktigGjeld: 80_000_000,
    id: 3790154,
  },
  {
    aar: 2022,
    driftsinntekter: 279_615_000,
    driftsresultat: -2_930_000,
    finansinntekter: 565_000,
    finanskostnad: 3_755_000,
    skatt: -1_346_000,
    omloepsmidler: 54_410_000,
    anleggsmidler: 122_740_000,
    egenkapital: 57_132_000,
    langsiktigGjeld: 79_500_000,
    id: 4410093,
  },
  {
    aar: 2023,
    driftsinntekter: 291_433_000,
    driftsresultat: 8_387_000,
    finansinntekter: 604_000,
    finanskostnad: 4_018_000,
    skatt: 1_094_000,
    omloepsmidler: 61_208_000,
    anleggsmidler: 120_915_000,
    egenkapital: 61_011_000,
    langsiktigGjeld: 77_000_000,
    id: 5031202,
  },
  {
    aar: 2024,
    driftsinntekter: 318_204_000,
    driftsresultat: 20_593_000,
    finansinntekter: 1_102_000,
    finanskostnad: 4_395_000,
    skatt: 3_806_000,
    omloepsmidler: 70_114_000,
    anleggsmidler: 124_080_000,
    egenkapital: 74_505_000,
    langsiktigGjeld: 74_500_000,
    id: 5701883,
  },
  {
    aar: 2025,
    driftsinntekter: 347_880_000,
    driftsresultat: 25_135_000,
    finansinntekter: 1_377_000,
    finanskostnad: 4_102_000,
    skatt: 4_930_000,
    omloepsmidler: 79_463_000,
    anleggsmidler: 126_990_000,
    egenkapital: 91_985_000,
    langsiktigGjeld: 70_000_000,
    id: 7300412,
  },
]

sampleAccounts.aar = years
  .map((year, index) => ({
    periode: { fraDato: `${year.aar}-01-01`, tilDato: `${year.aar}-12-31` },
    selskap: accountsOf(year, years[index - 1]),
    konsern: null,
  }))
  .toReversed()

function accountsOf(year: Year, before: Year | undefined): Aarsregnskap {
  const belop = figuresOf(year)
  const ekstraordinaerePoster = null
  return {
    id: year.id,
    journalnr: `${year.aar + 1}${String(year.id).slice(1)}`,
    valuta: 'NOK',
    arkiv: null,
    avviklingsregnskap: false,
    oppstillingsplan: 'oevrige',
    regnskapsregler: 'regnskapslovenAlminneligRegler',
    smaaForetak: false,
    morselskap: true,
    ikkeRevidertAarsregnskap: false,
    fravalgRevisjon: false,
    nokkeltall: Object.fromEntries(
      nokkeltallNames.map((name) => [
        name,
        belop[name] === null
          ? { belop: null, tilstand: 'ikke_pliktig' }
          : { belop: belop[name], tilstand: 'oppgitt' },
      ]),
    ) as Nokkeltall,
    andreTall: {},
    forholdstall: forholdstall(
      { ...belop, ekstraordinaerePoster },
      before === undefined ? null : { ...figuresOf(before), ekstraordinaerePoster },
    ),
  }
}

function figuresOf(year: Year) {
  const beforeTax = year.driftsresultat + year.finansinntekter - year.finanskostnad
  const sumEiendeler = year.omloepsmidler + year.anleggsmidler
  const sumGjeld = sumEiendeler - year.egenkapital
  return {
    sumDriftsinntekter: year.driftsinntekter,
    driftsresultat: year.driftsresultat,
    sumFinanskostnad: year.finanskostnad,
    ordinaertResultatFoerSkattekostnad: beforeTax,
    ordinaertResultatSkattekostnad: year.skatt,
    aarsresultat: beforeTax - year.skatt,
    totalresultat: null,
    sumOmloepsmidler: year.omloepsmidler,
    sumAnleggsmidler: year.anleggsmidler,
    sumEiendeler,
    sumEgenkapital: year.egenkapital,
    sumKortsiktigGjeld: sumGjeld - year.langsiktigGjeld,
    sumLangsiktigGjeld: year.langsiktigGjeld,
    sumGjeld,
    sumEgenkapitalGjeld: sumEiendeler,
  }
}

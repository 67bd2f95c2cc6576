import { SAMPLE } from '../numbers.ts'
import {
  born,
  company,
  foreign,
  inYear,
  type ReportedBook,
  type SampleHolding,
  type Shareholding,
} from './holding.ts'

/** Shares in all: an issue in the last year as it is written. */
const TOTAL = { 2019: 2_900_000_000, 2025: 3_120_450_000 }

const large: Shareholding[] = [
  {
    holder: company(SAMPLE.ministry, 'HAV- OG KYSTDEPARTEMENTET', '0032 OSLO'),
    from: { 2019: 986_000_000, 2025: 1_060_953_000 },
  },
  {
    holder: foreign('POLHAV NOMINEES LTD', 'GB', 'London EC2; England'),
    from: { 2019: 310_000_000, 2022: 402_500_000 },
  },
  { holder: foreign('BALTIC SHELF FUND SICAV', 'LU', 'L-1420 Luxembourg'), from: { 2020: 145_000_000 } },
  {
    holder: company(SAMPLE.bank, 'SPAREBANKEN YTRE VÅG', '6700 MÅLØY'),
    from: { 2019: 88_000_000, 2021: 61_250_000 },
  },
  { holder: company(SAMPLE.investor, 'KYSTKAPITAL NORD AS'), from: { 2023: 20_000_000 } },
  // Its own shares: they give nobody a say.
  { holder: company(SAMPLE.usd, 'ISHAVSKRAFT GLOBAL ASA'), from: { 2021: 9_400_000, 2024: 12_750_000 } },
]

/** Holds in its own name for others: what nobody else has, so that the book adds up. */
const custodian = foreign('EISHAV CUSTODY SA', 'BE', 'Boulevard 1, Bruxelles')

const FIRST_NAMES = [
  ...['AASE', 'ALF', 'ANITA', 'ARVE', 'BERIT', 'BÅRD', 'DAGNY', 'EGIL', 'ELIN', 'FINN'],
  ...['GERD', 'GUNNAR', 'HEGE', 'HENRIK', 'IDUN', 'IVAR', 'JORUNN', 'KNUT', 'KÅRE', 'LAILA'],
  ...['LEIF', 'LIV', 'MAGNE', 'MARIT', 'NINA', 'ODD', 'OLAUG', 'PER', 'RAGNHILD', 'REIDAR'],
  ...['RUNE', 'SIDSEL', 'SIGNE', 'STEIN', 'TONE', 'TROND', 'UNNI', 'VEGARD', 'YNGVE', 'ØYVIND'],
]

/** Names of places that are nowhere, and so of nobody. */
const LAST_NAMES = [
  ...['ALVNESVIK', 'BJØRKHOLMEN', 'BRATTVÅGEN', 'DYPVIKSUND', 'EIDSHOLMSTAD', 'FJELLVÅKDAL', 'GLIMSØY'],
  ...['GRUNNVÅGSET', 'HAVNESLETT', 'HEIMSTRAUM', 'HOLMSKJELL', 'ISVIKTANGEN', 'JARVOLLØY', 'KALVSKARET'],
  ...['KLEPPVARDE', 'KOBBETIND', 'LANGSKJÆRET', 'LUNDEVARP', 'MARESKOG', 'MOLDTANGEN', 'NÆRSTEINØY'],
  ...['OTERSTRØK', 'RAUDFLØY', 'REKSKARET', 'RINGVASSLI', 'SALTBERGØY', 'SKARFJELLVIK', 'SKOGSVARDE'],
  ...['SOLFLÅET', 'STORSKJELVIK', 'SVARTHUMLEN', 'TANGSKARVET', 'TROLLVASSØY', 'ULVESKJÆR', 'VARGSTEIN'],
  ...['VETTERSKARD', 'ÆRVIKSTAD'],
]

/** As many as there are pairs of a first and a last name: 40 and 37 have no divisor in common. */
const PERSONS = FIRST_NAMES.length * LAST_NAMES.length

/** Some have come since the first year, some have left again, and no two are alike. */
const persons = Array.from({ length: PERSONS }, (_, index): Shareholding => {
  const first = FIRST_NAMES[index % FIRST_NAMES.length]
  const last = LAST_NAMES[(index * 7) % LAST_NAMES.length]
  const shares = 10 * Math.round(2_500_000 / (index + 25))
  const came = index % 9 === 0 ? 2020 + (index % 6) : 2019
  const from = index % 14 === 3 ? { [came]: shares, [came + 1]: 0 } : { [came]: shares }
  return { holder: born(`${first} ${last}`, 1936 + ((index * 37) % 68), '0580 OSLO'), from }
})

/** A listed company with more holders than a page has room for, nominees and the state among them. */
export function giantBook(year: number): ReportedBook {
  const totalt = inYear(TOTAL, year)
  const named = [...large, ...persons]
    .map(
      ({ holder, from }): SampleHolding => ({
        ...holder,
        klasse: 'Ordinære aksjer',
        aksjer: inYear(from, year),
      }),
    )
    .filter(({ aksjer }) => aksjer > 0)
  const rest = totalt - named.reduce((sum, { aksjer }) => sum + aksjer, 0)
  const holdings = [...named, { ...custodian, klasse: 'Ordinære aksjer', aksjer: rest }]
  return { orgnr: SAMPLE.usd, navn: 'ISHAVSKRAFT GLOBAL ASA', totalt, holdings }
}

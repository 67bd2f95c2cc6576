import { SAMPLE } from '../numbers.ts'
import { born, company, foreign, type Shareholding } from './holding.ts'

/** A company with its holders as they are written, and its shares in all; 0 was not reported. */
export type WrittenBook = { orgnr: string; navn: string; totalt: number; held: readonly Shareholding[] }

/** Who asked not to be shown as a holder, and is hidden by an operator. */
export const HIDDEN_PERSON = { navn: 'VÅRIN LØNNDAL', fodselsaar: 1977 }

const sjomat = company(SAMPLE.healthy, 'TINDEVÅG SJØMAT AS', '9990 BÅTSFJORD')
const investor = company(SAMPLE.investor, 'KYSTKAPITAL NORD AS')
const leader = born('ÅSHILD ØVREBØ', 1968)
const deputy = born('BJØRN SÆTHER', 1971)
const ingeborg = born('INGEBORG VIKEN', 1963, '9008 TROMSØ')
const formerManager = born('TORBJØRN ÅS', 1959)

/** Twelve who work there hold fifty shares each; one has sold to another. */
const employees: Shareholding[] = [
  ...['HALVARD BRIMSØY', 'IDA KVITNES', 'JON LYNGHOLM', 'KAIA MARSTRAND', 'LARS NÆRVÅG', 'MARI OTERØY'],
  ...['NILS PERSVIK', 'ODA RAFTEVOLD', 'PÅL SKARVDAL', 'RAGNA TJELDØY', 'SVEIN URVÆR', 'TIRIL VETTNES'],
].map((navn, index) => ({
  holder: born(navn, 1961 + index * 3),
  from: index === 0 ? { 2019: 50, 2025: 0 } : index === 1 ? { 2019: 50, 2025: 100 } : { 2019: 50 },
}))

/**
 * The healthy company: a family that put its shares into a holding company, an investor who bought out the former manager and
 * is in at two levels, the municipality, an owner abroad, and one who is hidden.
 */
const group: WrittenBook[] = [
  {
    orgnr: SAMPLE.healthy,
    navn: sjomat.navn,
    totalt: 24_000,
    held: [
      { holder: company(SAMPLE.holding, 'TINDEVÅG AS', '9990 BÅTSFJORD'), from: { 2024: 15_840 } },
      { holder: leader, from: { 2019: 8_712, 2024: 0 } },
      { holder: deputy, from: { 2019: 3_960, 2024: 0 } },
      { holder: investor, from: { 2020: 3_168, 2021: 7_488, 2024: 4_320 } },
      { holder: formerManager, from: { 2019: 7_488, 2020: 4_320, 2021: 0 } },
      {
        holder: company(SAMPLE.municipality, 'TINDEVÅG KOMMUNE', '9990 BÅTSFJORD'),
        from: { 2019: 2_400 },
      },
      { holder: born('SÖLVI MÜLLER', 1966), from: { 2019: 840, 2022: 240, 2023: 0 } },
      { holder: foreign('NORDHAV INVEST AB', 'SE', 'S-451 Uddevalla'), from: { 2022: 600 } },
      { holder: born(HIDDEN_PERSON.navn, HIDDEN_PERSON.fodselsaar), from: { 2023: 240 } },
      ...employees,
    ],
  },
  {
    orgnr: SAMPLE.holding,
    navn: 'TINDEVÅG AS',
    totalt: 100,
    held: [
      { holder: leader, from: { 2024: 55 } },
      { holder: deputy, from: { 2024: 25 } },
      { holder: investor, from: { 2024: 20 } },
    ],
  },
  {
    orgnr: SAMPLE.investor,
    navn: investor.navn,
    totalt: 10_000,
    held: [
      { holder: ingeborg, from: { 2019: 10_000, 2021: 7_000, 2022: 0 } },
      { holder: company(SAMPLE.family, 'VIKEN FAMILIEHOLDING AS'), from: { 2022: 7_000, 2023: 4_000 } },
      { holder: born('ÁNTE MÁHTTE GAUP', 1980, '9730 KARASJOK'), from: { 2021: 3_000, 2023: 6_000 } },
    ],
  },
  one(SAMPLE.family, 'VIKEN FAMILIEHOLDING AS', 100, ingeborg, 2019),
  {
    orgnr: SAMPLE.subsidiary,
    navn: 'TINDEVÅG FRYSERI AS',
    totalt: 1_000,
    held: [
      { holder: sjomat, from: { 2019: 700, 2022: 1_000 } },
      { holder: formerManager, from: { 2019: 300, 2022: 0 } },
    ],
  },
  {
    orgnr: SAMPLE.partOwned,
    navn: 'NORDHAVN LOGISTIKK AS',
    totalt: 10_000,
    held: [
      { holder: sjomat, from: { 2019: 5_100 } },
      { holder: company(SAMPLE.sourceAway, 'TRANGFJORD TAUBÅT AS', '8300 SVOLVÆR'), from: { 2020: 1_900 } },
      { holder: born('SIGURD ISKLAKK', 1972, '9900 KIRKENES'), from: { 2019: 4_900, 2020: 3_000 } },
    ],
  },
  {
    orgnr: SAMPLE.associate,
    navn: 'HAVGAP BRØNNBÅT AS',
    totalt: 10_000,
    held: [
      { holder: sjomat, from: { 2019: 2_000, 2021: 3_400 } },
      { holder: foreign('BRUNNSKIP P/F', 'FO', 'FO-700 Klaksvík'), from: { 2021: 3_300 } },
      { holder: born('HAVARD GAPESTAD', 1958, '6700 MÅLØY'), from: { 2019: 8_000, 2021: 3_300 } },
    ],
  },
]

/** Two that own each other, and a person with the rest of each. */
const circle: WrittenBook[] = [
  {
    orgnr: SAMPLE.circle,
    navn: 'RUNDHOLT INVEST AS',
    totalt: 100,
    held: [
      { holder: company(SAMPLE.circleOther, 'KRINGSJÅ HOLDING AS', '3960 STATHELLE'), from: { 2021: 60 } },
      { holder: born('RUNA HOLTVEDT', 1970, '3960 STATHELLE'), from: { 2019: 100, 2021: 40 } },
    ],
  },
  {
    orgnr: SAMPLE.circleOther,
    navn: 'KRINGSJÅ HOLDING AS',
    totalt: 100,
    held: [
      { holder: company(SAMPLE.circle, 'RUNDHOLT INVEST AS', '3960 STATHELLE'), from: { 2020: 30 } },
      { holder: born('EINAR KRINGEN', 1965, '3960 STATHELLE'), from: { 2019: 100, 2020: 70 } },
    ],
  },
]

/** The rest: most have one holder, as most companies do. */
const others: WrittenBook[] = [
  // Nobody wrote how many shares there are: no share of the whole can be told.
  one(SAMPLE.forcedDissolution, 'SNARVEI BUDBIL ØST AS', 300, born('KJÆRSTI BJØRNØ', 1992), 2020, {
    totalt: 0,
  }),
  one(SAMPLE.bankrupt, 'NYE TINDEVÅG BRYGGE AS', 30, born('RÅGER HÆSTAD', 1979), 2019),
  one(SAMPLE.noted, 'ÆRLIG TRANSPORT AS', 100, born('PÅL ÆRLIG', 1995, '0484 OSLO'), 2023),
  one(SAMPLE.auditor, 'POLARREVISJON AS', 100, born('VIGDIS NORDKYN', 1967, '9950 VARDØ'), 2019),
  one(SAMPLE.accountant, 'TALLKNUSEREN ØST AS', 100, born('TALLAK ØSTBY', 1975, '9950 VARDØ'), 2019),
  one(SAMPLE.stale, 'VARDETANGEN VERKSTED AS', 100, born('ODDRUN VARDETANGEN', 1973), 2019),
  one(SAMPLE.sourceAway, 'TRANGFJORD TAUBÅT AS', 100, born('NJÅL TRANGFJORD', 1984), 2019),
  one(SAMPLE.seller, 'OPPSLAG EKSEMPEL AS', 300, born('NØKKE LÅSBY', 1981, '0001 OSLO'), 2024),
  {
    orgnr: SAMPLE.reconstruction,
    navn: 'VERFTET PÅ SÆRØYA AS',
    totalt: 10_000,
    held: [
      { holder: born('TURID ÆSØY', 1965, '6090 FOSNAVÅG'), klasse: 'A-aksjer', from: { 2019: 4_000 } },
      { holder: born('TURID ÆSØY', 1965, '6090 FOSNAVÅG'), klasse: 'B-aksjer', from: { 2019: 1_000 } },
      { holder: born('MÅLFRID SÆBØ', 1969, '6090 FOSNAVÅG'), klasse: 'A-aksjer', from: { 2019: 2_000 } },
      {
        holder: company(SAMPLE.bank, 'SPAREBANKEN YTRE VÅG', '6700 MÅLØY'),
        klasse: 'B-aksjer',
        from: { 2023: 3_000 },
      },
      // A name left blank is a holder all the same.
      { holder: born('', 1951, '6090 FOSNAVÅG'), klasse: 'B-aksjer', from: { 2019: 3_000, 2023: 0 } },
    ],
  },
]

function one(
  orgnr: string,
  navn: string,
  aksjer: number,
  holder: Shareholding['holder'],
  since: number,
  { totalt = aksjer } = {},
): WrittenBook {
  return { orgnr, navn, totalt, held: [{ holder, from: { [since]: aksjer } }] }
}

export const writtenBooks: readonly WrittenBook[] = [...group, ...circle, ...others]

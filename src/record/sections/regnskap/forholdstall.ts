import { type Static, Type } from 'typebox'
import { exactly, oneOf, orNull } from '../../shape.ts'

/** The figures of one set of accounts the ratios are made of. null is not stated, which is not zero. */
export type RatioFigures = {
  sumDriftsinntekter: number | null
  driftsresultat: number | null
  sumFinanskostnad: number | null
  ordinaertResultatFoerSkattekostnad: number | null
  ordinaertResultatSkattekostnad: number | null
  /** NaN: something stands there that can not be read. */
  ekstraordinaerePoster: number | null
  aarsresultat: number | null
  sumOmloepsmidler: number | null
  sumEiendeler: number | null
  sumEgenkapital: number | null
  sumKortsiktigGjeld: number | null
  sumGjeld: number | null
  sumEgenkapitalGjeld: number | null
}

const NULL = 'null når et tall mangler, eller når nevneren er 0 eller negativ.'
const Andel = (formula: string) => orNull(Type.Number({ description: `${formula}. 0,12 er 12 %. ${NULL}` }))

const Rentabilitet = (formula: string) =>
  exactly(
    {
      verdi: orNull(Type.Number()),
      grunnlag: orNull(
        oneOf(
          ['gjennomsnitt', 'utgaaende'],
          'gjennomsnitt: nevneren er snittet av inngående og utgående beløp, fordi regnskapet for perioden rett før (samme type, ' +
            'samme valuta) er kjent. utgaaende: nevneren er beløpet ved periodens slutt.',
        ),
      ),
    },
    { description: `${formula}. 0,12 er 12 %. ${NULL}` },
  )

/** Statistisk sentralbyrå's definitions; where it takes the balance at the year's end, the average when it is known. */
export const Forholdstall = exactly({
  driftsmargin: Andel('driftsresultat / sumDriftsinntekter'),
  resultatgrad: Andel('ordinaertResultatFoerSkattekostnad / sumDriftsinntekter'),
  egenkapitalandel: Andel('sumEgenkapital / sumEgenkapitalGjeld'),
  likviditetsgrad1: orNull(
    Type.Number({
      description: `sumOmloepsmidler / sumKortsiktigGjeld, et forhold og ikke prosent. ${NULL}`,
    }),
  ),
  gjeldsgrad: orNull(
    Type.Number({ description: `sumGjeld / sumEgenkapital, et forhold og ikke prosent. ${NULL}` }),
  ),
  totalrentabilitet: Rentabilitet('(ordinaertResultatFoerSkattekostnad + sumFinanskostnad) / sumEiendeler'),
  egenkapitalrentabilitet: Rentabilitet(
    '(ordinaertResultatFoerSkattekostnad − ordinaertResultatSkattekostnad) / sumEgenkapital. Er skattekostnaden ikke oppgitt, og ' +
      'heller ingen ekstraordinære poster, brukes aarsresultat som er det samme',
  ),
})
export type Forholdstall = Static<typeof Forholdstall>

/** @param before the same kind of accounts in the same currency for the period that ended the day before; null: not known */
export function forholdstall(year: RatioFigures, before: RatioFigures | null): Forholdstall {
  return {
    driftsmargin: ratio(year.driftsresultat, year.sumDriftsinntekter),
    resultatgrad: ratio(year.ordinaertResultatFoerSkattekostnad, year.sumDriftsinntekter),
    egenkapitalandel: ratio(year.sumEgenkapital, year.sumEgenkapitalGjeld),
    likviditetsgrad1: ratio(year.sumOmloepsmidler, year.sumKortsiktigGjeld),
    gjeldsgrad: ratio(year.sumGjeld, year.sumEgenkapital),
    totalrentabilitet: rentabilitet(
      sum(year.ordinaertResultatFoerSkattekostnad, year.sumFinanskostnad),
      year.sumEiendeler,
      before?.sumEiendeler ?? null,
    ),
    egenkapitalrentabilitet: rentabilitet(
      ordinaryResult(year),
      year.sumEgenkapital,
      before?.sumEgenkapital ?? null,
    ),
  }
}

function rentabilitet(
  result: number | null,
  atEnd: number | null,
  atBeginning: number | null,
): Forholdstall['totalrentabilitet'] {
  const isAverage = atEnd !== null && atBeginning !== null
  const verdi = ratio(result, isAverage ? (atEnd + atBeginning) / 2 : atEnd)
  if (verdi === null) return { verdi, grunnlag: null }
  return { verdi, grunnlag: isAverage ? 'gjennomsnitt' : 'utgaaende' }
}

/** What the law has called "ordinært resultat": after tax, before what is extraordinary. */
function ordinaryResult(year: RatioFigures): number | null {
  const { ordinaertResultatFoerSkattekostnad: beforeTax, ordinaertResultatSkattekostnad: tax } = year
  if (beforeTax !== null && tax !== null) return beforeTax - tax
  return year.ekstraordinaerePoster === null ? year.aarsresultat : null
}

function sum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b
}

/** Six decimals: what is left out is below a ten-thousandth of a percent. */
function ratio(numerator: number | null, denominator: number | null): number | null {
  if (numerator === null || denominator === null || denominator <= 0) return null
  const value = Math.round((numerator / denominator) * 1e6) / 1e6
  return Number.isFinite(value) ? value : null
}

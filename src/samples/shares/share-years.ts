import { lastClosedYear, yearsMoved } from '../as-of.ts'
import { HIDDEN_PERSON, writtenBooks } from './books.ts'
import { giantBook } from './giant.ts'
import { inYear, type ReportedBook, type SampleHolding } from './holding.ts'

/** One year of the shareholder register of invented companies, as the file an operator imports. */
export type ShareYear = { aar: number; uttrekksdato: string; file: Buffer }

/** What the deliveries are said to come from. */
export const SHARE_SOURCE = 'Oppdiktet aksjonærregister'

/**
 * A year that stays where it is while the last one moves on, so that a database that was filled in another year has every year
 * replaced and none left over.
 */
const FIRST_YEAR = 2019

/** All years from 2019 to the last closed one, oldest first; each is written when it is asked for. */
export function* shareYears(now: Date): Generator<ShareYear> {
  const moved = yearsMoved(now)
  for (let aar = FIRST_YEAR; aar <= lastClosedYear(now); aar++) {
    yield { aar, uttrekksdato: `${aar + 1}-05-20`, file: fileOf(booksOf(aar - moved), moved) }
  }
}

/** Who asked not to be shown, in whichever company. */
export function hiddenPersons(now: Date): { navn: string; fodselsaar: number; orgnr: null }[] {
  const { navn, fodselsaar } = HIDDEN_PERSON
  return [{ navn, fodselsaar: fodselsaar + yearsMoved(now), orgnr: null }]
}

/** @param year as it is written */
function booksOf(year: number): ReportedBook[] {
  const written = writtenBooks.map(({ orgnr, navn, totalt, held }) => {
    const holdings = held.map(({ holder, klasse = 'Ordinære aksjer', from }) => ({
      ...holder,
      klasse,
      aksjer: inYear(from, year),
    }))
    return { orgnr, navn, totalt, holdings: holdings.filter(({ aksjer }) => aksjer > 0) }
  })
  return [...written, giantBook(year)].filter(({ holdings }) => holdings.length > 0)
}

const HEADER =
  'Orgnr;Selskap;Aksjeklasse;Navn aksjonær;Fødselsår/orgnr;Postnr/sted;Landkode;Antall aksjer;Antall aksjer selskap'

/** As the tax administration writes it: a byte order mark, no quoting, and a space where there is nothing. */
function fileOf(books: readonly ReportedBook[], years: number): Buffer {
  const lines = books.flatMap(({ orgnr, navn, totalt, holdings }) =>
    holdings.map((holding) =>
      [
        ...[orgnr, navn, holding.klasse, holding.navn, identOf(holding, years), holding.sted, holding.land],
        ...[String(holding.aksjer), totalt === 0 ? '' : String(totalt)],
      ]
        .map((field) => (field === '' ? ' ' : field))
        .join(';'),
    ),
  )
  return Buffer.from(`\uFEFF${[HEADER, ...lines].join('\r\n')}\r\n`)
}

/** Years of birth move with everything else. */
function identOf({ ident }: SampleHolding, years: number): string {
  return /^\d{4}$/.test(ident) ? String(Number(ident) + years) : ident
}

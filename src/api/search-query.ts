import type { InputError } from '#src/core/errors.ts'
import { foretakstilstander } from '#src/record/sections/status.ts'
import { readSearchCursor, type SearchCursor } from '#src/search/cursor.ts'
import type { Clues } from '#src/search/find-one.ts'
import type { Filters } from '#src/storage/search/candidates.ts'
import { onlyOnce, parameterRefused, readWholeNumber, readWord } from './parameters.ts'

export type SearchParameters = {
  q: string
  size: number
  filters: Filters
  after: SearchCursor | null
  /** As they were given; the same question in other words is held twice. */
  given: string
}

export const searchBounds = {
  qLengthMax: 180,
  sizeMax: 100,
  sizeStandard: 10,
  suggestionsMax: 20,
  suggestionsStandard: 8,
} as const

const FILTERS = [
  'organisasjonsform',
  'kommune',
  'fylke',
  'naeringskode',
  'ansatteFra',
  'ansatteTil',
  'tilstand',
  'registrertFra',
  'registrertTil',
  'type',
] as const

/**
 * @param toSn2025 the codes the register serves below a code of the older standard
 * @throws InputError `ugyldig_parameter` that names the parameter and what it may be
 */
export function readSearch(
  query: unknown,
  toSn2025: (sn2007Prefix: string) => string[] = () => [],
): SearchParameters {
  const read = onlyOnce(query, ['q', 'size', 'etter', ...FILTERS])
  const { sizeStandard, sizeMax } = searchBounds
  const after = read.etter === undefined ? null : readSearchCursor(read.etter)
  if (read.etter !== undefined && after === null) throw wrongCursor()
  return {
    q: searchText('q', read.q),
    size:
      read.size === undefined
        ? sizeStandard
        : readWholeNumber('size', read.size, { least: 1, most: sizeMax }),
    after,
    filters: {
      organisasjonsform: shaped('organisasjonsform', read.organisasjonsform, /^[A-ZÆØÅ]{2,5}$/, 'AS, ENK, …'),
      kommune: shaped('kommune', read.kommune, /^[0-9]{4}$/, 'fire siffer / four digits'),
      fylke: shaped('fylke', read.fylke, /^[0-9]{2}$/, 'to siffer / two digits'),
      naeringskoder: industriesOf(read.naeringskode, toSn2025),
      ansatteFra: amount('ansatteFra', read.ansatteFra),
      ansatteTil: amount('ansatteTil', read.ansatteTil),
      foretakstilstand:
        read.tilstand === undefined ? null : readWord('tilstand', read.tilstand, foretakstilstander),
      registrertFra: day('registrertFra', read.registrertFra),
      registrertTil: day('registrertTil', read.registrertTil),
      type: read.type === undefined ? null : readWord('type', read.type, ['enhet', 'underenhet']),
    },
    given: JSON.stringify(read),
  }
}

/** @throws InputError like `readSearch` */
export function readSuggestion(query: unknown): { q: string; size: number; given: string } {
  const read = onlyOnce(query, ['q', 'size'])
  const { suggestionsStandard, suggestionsMax } = searchBounds
  const size =
    read.size === undefined
      ? suggestionsStandard
      : readWholeNumber('size', read.size, { least: 1, most: suggestionsMax })
  return { q: searchText('q', read.q), size, given: JSON.stringify(read) }
}

/** @throws InputError like `readSearch`; also when there is no clue at all, or a place alone */
export function readClues(query: unknown): Clues & { given: string } {
  const read = onlyOnce(query, ['navn', 'sted', 'nettsted', 'telefon', 'epost'])
  const text = (name: keyof Clues) => (read[name] === undefined ? null : searchText(name, read[name]))
  const clues: Clues = {
    navn: text('navn'),
    sted: text('sted'),
    nettsted: text('nettsted'),
    telefon: text('telefon'),
    epost: text('epost'),
  }
  if (clues.navn === null && clues.nettsted === null && clues.telefon === null && clues.epost === null) {
    throw parameterRefused(
      'navn',
      'Minst ett av navn, nettsted, telefon og epost må oppgis.',
      'At least one of navn, nettsted, telefon and epost is needed.',
    )
  }
  return { ...clues, given: JSON.stringify(read) }
}

function searchText(name: string, given: string | undefined): string {
  const text = given?.trim() ?? ''
  if (text.length < 1 || text.length > searchBounds.qLengthMax) {
    throw parameterRefused(
      name,
      `${name} er teksten det søkes etter, 1 til ${searchBounds.qLengthMax} tegn.`,
      `${name} is the text to search for, 1 to ${searchBounds.qLengthMax} characters.`,
    )
  }
  // Control characters have no place in a name, and lone surrogates can not be sent on.
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) {
    throw parameterRefused(
      name,
      `${name} kan ikke inneholde styretegn.`,
      `${name} can not contain control characters.`,
    )
  }
  return text
}

function industriesOf(given: string | undefined, toSn2025: (prefix: string) => string[]): string[] | null {
  const code = shaped('naeringskode', given, /^[0-9]{2}(?:\.[0-9]{0,3})?$/, '68, 68.2, 68.209')
  return code === null ? null : [...new Set([code, ...toSn2025(code)])]
}

function shaped(name: string, given: string | undefined, shape: RegExp, example: string): string | null {
  if (given === undefined) return null
  if (!shape.test(given))
    throw parameterRefused(name, `${name} er på formen ${example}.`, `${name} is of the form ${example}.`)
  return given
}

function amount(name: string, given: string | undefined): number | null {
  if (given === undefined) return null
  if (!/^[0-9]{1,7}$/.test(given))
    throw parameterRefused(name, `${name} er et helt tall.`, `${name} is a whole number.`)
  return Number(given)
}

function day(name: string, given: string | undefined): string | null {
  if (given === undefined) return null
  const isDay =
    /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(given) && new Date(given).toJSON()?.startsWith(given) === true
  if (!isDay || given < '1000-01-01')
    throw parameterRefused(name, `${name} er en dato, ÅÅÅÅ-MM-DD.`, `${name} is a date, YYYY-MM-DD.`)
  return given
}

export function wrongCursor(): InputError {
  return parameterRefused(
    'etter',
    'etter er verdien av neste i en tidligere side av det samme søket, uendret.',
    'etter is the value of neste in an earlier page of the same search, unchanged.',
  )
}

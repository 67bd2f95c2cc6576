import { policy } from '#config/policy.ts'
import { type LogCursor, readLogCursor } from '#src/changes/log-cursor.ts'
import { readTypeFilter } from '#src/changes/type-filter.ts'
import { InputError } from '#src/core/errors.ts'
import { findOrganisasjonsnummer, parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { type Field, readFields } from '#src/record/fields.ts'
import { type HolderCursor, readCursor } from '#src/record/holder-cursor.ts'
import { type ListCursor, readListCursor } from '#src/record/list-page.ts'
import { foretakstilstander } from '#src/record/sections/status.ts'
import { readSearchCursor, type SearchCursor } from '#src/search/cursor.ts'
import type { Clues } from '#src/search/find-one.ts'
import type { Filters } from '#src/storage/search/candidates.ts'

/**
 * Query strings are read here and not by the framework's validator: its coercion lets `1e1` and ` 5` pass for whole
 * numbers, and its messages repeat what the caller sent.
 */
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
    size: read.size === undefined ? sizeStandard : whole('size', read.size, { least: 1, most: sizeMax }),
    after,
    filters: {
      organisasjonsform: shaped('organisasjonsform', read.organisasjonsform, /^[A-ZÆØÅ]{2,5}$/, 'AS, ENK, …'),
      kommune: shaped('kommune', read.kommune, /^[0-9]{4}$/, 'fire siffer / four digits'),
      fylke: shaped('fylke', read.fylke, /^[0-9]{2}$/, 'to siffer / two digits'),
      naeringskoder: industriesOf(read.naeringskode, toSn2025),
      ansatteFra: amount('ansatteFra', read.ansatteFra),
      ansatteTil: amount('ansatteTil', read.ansatteTil),
      foretakstilstand:
        read.tilstand === undefined ? null : oneOf('tilstand', read.tilstand, foretakstilstander),
      registrertFra: day('registrertFra', read.registrertFra),
      registrertTil: day('registrertTil', read.registrertTil),
      type: read.type === undefined ? null : oneOf('type', read.type, ['enhet', 'underenhet']),
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
      : whole('size', read.size, { least: 1, most: suggestionsMax })
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
    throw refused(
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
    throw refused(
      name,
      `${name} er teksten det søkes etter, 1 til ${searchBounds.qLengthMax} tegn.`,
      `${name} is the text to search for, 1 to ${searchBounds.qLengthMax} characters.`,
    )
  }
  // Control characters have no place in a name, and lone surrogates can not be sent on.
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) {
    throw refused(
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
    throw refused(name, `${name} er på formen ${example}.`, `${name} is of the form ${example}.`)
  return given
}

function amount(name: string, given: string | undefined): number | null {
  if (given === undefined) return null
  if (!/^[0-9]{1,7}$/.test(given))
    throw refused(name, `${name} er et helt tall.`, `${name} is a whole number.`)
  return Number(given)
}

function day(name: string, given: string | undefined): string | null {
  if (given === undefined) return null
  const isDay =
    /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(given) && new Date(given).toJSON()?.startsWith(given) === true
  if (!isDay || given < '1000-01-01')
    throw refused(name, `${name} er en dato, ÅÅÅÅ-MM-DD.`, `${name} is a date, YYYY-MM-DD.`)
  return given
}

export function wrongCursor(): InputError {
  return refused(
    'etter',
    'etter er verdien av neste i en tidligere side av det samme søket, uendret.',
    'etter is the value of neste in an earlier page of the same search, unchanged.',
  )
}

/** @throws InputError unless `felt` names fields there are, and `fersk` is true or false; either may be left out */
export function readCompanyQuestion(query: unknown): { fersk: boolean; fields: Field[] | null } {
  const { felt, ...rest } = onlyOnce(query, ['felt', 'fersk'])
  return { fersk: isFersk(rest), fields: felt === undefined ? null : readFields(felt) }
}

/** @throws InputError like `readCompanyQuestion`; null: all of them */
export function readFieldsAlone(query: unknown): Field[] | null {
  const { felt } = onlyOnce(query, ['felt'])
  return felt === undefined ? null : readFields(felt)
}

/** @throws InputError unless `fra` is a line's number, or not there, and nothing else is */
export function readFromLine(query: unknown): { fra: number } {
  const { fra = '1' } = onlyOnce(query, ['fra'])
  if (!/^[1-9][0-9]{0,5}$/.test(fra)) {
    throw refused('fra', 'fra er nummeret på en linje, fra 1.', 'fra is the number of a line, from 1.')
  }
  return { fra: Number(fra) }
}

/** @throws InputError unless `fersk` is true or false, or not there, and nothing else is */
export function readFersk(query: unknown): { fersk: boolean } {
  return { fersk: isFersk(onlyOnce(query, ['fersk'])) }
}

function isFersk({ fersk }: { fersk?: string }): boolean {
  if (fersk !== undefined && fersk !== 'true' && fersk !== 'false') {
    throw refused('fersk', 'fersk er true eller false.', 'fersk is true or false.')
  }
  return fersk === 'true'
}

export type HolderParameters = { aar: number | null; etter: HolderCursor | null; size: number }

export const holderBounds = { sizeMax: 500, sizeStandard: 100 } as const

/** @throws InputError `ugyldig_parameter` like `readSearch` */
export function readHolders(query: unknown): HolderParameters {
  const { aar, etter, size } = onlyOnce(query, ['aar', 'etter', 'size'])
  const cursor = etter === undefined ? null : readCursor(etter)
  if (etter !== undefined && cursor === null) throw notACursor()
  return { aar: aar === undefined ? null : whole('aar', aar, YEARS), etter: cursor, size: pageSize(size) }
}

/** @throws InputError `ugyldig_parameter` like `readSearch` */
export function readListPage(query: unknown): { etter: ListCursor | null; size: number; fersk: boolean } {
  const { etter, size, ...rest } = onlyOnce(query, ['etter', 'size', 'fersk'])
  const cursor = etter === undefined ? null : readListCursor(etter)
  if (etter !== undefined && cursor === null) throw notACursor()
  return { etter: cursor, size: pageSize(size), fersk: isFersk(rest) }
}

function pageSize(size: string | undefined): number {
  const { sizeStandard, sizeMax } = holderBounds
  return size === undefined ? sizeStandard : whole('size', size, { least: 1, most: sizeMax })
}

function notACursor(): InputError {
  return refused(
    'etter',
    'etter er verdien av neste i en tidligere side, uendret.',
    'etter is the value of neste in an earlier page, unchanged.',
  )
}

export type OwnershipParameters = {
  aar: number | null
  retning: 'opp' | 'ned' | 'begge'
  dybde: number | undefined
  format: 'json' | 'bods' | null
}

export const ownershipBounds = { levelsMax: policy.eierskap.levelsMax } as const

/** @throws InputError `ugyldig_parameter` like `readSearch` */
export function readOwnershipQuestion(query: unknown): OwnershipParameters {
  const { aar, retning, dybde, format } = onlyOnce(query, ['aar', 'retning', 'dybde', 'format'])
  return {
    aar: aar === undefined ? null : whole('aar', aar, YEARS),
    retning: retning === undefined ? 'begge' : oneOf('retning', retning, ['opp', 'ned', 'begge']),
    dybde:
      dybde === undefined ? undefined : whole('dybde', dybde, { least: 1, most: ownershipBounds.levelsMax }),
    format: format === undefined ? null : oneOf('format', format, ['json', 'bods']),
  }
}

const YEARS = { least: 2002, most: 2200 }

export type ChangesParameters = {
  after: LogCursor | null
  orgnr: string | null
  types: string[] | null
  size: number
  waitMs: number
  asEvents: boolean
}

/** @throws InputError `ugyldig_parameter` like `readSearch`, and for a number that is none */
export function readChangesQuestion(query: unknown): ChangesParameters {
  const read = onlyOnce(query, ['etter', 'orgnr', 'type', 'size', 'vent', 'format'])
  const { sizeStandard, sizeMax, waitSecondsMax } = policy.changeLog
  const after = read.etter === undefined ? null : readLogCursor(read.etter)
  if (read.etter !== undefined && after === null) throw notAPlaceInTheLog()
  const format = read.format === undefined ? 'json' : oneOf('format', read.format, ['json', 'cloudevents'])
  return {
    after,
    orgnr: read.orgnr === undefined ? null : parseOrganisasjonsnummer(read.orgnr),
    types: read.type === undefined ? null : readTypeFilter(read.type.split(','), 'type'),
    size: read.size === undefined ? sizeStandard : whole('size', read.size, { least: 1, most: sizeMax }),
    waitMs: read.vent === undefined ? 0 : 1000 * whole('vent', read.vent, { least: 0, most: waitSecondsMax }),
    asEvents: format === 'cloudevents',
  }
}

/** @throws InputError `ugyldig_parameter` like `readSearch` */
export function readCompanyChanges(query: unknown): { before: LogCursor | null; size: number } {
  const { etter, size } = onlyOnce(query, ['etter', 'size'])
  const { sizeStandard, sizeMax } = policy.changeLog
  const before = etter === undefined ? null : readLogCursor(etter)
  if (etter !== undefined && before === null) throw notACursor()
  return {
    before,
    size: size === undefined ? sizeStandard : whole('size', size, { least: 1, most: sizeMax }),
  }
}

/** @throws InputError `ugyldig_parameter` like `readSearch` */
export function readWatchPage(query: unknown): { after: string | null; size: number } {
  const { etter, size } = onlyOnce(query, ['etter', 'size'])
  const { sizeStandard, sizeMax } = policy.watches
  const after = etter === undefined ? null : findOrganisasjonsnummer(etter)
  if (etter !== undefined && after === null) throw notACursor()
  return {
    after,
    size: size === undefined ? sizeStandard : whole('size', size, { least: 1, most: sizeMax }),
  }
}

/** @throws InputError `ugyldig_parameter` like `readSearch` */
export function readWatchMany(query: unknown): {
  ends: boolean
  typer: string[] | null
  epost: 'straks' | 'daglig' | null
} {
  const { gjor, typer, epost } = onlyOnce(query, ['gjor', 'typer', 'epost'])
  const wanted = epost === undefined ? 'ingen' : oneOf('epost', epost, ['ingen', 'straks', 'daglig'])
  return {
    ends: gjor !== undefined && oneOf('gjor', gjor, ['overvak', 'slutt']) === 'slutt',
    typer: typer === undefined ? null : readTypeFilter(typer.split(','), 'typer'),
    epost: wanted === 'ingen' ? null : wanted,
  }
}

/** @throws InputError `ugyldig_parameter` like `readSearch` */
export function readDeliveryPage(query: unknown): {
  below: string | null
  tilstand: 'venter' | 'levert' | 'oppgitt' | null
  size: number
} {
  const { etter, size, leveringstilstand } = onlyOnce(query, ['etter', 'size', 'leveringstilstand'])
  const { sizeStandard, sizeMax } = policy.push
  if (etter !== undefined && !/^[1-9][0-9]{0,17}$/.test(etter)) throw notACursor()
  return {
    below: etter ?? null,
    tilstand:
      leveringstilstand === undefined
        ? null
        : oneOf('leveringstilstand', leveringstilstand, ['venter', 'levert', 'oppgitt']),
    size: size === undefined ? sizeStandard : whole('size', size, { least: 1, most: sizeMax }),
  }
}

function notAPlaceInTheLog(): InputError {
  return refused(
    'etter',
    'etter er verdien av neste, eller en endrings peker, uendret.',
    'etter is the value of neste, or the peker of a change, unchanged.',
  )
}

/** @throws InputError when there is any parameter at all */
export function readNothing(query: unknown): void {
  onlyOnce(query, [])
}

function whole(name: string, text: string, { least, most }: { least: number; most: number }): number {
  const number = Number(text)
  if (!/^[0-9]{1,4}$/.test(text) || number < least || number > most) {
    throw refused(
      name,
      `${name} er et helt tall fra ${least} til ${most}.`,
      `${name} is a whole number from ${least} to ${most}.`,
    )
  }
  return number
}

function oneOf<const Words extends readonly string[]>(
  name: string,
  text: string,
  words: Words,
): Words[number] {
  const word = words.find((each) => each === text)
  if (word === undefined) {
    throw refused(name, `${name} er ${words.join(', ')}.`, `${name} is one of ${words.join(', ')}.`)
  }
  return word
}

function onlyOnce<Name extends string>(
  query: unknown,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const read: Partial<Record<Name, string>> = {}
  for (const [name, value] of Object.entries(query ?? {})) {
    const known = names.find((each) => each === name)
    if (known === undefined) {
      const allowed = names.length === 0 ? 'ingen' : names.join(', ')
      throw refused(
        'query',
        `Ukjent parameter. Adressen tar: ${allowed}.`,
        `Unknown parameter. The address takes: ${names.length === 0 ? 'none' : names.join(', ')}.`,
      )
    }
    if (typeof value !== 'string') {
      throw refused(known, `${known} kan bare oppgis én gang.`, `${known} can be given only once.`)
    }
    read[known] = value
  }
  return read
}

function refused(parameter: string, norsk: string, english: string): InputError {
  return new InputError('ugyldig_parameter', parameter, { norsk, english })
}

import { policy } from '#config/policy.ts'
import { InputError } from '#src/core/errors.ts'
import { type HolderCursor, readCursor } from '#src/record/holder-cursor.ts'

/**
 * Query strings are read here and not by the framework's validator: its coercion lets `1e1` and ` 5` pass for whole
 * numbers, and its messages repeat what the caller sent.
 */
export type SearchParameters = { q: string; size: number }

export const searchBounds = { qLengthMax: 180, sizeMax: 100, sizeStandard: 10 } as const

/** @throws InputError `ugyldig_parameter` that names the parameter and what it may be */
export function readSearch(query: unknown): SearchParameters {
  const { q, size } = onlyOnce(query, ['q', 'size'])
  const text = q?.trim() ?? ''
  if (text.length < 1 || text.length > searchBounds.qLengthMax) {
    throw refused(
      'q',
      `q er teksten det søkes etter, 1 til ${searchBounds.qLengthMax} tegn.`,
      `q is the text to search for, 1 to ${searchBounds.qLengthMax} characters.`,
    )
  }
  // Control characters have no place in a name, and lone surrogates can not be sent on.
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) {
    throw refused('q', 'q kan ikke inneholde styretegn.', 'q can not contain control characters.')
  }
  const { sizeStandard, sizeMax } = searchBounds
  return {
    q: text,
    size: size === undefined ? sizeStandard : whole('size', size, { least: 1, most: sizeMax }),
  }
}

/** @throws InputError unless `fersk` is true or false, or not there, and nothing else is */
export function readFersk(query: unknown): { fersk: boolean } {
  const { fersk } = onlyOnce(query, ['fersk'])
  if (fersk !== undefined && fersk !== 'true' && fersk !== 'false') {
    throw refused('fersk', 'fersk er true eller false.', 'fersk is true or false.')
  }
  return { fersk: fersk === 'true' }
}

export type HolderParameters = { aar: number | null; etter: HolderCursor | null; size: number }

export const holderBounds = { sizeMax: 500, sizeStandard: 100 } as const

/** @throws InputError `ugyldig_parameter` like `readSearch` */
export function readHolders(query: unknown): HolderParameters {
  const { aar, etter, size } = onlyOnce(query, ['aar', 'etter', 'size'])
  const cursor = etter === undefined ? null : readCursor(etter)
  if (etter !== undefined && cursor === null) {
    throw refused(
      'etter',
      'etter er verdien av neste i en tidligere side, uendret.',
      'etter is the value of neste in an earlier page, unchanged.',
    )
  }
  const { sizeStandard, sizeMax } = holderBounds
  return {
    aar: aar === undefined ? null : whole('aar', aar, YEARS),
    etter: cursor,
    size: size === undefined ? sizeStandard : whole('size', size, { least: 1, most: sizeMax }),
  }
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

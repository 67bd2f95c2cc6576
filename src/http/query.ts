import { InputError } from '#src/core/errors.ts'

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
  return { q: text, size: size === undefined ? searchBounds.sizeStandard : wholeSize(size) }
}

/** @throws InputError unless `fersk` is true or false, or not there, and nothing else is */
export function readFersk(query: unknown): { fersk: boolean } {
  const { fersk } = onlyOnce(query, ['fersk'])
  if (fersk !== undefined && fersk !== 'true' && fersk !== 'false') {
    throw refused('fersk', 'fersk er true eller false.', 'fersk is true or false.')
  }
  return { fersk: fersk === 'true' }
}

/** @throws InputError when there is any parameter at all */
export function readNothing(query: unknown): void {
  onlyOnce(query, [])
}

function wholeSize(size: string): number {
  const number = Number(size)
  if (!/^[0-9]{1,3}$/.test(size) || number < 1 || number > searchBounds.sizeMax) {
    throw refused(
      'size',
      `size er et helt tall fra 1 til ${searchBounds.sizeMax}.`,
      `size is a whole number from 1 to ${searchBounds.sizeMax}.`,
    )
  }
  return number
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

import { InputError } from '#src/core/errors.ts'

/**
 * Query strings are read here and not by the framework's validator: its coercion lets `1e1` and ` 5` pass for whole
 * numbers, and its messages repeat what the caller sent.
 */

/** @throws InputError unless it is a whole number within these */
export function readWholeNumber(
  name: string,
  text: string,
  { least, most }: { least: number; most: number },
): number {
  const number = Number(text)
  if (!/^[0-9]{1,4}$/.test(text) || number < least || number > most) {
    throw parameterRefused(
      name,
      `${name} er et helt tall fra ${least} til ${most}.`,
      `${name} is a whole number from ${least} to ${most}.`,
    )
  }
  return number
}

/** @throws InputError unless it is one of the words */
export function readWord<const Words extends readonly string[]>(
  name: string,
  text: string,
  words: Words,
): Words[number] {
  const word = words.find((each) => each === text)
  if (word === undefined) {
    throw parameterRefused(name, `${name} er ${words.join(', ')}.`, `${name} is one of ${words.join(', ')}.`)
  }
  return word
}

/** @throws InputError for a parameter there is none of, and for one that is given twice */
export function onlyOnce<Name extends string>(
  query: unknown,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const read: Partial<Record<Name, string>> = {}
  for (const [name, value] of Object.entries(query ?? {})) {
    const known = names.find((each) => each === name)
    if (known === undefined) {
      const allowed = names.length === 0 ? 'ingen' : names.join(', ')
      throw parameterRefused(
        'query',
        `Ukjent parameter. Adressen tar: ${allowed}.`,
        `Unknown parameter. The address takes: ${names.length === 0 ? 'none' : names.join(', ')}.`,
      )
    }
    if (typeof value !== 'string') {
      throw parameterRefused(known, `${known} kan bare oppgis én gang.`, `${known} can be given only once.`)
    }
    read[known] = value
  }
  return read
}

/** What is thrown for what a parameter may not be. */
export function parameterRefused(parameter: string, norsk: string, english: string): InputError {
  return new InputError('ugyldig_parameter', parameter, { norsk, english })
}

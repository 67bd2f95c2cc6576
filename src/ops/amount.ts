import { InputError } from '#src/core/errors.ts'

/**
 * A value as an operator types it: a number, with a comma or a point, or a time with its unit ("14 d", "12 t", "30 min").
 *
 * @returns seconds for a time; otherwise the number as it stands
 * @throws InputError for anything else
 */
export function readAmount(text: string): number {
  const [, number = '', unit = 's'] = /^ *([0-9]{1,9}(?:[.,][0-9]{1,4})?) *(s|min|t|d)? *$/.exec(text) ?? []
  if (number !== '') return Number(number.replace(',', '.')) * SECONDS[unit as keyof typeof SECONDS]
  throw new InputError('ugyldig_tall', 'verdi', {
    norsk: 'Verdien er et tall (0,5 går an for kall i sekundet), eller en tid som 14 d, 12 t eller 30 min.',
    english: 'The value is a number (0.5 will do for calls a second), or a time like 14 d, 12 t or 30 min.',
  })
}

const SECONDS = { s: 1, min: 60, t: 3600, d: 86_400 }

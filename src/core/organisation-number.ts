import { InputError } from './errors.ts'

/** Nine digits whose last is the mod-11 check digit of the first eight. Only `parse…` makes one. */
export type Organisasjonsnummer = string & { readonly __brand: 'organisasjonsnummer' }

/** Longest text that is looked at at all; a written-out number with every allowed extra stays far below. */
const TEXT_LENGTH_MAX = 40

/**
 * Reads an organisation number as people write it: `923609016`, `923 609 016`, `923.609.016`, `NO 923 609 016 MVA`.
 * Spaces (also non-breaking), dots and the VAT dress are dropped; anything else is refused.
 *
 * @throws InputError `ugyldig_organisasjonsnummer`, whose text says what was wrong: characters, length or check digit.
 */
export function parseOrganisasjonsnummer(text: string): Organisasjonsnummer {
  const read = readOrganisasjonsnummer(text)
  if (typeof read !== 'string') throw noOrganisasjonsnummer(read)
  return read
}

/** What is wrong with a text that should be one. */
export type WrongNumber = { norsk: string; english: string }

/** The same reading for whoever reads a hundred thousand: to make an error takes ten times as long as to see that it is none. */
export function readOrganisasjonsnummer(text: string): Organisasjonsnummer | WrongNumber {
  const digits = NINE.test(text) ? text : undress(text)
  if (digits === null) {
    return {
      norsk:
        'Et organisasjonsnummer består av ni siffer; mellomrom, punktum og NO…MVA er tillatt, andre tegn er ikke.',
      english:
        'An organisation number is nine digits; spaces, dots and NO…MVA are allowed, other characters are not.',
    }
  }
  if (digits.length !== 9) {
    return {
      norsk: `Et organisasjonsnummer har ni siffer, her er det ${digits.length}.`,
      english: `An organisation number has nine digits, found ${digits.length}.`,
    }
  }
  if (!hasRightEnd(digits)) {
    return {
      norsk: 'Kontrollsifferet stemmer ikke (modulus 11). Er et siffer skrevet feil?',
      english: 'The check digit does not match (modulus 11). Is a digit mistyped?',
    }
  }
  return digits
}

export function noOrganisasjonsnummer(wrong: WrongNumber): InputError {
  return new InputError('ugyldig_organisasjonsnummer', 'organisasjonsnummer', wrong)
}

/** True for exactly nine digits with a right check digit. The first digit is not restricted: new series may come. */
export function isOrganisasjonsnummer(text: string): text is Organisasjonsnummer {
  return NINE.test(text) && hasRightEnd(text)
}

function hasRightEnd(nineDigits: string): nineDigits is Organisasjonsnummer {
  return checkDigit(nineDigits) === nineDigits.charCodeAt(8) - ZERO
}

const NINE = /^[0-9]{9}$/
const ZERO = 48

/** A number as it is written: one that is kept as a number has lost its leading zeros. */
export function nineDigits(orgnr: number): string {
  return String(orgnr).padStart(9, '0')
}

/** The same reading as `parseOrganisasjonsnummer`, for text that may as well be something else: null if it is. */
export function findOrganisasjonsnummer(text: string): Organisasjonsnummer | null {
  const digits = undress(text)
  return digits !== null && isOrganisasjonsnummer(digits) ? digits : null
}

function undress(text: string): string | null {
  if (text.length > TEXT_LENGTH_MAX) return null
  const bare = text.replace(/[\s.\u00a0]/g, '').toUpperCase()
  const withoutDress = bare.replace(/^NO/, '').replace(/MVA$/, '')
  return /^[0-9]+$/.test(withoutDress) ? withoutDress : null
}

/** Weights 3 2 7 6 5 4 3 2 from the left; a remainder of 1 has no check digit, so such numbers are never given out. */
function checkDigit(digits: string): number {
  let sum = 0
  for (let place = 0; place < WEIGHTS.length; place++)
    sum += (WEIGHTS[place] ?? 0) * (digits.charCodeAt(place) - ZERO)
  const rest = 11 - (sum % 11)
  return rest === 11 ? 0 : rest
}

const WEIGHTS = [3, 2, 7, 6, 5, 4, 3, 2]

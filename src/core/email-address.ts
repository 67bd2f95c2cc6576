import { InputError } from './errors.ts'

/** RFC 5321, 4.5.3.1: 64 before the @; 254 in all is what a mail server must be able to take. */
const LENGTH_MAX = 254
const LOCAL_LENGTH_MAX = 64

/** No class holds the character that ends it, so the match is linear. */
const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+$/u

/**
 * Reads one e-mail address: no display name, no list, no quotes, no line breaks, at most 254 characters.
 * Whether somebody reads it is only known when a mail arrives.
 *
 * @throws InputError `ugyldig_epost`; the text does not repeat what was sent.
 */
export function parseEmailAddress(text: string): string {
  const address = text.trim()
  const isAddress =
    address.length <= LENGTH_MAX && address.indexOf('@') <= LOCAL_LENGTH_MAX && ADDRESS.test(address)
  if (!isAddress) {
    throw new InputError('ugyldig_epost', 'epost', {
      norsk: `Skriv én e-postadresse, uten navn foran og med høyst ${LENGTH_MAX} tegn, for eksempel ola@example.no.`,
      english: `Give one e-mail address, without a display name, at most ${LENGTH_MAX} characters.`,
    })
  }
  return address
}

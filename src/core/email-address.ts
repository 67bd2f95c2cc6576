import { isIPv4 } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { InputError } from './errors.ts'

/** RFC 5321, 4.5.3.1: 64 before the @; 254 in all is what a mail server must be able to take, with the domain in ASCII. */
const LENGTH_MAX = 254
const LOCAL_LENGTH_MAX = 64
const LABEL_LENGTH_MAX = 63

/** No class holds the character that ends it, so the match is linear. */
const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+$/u

/**
 * Reads one e-mail address: no display name, no list, no quotes, no line breaks, at most 254 characters.
 * Whether somebody reads it is only known when a mail arrives.
 *
 * A domain can be written in many ways: wide or mathematical letters, capitals, `xn--`. They are one domain to whoever delivers, and
 * so they are here (UTS 46): as letters, or in ASCII where it has some that no address of ours may have.
 *
 * @throws InputError `ugyldig_epost`; the text does not repeat what was sent.
 */
export function parseEmailAddress(text: string): string {
  const address = parseKeptAddress(text)
  if (isSlip(address)) throw noAddress()
  return address
}

/** The same of one that may be kept already: its holder's, though it would not be taken now. @throws InputError */
export function parseKeptAddress(text: string): string {
  const address = readAddress(text.trim())
  if (address === null) throw noAddress()
  return address
}

function noAddress(): InputError {
  return new InputError('ugyldig_epost', 'epost', {
    norsk: `Skriv én e-postadresse, uten navn foran og med høyst ${LENGTH_MAX} tegn, for eksempel ola@example.no.`,
    english: `Give one e-mail address, without a display name, at most ${LENGTH_MAX} characters.`,
  })
}

/** The same of a text that may be none: null. */
export function readAddress(text: string): string | null {
  if (text.length > LENGTH_MAX || text.indexOf('@') > LOCAL_LENGTH_MAX || !ADDRESS.test(text)) return null
  const at = text.indexOf('@')
  const [local, ascii] = [text.slice(0, at), domainToASCII(text.slice(at + 1))]
  // No domain at all, or none once it is read as one: a label that decodes to nothing, or a number of a host.
  if (ascii === '' || isIPv4(ascii) || local.length + 1 + ascii.length > LENGTH_MAX) return null
  const forms = [domainToUnicode(ascii), ascii].map((domain) => `${local}@${domain}`)
  return forms.find((form) => ADDRESS.test(form)) ?? null
}

/**
 * No mail server takes it (RFC 5321, 4.1.2: Dot-string, sub-domain; RFC 1035, 2.3.4): a dot too many, a hyphen at an edge, or a part of
 * the domain that DNS has no room for.
 */
function isSlip(address: string): boolean {
  const [local = '', domain = ''] = address.split('@')
  return (
    local.split('.').includes('') ||
    domain.split('.').some((label) => /^-|-$/.test(label)) ||
    domainToASCII(domain)
      .split('.')
      .some((label) => label.length > LABEL_LENGTH_MAX)
  )
}

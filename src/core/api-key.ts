import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Which service a key is for. It stands in the key, so that nobody takes one for the other. */
export type Miljo = 'live' | 'test'

/**
 * A key that is well formed; whether it is known is another question.
 * `id` may be logged and shown, `token` is the whole secret text and may not.
 */
export type ApiKey = { readonly id: string; readonly miljo: Miljo; readonly token: string }

/** `ikke_en_nokkel`: not the form of a key. `feil_kontrollsum`: the form is right, a character is not. */
export type KeyRefusal = 'ikke_en_nokkel' | 'feil_kontrollsum'

/**
 * Makes a key: `bo_<live|test>_<id, 12>_<secret, 43><checksum, 6>`, all base62. 43 characters hold 256 bits.
 * The checksum is the CRC32 of everything before it, as in GitHub's tokens: a scanner of leaked secrets, and we, can
 * tell a key from noise without asking a database. It is public arithmetic and guards against typing errors alone.
 */
export function mintKey(miljo: Miljo): ApiKey {
  return keyFrom(miljo, randomText(ID_LENGTH), randomText(SECRET_LENGTH))
}

/** The key of this id whose secret is computed, not drawn. @param secret 256 bits, written as 43 base62 digits */
export function writeApiKey(miljo: Miljo, id: string, secret: Buffer): ApiKey {
  let rest = BigInt(`0x${secret.toString('hex')}`)
  let text = ''
  for (let place = 0; place < SECRET_LENGTH; place++) {
    text = `${ALPHABET[Number(rest % BASE)]}${text}`
    rest /= BASE
  }
  return keyFrom(miljo, id, text)
}

function keyFrom(miljo: Miljo, id: string, secret: string): ApiKey {
  const body = `bo_${miljo}_${id}_${secret}`
  return { id, miljo, token: body + checksum(body) }
}

/** Reads a key as a caller sent it, exactly; costs microseconds whatever the text is. */
export function readKey(text: string): ApiKey | KeyRefusal {
  if (text.length !== TOKEN_LENGTH) return 'ikke_en_nokkel'
  const form = FORM.exec(text)
  if (form === null) return 'ikke_en_nokkel'
  const [, miljo, id] = form
  if (id === undefined || (miljo !== 'live' && miljo !== 'test')) return 'ikke_en_nokkel'
  const body = text.slice(0, -CHECKSUM_LENGTH)
  if (checksum(body) !== text.slice(-CHECKSUM_LENGTH)) return 'feil_kontrollsum'
  return { id, miljo, token: text }
}

/** The id in a text that may be a key: nothing else of it is looked at. Null where no key has one. */
export function idIn(text: string): string | null {
  return text.length === TOKEN_LENGTH ? text.slice(ID_AT, ID_AT + ID_LENGTH) : null
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE = BigInt(ALPHABET.length)
const ID_LENGTH = 12
const SECRET_LENGTH = 43
/** 62^6 is more than 2^32. */
const CHECKSUM_LENGTH = 6
const ID_AT = 'bo_live_'.length
const TOKEN_LENGTH = ID_AT + ID_LENGTH + 1 + SECRET_LENGTH + CHECKSUM_LENGTH

/** Every part has one length and one set of characters, so there is nothing to backtrack over. */
const FORM = /^bo_(live|test)_([0-9A-Za-z]{12})_[0-9A-Za-z]{49}$/

/** `randomInt` rejects what would favour some characters; a remainder of random bytes would not. */
export function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    text = `${ALPHABET[rest % ALPHABET.length]}${text}`
    rest = Math.floor(rest / ALPHABET.length)
  }
  return text
}

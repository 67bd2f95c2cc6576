import { foldName } from './person-name.ts'

/**
 * A tidy name as its bytes in UTF-8, for whoever compares and copies millions of them: a text for each would be most of what that
 * costs.
 */
export type NameBytes = {
  bytes: Uint8Array
  from: number
  to: number
  /** Names that fold to one have the same, in this process. */
  hash: number
  /** Folding it is a matter of its bytes, one by one. */
  isPlain: boolean
}

export function createNameBytes(): NameBytes {
  return { bytes: new Uint8Array(0), from: 0, to: 0, hash: SEED, isPlain: true }
}

/**
 * Takes the bytes as the name when they are a tidy one in plain letters: printable ASCII without two spaces together, and the
 * letters of Western Europe that are two bytes. All but a few names are.
 *
 * @param bytes UTF-8 without a space at either end; they must stay as they are for as long as the name is used
 * @returns false when only the text can tell; nothing is taken then
 */
export function takePlainName(name: NameBytes, bytes: Uint8Array, from: number, to: number): boolean {
  let hash = SEED
  for (let at = from; at < to; at++) {
    let byte = bytes[at] as number
    if (byte >= SMALL_A && byte <= SMALL_Z) byte -= CASE
    else if (byte <= SPACE) {
      if (byte < SPACE || bytes[at + 1] === SPACE) return false
    } else if (byte > TILDE) {
      const second = at + 1 < to ? (bytes[at + 1] as number) : 0
      // U+00C0 to U+00FE; ß is two letters when it is large.
      if (byte !== WESTERN || second < 0x80 || second === SHARP_S || second > THORN) return false
      hash = Math.imul(hash ^ byte, PRIME)
      byte = foldedByte(second)
      at++
    }
    hash = Math.imul(hash ^ byte, PRIME)
  }
  name.bytes = bytes
  name.from = from
  name.to = to
  name.hash = hash
  name.isPlain = true
  return true
}

/** Takes a tidy text as the name. */
export function takeName(name: NameBytes, text: string): void {
  const bytes = Buffer.from(text)
  if (takePlainName(name, bytes, 0, bytes.length)) return
  name.bytes = bytes
  name.from = 0
  name.to = bytes.length
  name.hash = SEED
  for (const byte of Buffer.from(foldName(text))) name.hash = Math.imul(name.hash ^ byte, PRIME)
  name.isPlain = false
}

export function nameText({ bytes, from, to }: Pick<NameBytes, 'bytes' | 'from' | 'to'>): string {
  return from === to
    ? ''
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8', from, to)
}

/** True for two spellings of one name: see `foldName`. */
export function isOneName(one: NameBytes, other: NameBytes): boolean {
  if (!one.isPlain || !other.isPlain) return foldName(nameText(one)) === foldName(nameText(other))
  const length = one.to - one.from
  if (length !== other.to - other.from) return false
  for (let index = 0; index < length; index++) {
    const byte = one.bytes[one.from + index] as number
    const otherByte = other.bytes[other.from + index] as number
    if (byte !== otherByte && foldedByte(byte) !== foldedByte(otherByte)) return false
  }
  return true
}

/** Of a plain name: a byte from 0xA0 to 0xBE is only ever the second of a letter's two. */
function foldedByte(byte: number): number {
  const isSmall =
    (byte >= SMALL_A && byte <= SMALL_Z) || (byte >= SMALL_A_GRAVE && byte <= THORN && byte !== DIVISION)
  return isSmall ? byte - CASE : byte
}

/** Nobody outside can choose names that have one hash. */
const SEED = Math.floor(Math.random() * 2 ** 32) | 0
const PRIME = 0x01000193
const CASE = 32
const SPACE = 32
const SMALL_A = 97
const SMALL_Z = 122
const TILDE = 126
/** The first byte of U+00C0 to U+00FF, and the second of some of them. */
const WESTERN = 0xc3
const SHARP_S = 0x9f
const SMALL_A_GRAVE = 0xa0
const DIVISION = 0xb7
const THORN = 0xbe

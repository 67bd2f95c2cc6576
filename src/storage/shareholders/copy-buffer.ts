/**
 * Rows of PostgreSQL's COPY in its binary format, written as bytes without anything being made for each: with millions of rows that
 * is most of what packing them costs, and PostgreSQL looks for no line ends, tabs and digits in them. A field is its length and its
 * bytes, numbers have their high byte first.
 */
export type CopyBuffer = {
  bytes: Buffer
  at: number
  /** Given what has been written, many rows at a time. */
  readonly onFull: (bytes: Buffer) => void
}

export function createCopyBuffer(onFull: (bytes: Buffer) => void): CopyBuffer {
  const to: CopyBuffer = { bytes: Buffer.allocUnsafe(BUFFER_BYTES), at: 0, onFull }
  to.at = putBytes(to.bytes, 0, SIGNATURE)
  return to
}

export function beginRow(to: CopyBuffer, fields: number): void {
  if (to.at >= FULL_BYTES) flush(to)
  makeRoom(to, 2)
  to.bytes[to.at++] = fields >>> 8
  to.bytes[to.at++] = fields
}

export function writeNull(to: CopyBuffer): void {
  makeRoom(to, 4)
  to.at = putInteger(to.bytes, to.at, -1)
}

/** `integer`. */
export function writeInteger(to: CopyBuffer, value: number): void {
  makeRoom(to, 8)
  to.at = putInteger(to.bytes, putInteger(to.bytes, to.at, 4), value)
}

/** `bigint`: whole, not negative, at most 2^53 - 1. */
export function writeBigint(to: CopyBuffer, value: number): void {
  makeRoom(to, 12)
  const high = Math.floor(value / 2 ** 32)
  to.at = putInteger(to.bytes, putInteger(to.bytes, putInteger(to.bytes, to.at, 8), high), value >>> 0)
}

/** `text`. */
export function writeText(to: CopyBuffer, text: string): void {
  const begun = beginField(to)
  const size = Buffer.byteLength(text)
  makeRoom(to, size)
  to.at += to.bytes.write(text, to.at)
  endField(to, begun)
}

/** `text[]` without nulls. */
export function writeTexts(to: CopyBuffer, texts: readonly string[]): void {
  const begun = beginField(to)
  makeRoom(to, 20)
  for (const fact of texts.length === 0 ? [0, 0, TEXT_OID] : [1, 0, TEXT_OID, texts.length, 1])
    to.at = putInteger(to.bytes, to.at, fact)
  for (const text of texts) writeText(to, text)
  endField(to, begun)
}

/** For a field whose length is known at its end. @returns where it begins, for `endField` */
export function beginField(to: CopyBuffer): number {
  makeRoom(to, 4)
  to.at += 4
  return to.at
}

/** @returns the bytes of the field */
export function endField(to: CopyBuffer, begun: number): number {
  putInteger(to.bytes, begun - 4, to.at - begun)
  return to.at - begun
}

/** No row comes after this. */
export function endCopy(to: CopyBuffer): void {
  beginRow(to, NO_ROW)
  flush(to)
}

/** So many bytes can be put before the next `makeRoom`. A row is never parted, so that the length of a field can be put in front of it. */
export function makeRoom(to: CopyBuffer, size: number): void {
  if (to.at + size <= to.bytes.length) return
  const larger = Buffer.allocUnsafe(Math.max(to.at + size, to.bytes.length * 2))
  to.bytes.copy(larger, 0, 0, to.at)
  to.bytes = larger
}

/** These write where there is room. @returns where the next byte belongs */
export function putBytes(bytes: Uint8Array, start: number, all: Uint8Array): number {
  const { length } = all
  for (let index = 0; index < length; index++) bytes[start + index] = all[index] as number
  return start + length
}

/** In decimal digits: whole, not negative, at most 2^53 - 1. */
export function putDigits(bytes: Uint8Array, start: number, value: number): number {
  if (value < 10) {
    bytes[start] = ZERO + value
    return start + 1
  }
  if (value > INT32_MAX) {
    const digits = String(value)
    for (let index = 0; index < digits.length; index++) bytes[start + index] = digits.charCodeAt(index)
    return start + digits.length
  }
  let length = 2
  for (let limit = 100; value >= limit && length < INT32_DIGITS; limit *= 10) length++
  let rest = value | 0
  for (let place = start + length - 1; place >= start; place--) {
    const next = (rest / 10) | 0
    bytes[place] = ZERO + rest - next * 10
    rest = next
  }
  return start + length
}

/** UTF-8 within the quotes of a JSON string; without control characters. */
export function putInJson(
  bytes: Uint8Array,
  start: number,
  text: Uint8Array,
  from: number,
  to: number,
): number {
  let at = start
  for (let index = from; index < to; index++) {
    const byte = text[index] as number
    if (byte === BACKSLASH || byte === QUOTE) bytes[at++] = BACKSLASH
    bytes[at++] = byte
  }
  return at
}

function putInteger(bytes: Uint8Array, start: number, value: number): number {
  bytes[start] = value >>> 24
  bytes[start + 1] = value >>> 16
  bytes[start + 2] = value >>> 8
  bytes[start + 3] = value
  return start + 4
}

function flush(to: CopyBuffer): void {
  to.onFull(to.bytes.subarray(0, to.at))
  to.bytes = Buffer.allocUnsafe(BUFFER_BYTES)
  to.at = 0
}

/** With nothing said of object ids, and nothing more in the header. */
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const NO_ROW = -1
const TEXT_OID = 25
const FULL_BYTES = 48 * 1024
const BUFFER_BYTES = 64 * 1024
export const DIGITS_MAX = 16
/** A quotation mark or a backslash. */
export const IN_JSON_BYTES_MAX = 2
const INT32_MAX = 2_147_483_647
const INT32_DIGITS = 10
const ZERO = 48
const QUOTE = 34
const BACKSLASH = 92

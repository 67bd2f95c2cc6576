/**
 * Rows of PostgreSQL's COPY (text format), written as bytes without a text being made for each: with millions of rows that
 * is most of what packing them costs. Whoever writes asks for room first.
 */
export type CopyBuffer = {
  bytes: Buffer
  at: number
  /** Given what has been written, a buffer at a time. */
  readonly onFull: (bytes: Buffer) => void
}

export function createCopyBuffer(onFull: (bytes: Buffer) => void): CopyBuffer {
  return { bytes: Buffer.allocUnsafe(BUFFER_BYTES), at: 0, onFull }
}

export function flush(to: CopyBuffer): void {
  if (to.at === 0) return
  to.onFull(to.bytes.subarray(0, to.at))
  to.bytes = Buffer.allocUnsafe(BUFFER_BYTES)
  to.at = 0
}

/** So much can be written before the next `makeRoom`. */
export function makeRoom(to: CopyBuffer, size: number): void {
  if (to.at + size <= BUFFER_BYTES) return
  if (size > BUFFER_BYTES) throw new RangeError('the text is too long for a row')
  flush(to)
}

/** ASCII that is right as it is. */
export function writePlain(to: CopyBuffer, text: string): void {
  makeRoom(to, text.length)
  const { bytes, at } = to
  for (let index = 0; index < text.length; index++) bytes[at + index] = text.charCodeAt(index)
  to.at = at + text.length
}

/** Whole, not negative, at most 2^53 - 1. */
export function writeNumber(to: CopyBuffer, value: number): void {
  makeRoom(to, NUMBER_BYTES_MAX)
  to.at = putNumber(to.bytes, to.at, value)
}

/** Any text without line breaks and tabs, as its bytes in UTF-8; within a JSON string it is escaped for that first. */
export function writeText(to: CopyBuffer, text: Uint8Array, isInJson: boolean): void {
  makeRoom(to, text.length * ESCAPED_BYTES_MAX)
  to.at = putText(to.bytes, to.at, text, 0, text.length, isInJson)
}

/** These write where there is room. @returns where the next byte belongs */
export function putPlain(bytes: Uint8Array, start: number, plain: Uint8Array): number {
  const { length } = plain
  for (let index = 0; index < length; index++) bytes[start + index] = plain[index] as number
  return start + length
}

export function putNumber(bytes: Uint8Array, start: number, value: number): number {
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

export function putText(
  bytes: Uint8Array,
  start: number,
  text: Uint8Array,
  from: number,
  to: number,
  isInJson: boolean,
): number {
  let at = start
  for (let index = from; index < to; index++) {
    const byte = text[index] as number
    if (byte === BACKSLASH || (isInJson && byte === QUOTE)) {
      // One for JSON, and each of them twice for COPY; a quotation mark is itself only once.
      bytes[at++] = BACKSLASH
      if (isInJson) bytes[at++] = BACKSLASH
      if (isInJson && byte === BACKSLASH) bytes[at++] = BACKSLASH
    }
    bytes[at++] = byte
  }
  return at
}

const BUFFER_BYTES = 64 * 1024
export const NUMBER_BYTES_MAX = 16
/** A backslash in JSON in COPY. */
export const ESCAPED_BYTES_MAX = 4
const INT32_MAX = 2_147_483_647
const INT32_DIGITS = 10
const ZERO = 48
const QUOTE = 34
const BACKSLASH = 92

/**
 * Rows of PostgreSQL's COPY (text format), written as bytes without a text being made for each: with millions of rows that
 * is most of what packing them costs. `onFull` is given what has been written, a buffer at a time.
 */
export function createCopyBuffer(onFull: (bytes: Buffer) => void) {
  let bytes = Buffer.allocUnsafe(BUFFER_BYTES)
  let at = 0

  function flush(): void {
    if (at === 0) return
    onFull(bytes.subarray(0, at))
    bytes = Buffer.allocUnsafe(BUFFER_BYTES)
    at = 0
  }

  function makeRoom(size: number): void {
    if (at + size > BUFFER_BYTES) flush()
  }

  return {
    flush,

    /** ASCII that is right as it is. */
    plain(text: string): void {
      makeRoom(text.length)
      // Both are looked at once: what a closure holds is read and written for every byte.
      const target = bytes
      const start = at
      for (let index = 0; index < text.length; index++) target[start + index] = text.charCodeAt(index)
      at = start + text.length
    },

    /** Whole, not negative, at most 2^53 - 1. */
    number(value: number): void {
      makeRoom(NUMBER_BYTES_MAX)
      if (value > INT32_MAX) {
        at += bytes.write(String(value), at, 'latin1')
        return
      }
      const target = bytes
      const start = at
      let length = 1
      for (let rest = (value / 10) | 0; rest > 0; rest = (rest / 10) | 0) length++
      let rest = value
      for (let place = start + length - 1; place >= start; place--) {
        const next = (rest / 10) | 0
        target[place] = ZERO + rest - next * 10
        rest = next
      }
      at = start + length
    },

    /** Any text without line breaks and tabs; within a JSON string it is escaped for that first. */
    text(text: string, isInJson: boolean): void {
      makeRoom(text.length * CHARACTER_BYTES_MAX)
      if (text.length * CHARACTER_BYTES_MAX > BUFFER_BYTES)
        throw new RangeError('the text is too long for a row')
      const target = bytes
      const start = at
      for (let index = 0; index < text.length; index++) {
        const code = text.charCodeAt(index)
        if (code > 127 || code === BACKSLASH || (isInJson && code === QUOTE)) {
          at = start + target.write(escaped(text, isInJson), start, 'utf8')
          return
        }
        target[start + index] = code
      }
      at = start + text.length
    },
  }
}

export type CopyBuffer = ReturnType<typeof createCopyBuffer>

const BUFFER_BYTES = 64 * 1024
const NUMBER_BYTES_MAX = 16
/** A backslash in JSON in COPY; three bytes are the most for a character that needs no escape. */
const CHARACTER_BYTES_MAX = 4
const INT32_MAX = 2_147_483_647
const ZERO = 48
const QUOTE = 34
const BACKSLASH = 92

function escaped(text: string, isInJson: boolean): string {
  if (!/["\\]/.test(text)) return text
  const inJson = isInJson ? text.replace(/["\\]/g, '\\$&') : text
  return inJson.replaceAll('\\', '\\\\')
}

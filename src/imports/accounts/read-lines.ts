import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { OppslagError } from '#src/core/errors.ts'

/** One line of a file, without its line end. `number` counts from 1; `text` is null when the line can not be read. */
type Line = { number: number; text: string } | { number: number; text: null; why: 'for_lang' | 'ikke_utf8' }

/** The stream broke off, or what looked packed could not be unpacked. */
class UnreadableFileError extends OppslagError {
  constructor(cause: unknown) {
    super('uleselig_fil', 'Filen kunne ikke leses til ende: den er avbrutt eller skadet.', { cause })
  }
}

/** The register's own largest answer is a few kilobytes; this is also the bound on any answer of its. */
const LINE_BYTES_MAX = 4 * 1024 * 1024
const LINE_FEED = 10

/**
 * The lines of a UTF-8 file, packed with gzip or not, with either kind of line end. Blank lines are passed over. However
 * large the file, and however long a line, no more than one line is held.
 *
 * @throws UnreadableFileError
 */
export async function* readLines(file: Readable): AsyncGenerator<Line> {
  const line = createLine()
  let number = 1
  try {
    for await (const chunk of unpacked(file)) {
      let from = 0
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
        line.add(chunk.subarray(from, end))
        const read = line.take(number)
        if (read !== null) yield read
        number += 1
        from = end + 1
      }
      line.add(chunk.subarray(from))
    }
  } catch (error) {
    throw new UnreadableFileError(error)
  } finally {
    file.destroy()
  }
  const last = line.take(number)
  if (last !== null) yield last
}

/** A line as it grows. What is beyond the bound is counted and not kept. */
function createLine() {
  let parts: Buffer[] = []
  let length = 0

  return {
    add(part: Buffer): void {
      length += part.length
      if (length > LINE_BYTES_MAX) parts = []
      else if (part.length > 0) parts.push(part)
    },

    /** The line so far; the next begins. Null when it is blank. */
    take(number: number): Line | null {
      const bytes = Buffer.concat(parts)
      const isTooLong = length > LINE_BYTES_MAX
      parts = []
      length = 0
      if (isTooLong) return { number, text: null, why: 'for_lang' }
      if (!isUtf8(bytes)) return { number, text: null, why: 'ikke_utf8' }
      // To JavaScript a byte order mark is white space too.
      const text = bytes.toString('utf8').trim()
      return text === '' ? null : { number, text }
    },
  }
}

async function* unpacked(file: Readable): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = file[Symbol.asyncIterator]()
  let beginning = Buffer.alloc(0)
  while (beginning.length < 2) {
    const next = await chunks.next()
    if (next.done) break
    beginning = Buffer.concat([beginning, next.value])
  }
  const whole = resumed(beginning, chunks)
  if (beginning[0] !== 0x1f || beginning[1] !== 0x8b) {
    yield* whole
    return
  }
  const gunzip = createGunzip()
  // A failure on either side is thrown to whoever reads the other end.
  pipeline(whole, gunzip).catch(() => {})
  try {
    yield* gunzip as AsyncIterable<Buffer>
  } finally {
    gunzip.destroy()
  }
}

async function* resumed(beginning: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield beginning
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
}

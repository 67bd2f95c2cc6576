import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { createNumberSet } from '#src/core/number-set.ts'
import { BYTE_ORDER_MARK, decode, type FileEncoding } from './encoding.ts'
import { type Columns, readHeader, UnknownHeaderError } from './header.ts'
import { orgnrAt } from './orgnr.ts'

/** What is known of a file before a row of it is taken. */
export type Scan = {
  /** Of the unpacked bytes. */
  readonly sha256: string
  /** The first line as it is, without byte order mark and line end. */
  readonly header: string
  readonly columns: Columns
  readonly encoding: FileEncoding
  /** Lines after the header that are not blank. */
  readonly rows: number
  /** Companies whose rows do not all stand together. */
  readonly scattered: ReadonlySet<number>
}

/**
 * Reads a whole file once to know what it is: its digest, its columns, its encoding, and which companies come again after
 * another has been. All others can then be put together row by row without holding more than one of them.
 *
 * The encoding is seen from the header, which has Norwegian letters; from all of the bytes when it has none.
 *
 * @throws UnknownHeaderError
 */
export async function scanRegister(
  blocks: AsyncIterable<Buffer>,
  onProgress: (rows: number) => void = () => {},
): Promise<Scan> {
  const hash = createHash('sha256')
  const seen = createNumberSet()
  const scattered = new Set<number>()
  let head: Head | null = null
  let isAllUtf8 = true
  let rows = 0
  let current = 0
  for await (const block of blocks) {
    hash.update(block)
    isAllUtf8 &&= isUtf8(block)
    let at = 0
    if (head === null) {
      head = headIn(block)
      at = endOfLine(block, 0) + 1
    }
    const column = head.columns.orgnr
    while (at < block.length) {
      const end = endOfLine(block, at)
      const orgnr = orgnrAt(block, at, end, column)
      if (orgnr !== current && orgnr > 0) {
        if (!seen.add(orgnr)) scattered.add(orgnr)
        current = orgnr
      }
      if (orgnr > 0 || !isBlank(block, at, end)) rows++
      at = end + 1
    }
    onProgress(rows)
  }
  if (head === null) throw emptyFile()
  const encoding = head.encoding ?? (isAllUtf8 ? 'utf-8' : 'windows-1252')
  return { sha256: hash.digest('hex'), header: head.header, columns: head.columns, encoding, rows, scattered }
}

/** What a file's first line tells. */
type Head = {
  header: string
  columns: Columns
  /** Null when only the rows can tell. */
  encoding: FileEncoding | null
}

/** @throws UnknownHeaderError */
export async function readHead(blocks: AsyncIterable<Buffer>): Promise<Head> {
  for await (const block of blocks) return headIn(block)
  throw emptyFile()
}

function emptyFile(): UnknownHeaderError {
  return new UnknownHeaderError('filen er tom', '')
}

/** True for a line of nothing but spaces: no row. */
function isBlank(block: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = block[at]
    if (byte !== 32 && byte !== 13 && byte !== 9) return false
  }
  return true
}

const LINE_FEED = 10

function endOfLine(block: Buffer, start: number): number {
  const end = block.indexOf(LINE_FEED, start)
  return end === -1 ? block.length : end
}

function headIn(block: Buffer): Head {
  const line = block.subarray(0, endOfLine(block, 0))
  const hasMark = line.subarray(0, 3).equals(BYTE_ORDER_MARK)
  const bytes = line.subarray(hasMark ? 3 : 0)
  const encoding = isUtf8(bytes) ? 'utf-8' : 'windows-1252'
  const header = decode(bytes, 0, bytes.length, encoding).trim()
  const isTold = hasMark || encoding === 'windows-1252' || /[^\x20-\x7f]/.test(header)
  return { header, columns: readHeader(header), encoding: isTold ? encoding : null }
}

import {
  type CopyBuffer,
  ESCAPED_BYTES_MAX,
  makeRoom,
  NUMBER_BYTES_MAX,
  putNumber,
  putPlain,
  putText,
  writeNumber,
  writePlain,
  writeText,
} from './copy-buffer.ts'
import { type HolderColumns, type LoadedShareBook, putInOrder } from './share-book.ts'

/** How many of the holders stand with the book itself, and how many in each part of the rest. */
export const LARGEST_MAX = 200
export const PART_SIZE = 500

type Buffers = { books: CopyBuffer; parts: CopyBuffer; stakes: CopyBuffer }

/**
 * Writes share books as the rows of one delivery.
 *
 * @param isRemoved companies of which nothing may be kept: as holders they are without name and number
 */
export function createCopyText(
  leveranse: number,
  { books, parts, stakes }: Buffers,
  isRemoved: (orgnr: number) => boolean,
) {
  const begin = `${leveranse}\t`

  /** @returns how many parts and how many stakes there were */
  function write(book: LoadedShareBook): { parts: number; stakes: number } {
    const { orgnr, innehavere } = book
    putInOrder(innehavere)
    writeBook(book)
    let partCount = 0
    for (let start = LARGEST_MAX; start < innehavere.count; start += PART_SIZE) {
      writePlain(parts, begin)
      writeNumber(parts, orgnr)
      writePlain(parts, '\t')
      writeNumber(parts, partCount++)
      writePlain(parts, '\t')
      writeList(parts, innehavere, start, Math.min(start + PART_SIZE, innehavere.count))
      writePlain(parts, '\n')
    }
    let stakeCount = 0
    for (let rank = 0; rank < innehavere.count; rank++) {
      const place = innehavere.order[rank] as number
      const owner = innehavere.orgnr[place] as number
      // What a company holds in itself is in its book alone.
      if (owner === 0 || owner === orgnr || isRemoved(owner)) continue
      stakeCount++
      writePlain(stakes, begin)
      writeNumber(stakes, owner)
      writePlain(stakes, '\t')
      writeNumber(stakes, orgnr)
      writePlain(stakes, '\t')
      writeNumber(stakes, innehavere.aksjer[place] as number)
      writePlain(stakes, '\n')
    }
    return { parts: partCount, stakes: stakeCount }
  }

  function writeBook({ orgnr, navn, totalt, sum, klasser, innehavere }: LoadedShareBook): void {
    writePlain(books, begin)
    writeNumber(books, orgnr)
    writePlain(books, '\t')
    if (navn === '') writePlain(books, '\\N')
    else writeText(books, Buffer.from(navn), false)
    writePlain(books, '\t')
    if (totalt === 0) writePlain(books, '\\N')
    else writeNumber(books, totalt)
    writePlain(books, '\t')
    writeNumber(books, sum)
    writePlain(books, '\t')
    writeNumber(books, innehavere.count)
    writePlain(books, '\t{')
    for (const [index, klasse] of klasser.entries()) {
      writePlain(books, index === 0 ? '"' : ',"')
      // Within an array's quotes the same two signs are escaped, and in the same way.
      writeText(books, Buffer.from(klasse), true)
      writePlain(books, '"')
    }
    writePlain(books, '}\t')
    writeList(books, innehavere, 0, Math.min(innehavere.count, LARGEST_MAX))
    writePlain(books, '\n')
  }

  function writeList(to: CopyBuffer, holders: HolderColumns, start: number, end: number): void {
    writePlain(to, '[')
    for (let rank = start; rank < end; rank++) {
      if (rank > start) writePlain(to, ',')
      writeHolder(to, holders, holders.order[rank] as number)
    }
    writePlain(to, ']')
  }

  /** There are millions of them: room is made once for each, and most of it stands in the bytes of a few constants. */
  function writeHolder(to: CopyBuffer, holders: HolderColumns, place: number): void {
    const orgnr = holders.orgnr[place] as number
    const fodselsaar = holders.fodselsaar[place] as number
    const land = holders.land[place] as string
    const nameFrom = holders.nameFrom[place] as number
    const nameTo = holders.nameTo[place] as number
    const isShown = orgnr === 0 || !isRemoved(orgnr)
    const isNamed = isShown && nameTo > nameFrom
    writeClasses(to, holders, place)
    makeRoom(to, HOLDER_BYTES_MAX + (nameTo - nameFrom) * ESCAPED_BYTES_MAX)
    const { bytes } = to
    let { at } = to
    if (fodselsaar !== 0) {
      at = putPlain(bytes, at, BORN)
      at = putNumber(bytes, at, fodselsaar)
    } else at = putPlain(bytes, at, UNBORN)
    if (land === 'NO') at = putPlain(bytes, at, NORWEGIAN)
    else if (land !== '') at = putPlain(bytes, at, Buffer.from(`,"l":"${land}"`))
    if (isNamed) {
      at = putPlain(bytes, at, NAMED)
      at = putText(bytes, at, holders.names, nameFrom, nameTo, true)
      bytes[at++] = QUOTE
    }
    if (isShown && orgnr !== 0) {
      at = putPlain(bytes, at, NUMBERED)
      at = putNumber(bytes, at, orgnr)
    }
    bytes[at++] = CLOSING
    to.at = at
  }

  return { write }
}

/** Leaves the two brackets after the last number to whoever goes on. */
function writeClasses(to: CopyBuffer, { klasse, aksjer, klasser }: HolderColumns, place: number): void {
  const several = klasser.size === 0 ? undefined : klasser.get(place)
  if (several !== undefined) {
    writePlain(to, `{"a":[[${[...several].map(([each, shares]) => `${each},${shares}`).join('],[')}`)
    return
  }
  makeRoom(to, FIRST.length + 2 * NUMBER_BYTES_MAX + 1)
  const { bytes } = to
  let at = putPlain(bytes, to.at, FIRST)
  at = putNumber(bytes, at, klasse[place] as number)
  bytes[at++] = COMMA
  to.at = putNumber(bytes, at, aksjer[place] as number)
}

const FIRST = Buffer.from('{"a":[[')
const BORN = Buffer.from(']],"f":')
const UNBORN = Buffer.from(']]')
const NORWEGIAN = Buffer.from(',"l":"NO"')
const NAMED = Buffer.from(',"n":"')
const NUMBERED = Buffer.from(',"o":')
const QUOTE = 34
const COMMA = 44
const CLOSING = 125
/** All of these, and two numbers. */
const HOLDER_BYTES_MAX = 100

import {
  beginField,
  beginRow,
  type CopyBuffer,
  DIGITS_MAX,
  endField,
  IN_JSON_BYTES_MAX,
  makeRoom,
  putBytes,
  putDigits,
  putInJson,
  writeBigint,
  writeInteger,
  writeNull,
  writeText,
  writeTexts,
} from './copy-buffer.ts'
import { type HolderColumns, type LoadedShareBook, putInOrder } from './share-book.ts'
import { addStake, type StakeList } from './stake-list.ts'

/** How many of the holders stand with the book itself, and how many in each part of the rest. */
export const LARGEST_MAX = 200
export const PART_SIZE = 500

/** What a book came to. */
type WrittenBook = { parts: number; stakes: number; listBytes: number }

/**
 * Writes share books as the rows of one delivery; what companies hold in each other is put in a list.
 *
 * @param isRemoved companies of which nothing may be kept: as holders they are without name and number
 */
export function createBookRows(
  leveranse: number,
  { books, parts, stakes }: { books: CopyBuffer; parts: CopyBuffer; stakes: StakeList },
  isRemoved: (orgnr: number) => boolean,
) {
  function write(book: LoadedShareBook): WrittenBook {
    const { orgnr, innehavere } = book
    putInOrder(innehavere)
    let listBytes = writeBook(book)
    let partCount = 0
    for (let start = LARGEST_MAX; start < innehavere.count; start += PART_SIZE) {
      beginRow(parts, 4)
      writeInteger(parts, leveranse)
      writeInteger(parts, orgnr)
      writeInteger(parts, partCount++)
      listBytes += writeList(parts, innehavere, start, Math.min(start + PART_SIZE, innehavere.count))
    }
    const stakesBefore = stakes.count
    for (let place = 0; place < innehavere.count; place++) {
      const owner = innehavere.orgnr[place] as number
      // What a company holds in itself is in its book alone.
      if (owner === 0 || owner === orgnr || isRemoved(owner)) continue
      addStake(stakes, owner, orgnr, innehavere.aksjer[place] as number)
    }
    return { parts: partCount, stakes: stakes.count - stakesBefore, listBytes }
  }

  /** @returns the bytes of its list */
  function writeBook({ orgnr, navn, totalt, sum, klasser, innehavere }: LoadedShareBook): number {
    beginRow(books, 8)
    writeInteger(books, leveranse)
    writeInteger(books, orgnr)
    if (navn === '') writeNull(books)
    else writeText(books, navn)
    if (totalt === 0) writeNull(books)
    else writeBigint(books, totalt)
    writeBigint(books, sum)
    writeInteger(books, innehavere.count)
    writeTexts(books, klasser)
    return writeList(books, innehavere, 0, Math.min(innehavere.count, LARGEST_MAX))
  }

  /** @returns its bytes */
  function writeList(to: CopyBuffer, holders: HolderColumns, start: number, end: number): number {
    const begun = beginField(to)
    makeRoom(to, 1)
    to.bytes[to.at++] = OPENING
    for (let rank = start; rank < end; rank++) writeHolder(to, holders, holders.order[rank] as number)
    // In the place of the comma after the last.
    if (end > start) to.at--
    makeRoom(to, 1)
    to.bytes[to.at++] = ENDING
    return endField(to, begun)
  }

  /** There are millions of them: room is made once for each, and most of it stands in the bytes of a few constants. */
  function writeHolder(to: CopyBuffer, holders: HolderColumns, place: number): void {
    const orgnr = holders.orgnr[place] as number
    const fodselsaar = holders.fodselsaar[place] as number
    const land = holders.land[place] as string
    const nameFrom = holders.nameFrom[place] as number
    const nameTo = holders.nameTo[place] as number
    const isShown = orgnr === 0 || !isRemoved(orgnr)
    const several = holders.klasser.size === 0 ? undefined : holders.klasser.get(place)
    const classes = several === undefined ? 1 : several.size
    makeRoom(to, HOLDER_BYTES_MAX + classes * CLASS_BYTES_MAX + (nameTo - nameFrom) * IN_JSON_BYTES_MAX)
    const { bytes } = to
    let { at } = to
    at = putBytes(bytes, at, SHARES)
    if (several === undefined) {
      at = putClass(bytes, at, holders.klasse[place] as number, holders.aksjer[place] as number)
    } else {
      for (const [klasse, aksjer] of several) {
        at = putClass(bytes, at, klasse, aksjer)
        bytes[at++] = COMMA
      }
      at--
    }
    bytes[at++] = ENDING
    if (fodselsaar !== 0) {
      at = putBytes(bytes, at, BORN)
      at = putDigits(bytes, at, fodselsaar)
    }
    if (land === 'NO') at = putBytes(bytes, at, NORWEGIAN)
    else if (land !== '') at = putBytes(bytes, at, Buffer.from(`,"l":"${land}"`))
    if (isShown && nameTo > nameFrom) {
      at = putBytes(bytes, at, NAMED)
      at = putInJson(bytes, at, holders.names, nameFrom, nameTo)
      bytes[at++] = QUOTE
    }
    if (isShown && orgnr !== 0) {
      at = putBytes(bytes, at, NUMBERED)
      at = putDigits(bytes, at, orgnr)
    }
    bytes[at++] = CLOSING
    bytes[at++] = COMMA
    to.at = at
  }

  return { write }
}

function putClass(bytes: Uint8Array, start: number, klasse: number, aksjer: number): number {
  bytes[start] = OPENING
  let at = putDigits(bytes, start + 1, klasse)
  bytes[at++] = COMMA
  at = putDigits(bytes, at, aksjer)
  bytes[at++] = ENDING
  return at
}

const SHARES = Buffer.from('{"a":[')
const BORN = Buffer.from(',"f":')
const NORWEGIAN = Buffer.from(',"l":"NO"')
const NAMED = Buffer.from(',"n":"')
const NUMBERED = Buffer.from(',"o":')
const QUOTE = 34
const COMMA = 44
const OPENING = 91
const ENDING = 93
const CLOSING = 125
/** Two brackets, two commas, two numbers. */
const CLASS_BYTES_MAX = 4 + 2 * DIGITS_MAX
/** All of the constants, and two numbers. */
const HOLDER_BYTES_MAX = 100

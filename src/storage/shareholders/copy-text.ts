import type { CopyBuffer } from './copy-buffer.ts'
import type { Holder, ShareBook } from './share-book.ts'

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
  function write(book: ShareBook): { parts: number; stakes: number } {
    const { orgnr, innehavere } = book
    writeBook(book)
    let partCount = 0
    for (let start = LARGEST_MAX; start < innehavere.length; start += PART_SIZE) {
      parts.plain(begin)
      parts.number(orgnr)
      parts.plain('\t')
      parts.number(partCount++)
      parts.plain('\t')
      writeList(parts, innehavere, start, Math.min(start + PART_SIZE, innehavere.length))
      parts.plain('\n')
    }
    let stakeCount = 0
    for (const holder of innehavere) {
      // What a company holds in itself is in its book alone.
      if (holder.orgnr === 0 || holder.orgnr === orgnr || isRemoved(holder.orgnr)) continue
      stakeCount++
      stakes.plain(begin)
      stakes.number(holder.orgnr)
      stakes.plain('\t')
      stakes.number(orgnr)
      stakes.plain('\t')
      stakes.number(holder.aksjer)
      stakes.plain('\n')
    }
    return { parts: partCount, stakes: stakeCount }
  }

  function writeBook({ orgnr, navn, totalt, sum, klasser, innehavere }: ShareBook): void {
    books.plain(begin)
    books.number(orgnr)
    books.plain('\t')
    if (navn === '') books.plain('\\N')
    else books.text(navn, false)
    books.plain('\t')
    if (totalt === 0) books.plain('\\N')
    else books.number(totalt)
    books.plain('\t')
    books.number(sum)
    books.plain('\t')
    books.number(innehavere.length)
    books.plain('\t{')
    for (const [index, klasse] of klasser.entries()) {
      books.plain(index === 0 ? '"' : ',"')
      // Within an array's quotes the same two signs are escaped, and in the same way.
      books.text(klasse, true)
      books.plain('"')
    }
    books.plain('}\t')
    writeList(books, innehavere, 0, Math.min(innehavere.length, LARGEST_MAX))
    books.plain('\n')
  }

  function writeList(to: CopyBuffer, holders: readonly Holder[], start: number, end: number): void {
    to.plain('[')
    for (let index = start; index < end; index++) {
      const holder = holders[index] as Holder
      const { fodselsaar, land, navn, orgnr } = holder
      const isShown = orgnr === 0 || !isRemoved(orgnr)
      const isNamed = isShown && navn !== ''
      if (index > start) to.plain(',')
      writeClasses(to, holder)
      if (fodselsaar !== 0) {
        to.plain(']],"f":')
        to.number(fodselsaar)
      }
      const closing = fodselsaar === 0 ? ']]' : ''
      // What most holders have is written in one step: there are millions of them.
      if (land === 'NO' && isNamed) to.plain(closing === '' ? ',"l":"NO","n":"' : ']],"l":"NO","n":"')
      else to.plain(`${closing}${land === '' ? '' : `,"l":"${land}"`}${isNamed ? ',"n":"' : ''}`)
      if (isNamed) to.text(navn, true)
      if (isShown && orgnr !== 0) {
        to.plain(isNamed ? '","o":' : ',"o":')
        to.number(orgnr)
        to.plain('}')
      } else to.plain(isNamed ? '"}' : '}')
    }
    to.plain(']')
  }

  return { write }
}

/** Opens the holder's object, and leaves the two brackets after the last number to whoever goes on. */
function writeClasses(to: CopyBuffer, { klasse, aksjer, klasser }: Holder): void {
  if (klasser === null) {
    to.plain(klasse === 0 ? '{"a":[[0,' : `{"a":[[${klasse},`)
    to.number(aksjer)
    return
  }
  const list = [...klasser].map(([each, shares]) => `${each},${shares}`)
  to.plain(`{"a":[[${list.join('],[')}`)
}

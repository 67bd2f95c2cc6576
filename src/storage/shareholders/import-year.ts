import { checkYear, type WrittenYear } from './check-year.ts'
import { createCopyBuffer, flush } from './copy-buffer.ts'
import { createCopyText } from './copy-text.ts'
import { TABLE_NAMES } from './delivery-tables.ts'
import type { LoadedShareBook } from './share-book.ts'
import { openTableCopy, type TableCopy } from './table-copy.ts'

export type YearLoad = Awaited<ReturnType<typeof loadYear>>

/**
 * Loads the share books of one delivery into tables that nobody reads yet.
 *
 * @param isRemoved companies of which nothing may be kept: as holders they lose name and number. Their own books are not
 *   to be given here at all.
 */
export async function loadYear({
  url,
  leveranse,
  isRemoved,
}: {
  url: string
  leveranse: number
  isRemoved: (orgnr: number) => boolean
}) {
  const copies = await openAll(url, leveranse)
  const bufferOf = (copy: TableCopy) => createCopyBuffer((bytes) => copy.write(bytes))
  const buffers = {
    books: bufferOf(copies.aksjebok),
    parts: bufferOf(copies.aksjebok_del),
    stakes: bufferOf(copies.eierandel),
  }
  const text = createCopyText(leveranse, buffers, isRemoved)
  const written: WrittenYear = { books: 0, holders: 0, shares: 0n, parts: 0, stakes: 0 }
  const all = Object.values(copies)
  const abandon = async () => {
    await Promise.all(all.map((copy) => copy.abandon()))
  }

  return {
    /** A company at most once. Nothing of the book is kept. */
    write(book: LoadedShareBook): void {
      const { parts, stakes } = text.write(book)
      written.books++
      written.holders += book.innehavere.count
      written.shares += BigInt(book.sum)
      written.parts += parts
      written.stakes += stakes
    },

    /** Waits until PostgreSQL has taken what was written, so that no more of it stands here than the buffers hold. */
    async drained(): Promise<void> {
      for (const copy of all) await copy.drained()
    },

    /**
     * Ends the loading, gives the tables their keys, counts what is in them and makes them last: all of them at the same time.
     *
     * @throws ImportCheckError
     */
    async finish(): Promise<WrittenYear> {
      for (const buffer of Object.values(buffers)) flush(buffer)
      const counted = await Promise.all(all.map((copy) => copy.finish()))
      checkYear(Object.assign({}, ...counted), written)
      return written
    },

    abandon,
  }
}

async function openAll(url: string, leveranse: number) {
  const opened: TableCopy[] = []
  try {
    for (const table of TABLE_NAMES) opened.push(await openTableCopy(url, table, leveranse))
    const [aksjebok, aksjebok_del, eierandel] = opened as [TableCopy, TableCopy, TableCopy]
    return { aksjebok, aksjebok_del, eierandel }
  } catch (error) {
    await Promise.all(opened.map((copy) => copy.abandon()))
    throw error
  }
}

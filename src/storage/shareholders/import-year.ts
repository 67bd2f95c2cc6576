import { createBookRows } from './book-rows.ts'
import { checkYear, type WrittenYear } from './check-year.ts'
import { beginRow, createCopyBuffer, endCopy, writeBigint, writeInteger } from './copy-buffer.ts'
import { TABLE_NAMES } from './delivery-tables.ts'
import type { LoadedShareBook } from './share-book.ts'
import { createStakeList, STAKES_MAX, stakesInOrder } from './stake-list.ts'
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
  stakesMax = STAKES_MAX,
}: {
  url: string
  leveranse: number
  isRemoved: (orgnr: number) => boolean
  /** So many are put in order at once; their order is PostgreSQL's affair when there are more. */
  stakesMax?: number
}) {
  const copies = await openAll(url, leveranse)
  const bufferOf = (copy: TableCopy) => createCopyBuffer((bytes) => copy.write(bytes))
  const books = bufferOf(copies.aksjebok)
  const parts = bufferOf(copies.aksjebok_del)
  const stakes = bufferOf(copies.eierandel)
  const stakeList = createStakeList()
  const rows = createBookRows(leveranse, { books, parts, stakes: stakeList }, isRemoved)
  const written: WrittenYear = { books: 0, holders: 0, shares: 0n, parts: 0, stakes: 0, listBytes: 0 }
  const all = Object.values(copies)
  const abandon = async () => {
    await Promise.all(all.map((copy) => copy.abandon()))
  }

  async function writeStakes(): Promise<void> {
    const order = stakesInOrder(stakeList)
    for (let begun = 0; begun < order.length; begun += DRAIN_EVERY) {
      writeStakesAt(order.subarray(begun, begun + DRAIN_EVERY))
      await copies.eierandel.drained()
    }
    stakeList.count = 0
  }

  function writeStakesAt(places: Int32Array): void {
    for (let index = 0; index < places.length; index++) {
      const place = places[index] as number
      beginRow(stakes, 4)
      writeInteger(stakes, leveranse)
      writeInteger(stakes, stakeList.owners[place] as number)
      writeInteger(stakes, stakeList.owned[place] as number)
      writeBigint(stakes, stakeList.shares[place] as number)
    }
  }

  return {
    /** A company at most once. Nothing of the book is kept. */
    write(book: LoadedShareBook): void {
      const { parts, stakes, listBytes } = rows.write(book)
      written.books++
      written.holders += book.innehavere.count
      written.shares += BigInt(book.sum)
      written.parts += parts
      written.stakes += stakes
      written.listBytes += listBytes
    },

    /** Waits until PostgreSQL has taken what was written, so that no more of it stands here than the buffers hold. */
    async drained(): Promise<void> {
      for (const copy of all) await copy.drained()
      if (stakeList.count >= stakesMax) await writeStakes()
    },

    /**
     * Ends the loading, gives the tables their keys, counts what is in them and makes them last: all of them at the same time.
     *
     * @throws ImportCheckError
     */
    async finish(): Promise<WrittenYear> {
      endCopy(books)
      endCopy(parts)
      const finishing = [copies.aksjebok.finish(), copies.aksjebok_del.finish()]
      // The last of the three may fail first; of the others' failure nobody is told then.
      for (const each of finishing) each.catch(() => {})
      await writeStakes()
      endCopy(stakes)
      const counted = await Promise.all([...finishing, copies.eierandel.finish()])
      checkYear(Object.assign({}, ...counted), written)
      return written
    },

    abandon,
  }
}

const DRAIN_EVERY = 4096

async function openAll(url: string, leveranse: number) {
  const opening = await Promise.allSettled(TABLE_NAMES.map((table) => openTableCopy(url, table, leveranse)))
  const opened = opening.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  const failed = opening.find((each) => each.status === 'rejected')
  if (failed !== undefined) {
    await Promise.all(opened.map((copy) => copy.abandon()))
    throw failed.reason
  }
  const [aksjebok, aksjebok_del, eierandel] = opened as [TableCopy, TableCopy, TableCopy]
  return { aksjebok, aksjebok_del, eierandel }
}

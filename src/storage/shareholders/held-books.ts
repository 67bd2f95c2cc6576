import { LARGEST_MAX } from './book-rows.ts'
import { createHolderReader, type HiddenPersons, type PackedHolder } from './hidden-holders.ts'
import type { StoredBook } from './read-books.ts'
import type { HolderPage } from './read-holder-page.ts'
import type { OwnershipBook, OwnershipEdge } from './read-ownership-rows.ts'
import { type LoadedHolder, type LoadedShareBook, listHolders } from './share-book.ts'

/** A share book with its holders as objects, the largest first. */
export type HeldBook = Omit<LoadedShareBook, 'innehavere'> & { innehavere: readonly LoadedHolder[] }

/** A copy of a book that is good for the moment only. */
export function holdBook(book: LoadedShareBook): HeldBook {
  return { ...book, klasser: [...book.klasser], innehavere: listHolders(book) }
}

/**
 * The readings of share books over books that are at hand instead of in PostgreSQL: few companies, and deliveries that are
 * never replaced.
 *
 * @param deliveries id → its books
 */
export function createHeldBooks(deliveries: ReadonlyMap<number, readonly HeldBook[]>, hidden: HiddenPersons) {
  const holdersOf = createHolderReader(hidden)
  const byCompany = new Map(
    [...deliveries].map(([id, books]) => [id, new Map(books.map((book) => [book.orgnr, book]))]),
  )
  const bookOf = (delivery: number, orgnr: number) => byCompany.get(delivery)?.get(orgnr)
  const shown = (book: HeldBook, from: number, to: number) =>
    holdersOf(book.innehavere.slice(from, to).map(packed), book.orgnr)

  return {
    async books(orgnr: number, ids: readonly number[]): Promise<StoredBook[]> {
      return ids.flatMap((leveranse) => {
        const book = bookOf(leveranse, orgnr)
        if (book === undefined) return []
        return {
          leveranse,
          ...factsOf(book),
          klasser: [...book.klasser],
          storste: shown(book, 0, LARGEST_MAX),
        }
      })
    },

    async page({
      delivery,
      orgnr,
      after,
      limit,
    }: {
      delivery: number
      orgnr: number
      after: number
      limit: number
    }): Promise<HolderPage | null> {
      const book = bookOf(delivery, orgnr)
      if (book === undefined) return null
      return { ...factsOf(book), klasser: [...book.klasser], holders: shown(book, after, after + limit) }
    },

    async ownershipBooks(delivery: number, orgnrs: readonly number[]): Promise<OwnershipBook[]> {
      return orgnrs.flatMap((orgnr) => {
        const book = bookOf(delivery, orgnr)
        return book === undefined ? [] : { orgnr, ...factsOf(book), storste: shown(book, 0, LARGEST_MAX) }
      })
    },

    async ownershipEdges(delivery: number, owners: readonly number[]): Promise<OwnershipEdge[]> {
      const edges = (deliveries.get(delivery) ?? []).flatMap((book) =>
        book.innehavere
          .filter(({ orgnr }) => orgnr !== book.orgnr && owners.includes(orgnr))
          .map(({ orgnr, aksjer }): OwnershipEdge => {
            const { innehavere: _, ...owned } = factsOf(book)
            return { eier: orgnr, eid: book.orgnr, aksjer, ...owned }
          }),
      )
      return edges.sort((a, b) => a.eier - b.eier || a.eid - b.eid)
    },
  }
}

function factsOf({ navn, totalt, sum, innehavere }: HeldBook) {
  return {
    navn: navn === '' ? null : navn,
    aksjerTotalt: totalt === 0 ? null : totalt,
    aksjerSum: sum,
    innehavere: innehavere.length,
  }
}

/** As a loaded book keeps its holders. */
function packed({ navn, fodselsaar, orgnr, land, aksjer, klasse, klasser }: LoadedHolder): PackedHolder {
  return {
    a: klasser === null ? [[klasse, aksjer]] : [...klasser],
    ...(fodselsaar === 0 ? {} : { f: fodselsaar }),
    ...(land === '' ? {} : { l: land }),
    ...(navn === '' ? {} : { n: navn }),
    ...(orgnr === 0 ? {} : { o: orgnr }),
  }
}

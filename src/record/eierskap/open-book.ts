import { type HolderKind, holderKind } from './holder-kind.ts'
import { type Holder, type ShareBook, wholeOf } from './share-book.ts'

export type Holding = Holder & { kind: HolderKind }

/** A share book as it was found. `whole` is null where its parts can not be told; own shares stand apart. */
export type OpenBook = {
  book: ShareBook
  whole: number | null
  isAdjusted: boolean
  holdings: readonly Holding[]
  own: number
}

export function opened(book: ShareBook): OpenBook {
  const held = book.storste.filter(({ aksjer }) => aksjer > 0)
  const listed = held.reduce((sum, { aksjer }) => sum + aksjer, 0)
  const whole = wholeOf(book.aksjerTotalt, Math.max(book.aksjerSum, listed))
  return {
    book,
    whole: whole?.shares ?? null,
    isAdjusted: whole?.isAdjusted ?? false,
    holdings: held
      .filter(({ orgnr }) => orgnr !== book.orgnr)
      .map((holder) => ({ ...holder, kind: holderKind(holder) })),
    // Shares in itself make no owner: followed round, they would compound to more than there is (P20).
    own: held.reduce((sum, { orgnr, aksjer }) => sum + (orgnr === book.orgnr ? aksjer : 0), 0),
  }
}

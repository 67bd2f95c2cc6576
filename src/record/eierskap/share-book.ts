/**
 * One company's share book of one delivery, over all classes. Shares are whole numbers: a Number holds them exactly below
 * 2^53, and the largest Norwegian company has some thousand million.
 */
export type ShareBook = {
  orgnr: number
  navn: string | null
  /** As the company reported it; null is missing or zero. */
  aksjerTotalt: number | null
  /** What its holders have together, those after the largest included. */
  aksjerSum: number
  innehavere: number
  /** The 200 largest, largest first. */
  storste: Holder[]
}

export type Holder = {
  navn: string | null
  fodselsaar?: number
  orgnr?: number
  /** Two letters. */
  land?: string
  aksjer: number
  /** Is not to be shown: only that somebody holds the shares. */
  skjult?: boolean
}

/** That one company holds shares in another. `navn`, `aksjerTotalt` and `aksjerSum` are the owned company's. */
export type Edge = {
  eier: number
  eid: number
  aksjer: number
  navn: string | null
  aksjerTotalt: number | null
  /** Of the owned company's share book: without it a book with too many shares can not be told from a good one. */
  aksjerSum?: number
}

/** A register that counts half as many shares again as there are is wrong about more than rounding. */
const SUM_OF_TOTAL_MAX = 1.5

/**
 * The number of shares that a holding is a part of, or null where no part can be told: the total is missing or zero, or the
 * holders have more than 150 % of it, and control is not made up from a broken book (P20). Between 100 and 150 % the holders
 * are taken for all there is, so that their parts make 100 %. A company's own shares count in it: they are shares.
 */
export function wholeOf(
  aksjerTotalt: number | null,
  aksjerSum: number,
): { shares: number; isAdjusted: boolean } | null {
  if (aksjerTotalt === null || aksjerTotalt <= 0) return null
  if (aksjerSum > SUM_OF_TOTAL_MAX * aksjerTotalt) return null
  return { shares: Math.max(aksjerTotalt, aksjerSum), isAdjusted: aksjerSum > aksjerTotalt }
}

/**
 * A part as percent with six decimals. Parts are double fractions all the way and rounded only here: a product of ten levels
 * is off by less than one in 10^14, so six decimals are true to the last.
 */
export function inPercent(part: number): number {
  return Math.min(100, Math.round(part * 1e8) / 1e6)
}

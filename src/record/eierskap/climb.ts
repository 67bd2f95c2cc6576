import { chainOfControl } from './control.ts'
import { type EffectiveShares, effectiveShares, type OpenCompany } from './effective-shares.ts'
import type { OwnershipLimits } from './limits.ts'
import { type OpenBook, opened } from './open-book.ts'
import type { ShareBook } from './share-book.ts'
import { turnOfBook } from './turn-of-book.ts'

export type Climbed = {
  /** In the order they were opened; the subject's is the first. */
  books: Map<number, OpenBook>
  /** Looked for: no share book this year. */
  absent: Set<number>
  shares: EffectiveShares
  isCut: boolean
}

/**
 * Opens share books level by level from the subject upwards: its own, those of its owners, and so on, one call for each level.
 * A company is opened when it holds at least the floor of the subject by all that is known so far, or when it stands in the
 * chain of control, whose products may fall below any floor.
 */
export async function climb(
  subject: number,
  { levels, companies }: { levels: number; companies: number },
  books: (orgnrs: readonly number[]) => Promise<ShareBook[]>,
  limits: OwnershipLimits,
): Promise<Climbed> {
  const climbed = { books: new Map<number, OpenBook>(), absent: new Set<number>(), isCut: false }
  let shares = effectiveShares(subject, new Map(), limits)
  let wanted = [subject]
  for (let level = 1; ; level++) {
    const found = new Map((await books(wanted)).map((book) => [book.orgnr, book]))
    for (const orgnr of wanted) {
      await turnOfBook()
      const book = found.get(orgnr)
      if (book === undefined) climbed.absent.add(orgnr)
      else climbed.books.set(orgnr, opened(book))
    }
    shares = effectiveShares(subject, companiesOf(climbed.books), limits)
    const next = wantedNext(subject, climbed, shares, limits.floorPercent / 100)
    if (next.length === 0) break
    const room = level < levels ? companies - climbed.books.size - climbed.absent.size : 0
    if (next.length > room) climbed.isCut = true
    if (room <= 0) break
    wanted = next.slice(0, room)
  }
  return { ...climbed, shares }
}

function companiesOf(books: ReadonlyMap<number, OpenBook>): Map<number, OpenCompany> {
  const companies = new Map<number, OpenCompany>()
  for (const [orgnr, { whole, holdings }] of books) {
    if (whole === null) continue
    const holders: { orgnr: number; aksjer: number }[] = []
    for (const { orgnr: holder, aksjer } of holdings) {
      if (holder !== undefined) holders.push({ orgnr: holder, aksjer })
    }
    companies.set(orgnr, { whole, holders })
  }
  return companies
}

/** The weightiest first: what a limit cuts off is then the least. */
function wantedNext(
  subject: number,
  { books, absent }: Pick<Climbed, 'books' | 'absent'>,
  { held }: EffectiveShares,
  floor: number,
): number[] {
  const wanted = new Map<number, number>()
  for (const { whole, holdings } of books.values()) {
    if (whole === null) continue
    for (const { orgnr, kind } of holdings) {
      if (orgnr === undefined || kind !== 'foretak' || books.has(orgnr) || absent.has(orgnr)) continue
      const part = held.get(orgnr) ?? 0
      if (isAtLeast(part, floor)) wanted.set(orgnr, part)
    }
  }
  const tip = chainOfControl(subject, books).at(-1)
  const above = tip?.holding.orgnr
  if (above !== undefined && tip?.holding.kind === 'foretak' && !books.has(above) && !absent.has(above)) {
    // First of all: the chain of control is what most ask for.
    wanted.set(above, 2)
  }
  return [...wanted].sort(([a, partA], [b, partB]) => partB - partA || a - b).map(([orgnr]) => orgnr)
}

/** Half a percent through two chains may add up to the last digit less. */
export function isAtLeast(part: number, floor: number): boolean {
  return part >= floor * (1 - 1e-12)
}

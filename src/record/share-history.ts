import { type Static, Type } from 'typebox'
import type { StoredBook } from '#src/storage/shareholders/read-books.ts'
import { Aksjeboktall, Aksjonaer, avvikOf, holdersShown } from './sections/aksjonaer.ts'
import { Endringer, endringerOf, isUnchanged } from './sections/aksjonaerendringer.ts'
import { exactly, orNull } from './shape.ts'

const YearsBook = exactly({
  ...Aksjeboktall,
  erAlle: Type.Boolean({
    description: 'Whether these are all there are in storage: the comparison covered everybody.',
  }),
  storste: Type.Array(Aksjonaer),
})
export type YearsBook = Static<typeof YearsBook>

const Aar = Type.Array(Type.Integer())

/**
 * What is kept of a company's shareholders over all years: little, for it is kept for every company that is looked up. Most
 * have one holder who stays for decades, so years that are alike stand once, and years in which nothing changed are left out.
 */
export const ShareHistory = exactly({
  leveranser: exactly(
    { aar: Aar, id: Aar },
    {
      description:
        'All years that are imported, newest first, and beside each its delivery: runs of numbers take next to no room.',
    },
  ),
  nyeste: orNull(YearsBook),
  perioder: Type.Array(exactly({ ...YearsBook.properties, aar: Aar }), {
    description: 'Years of the company whose books look alike.',
  }),
  endringer: Type.Array(exactly({ aar: Type.Integer(), ...Endringer.properties }), {
    description: 'Only years that differ from the one before.',
  }),
})
export type ShareHistory = Static<typeof ShareHistory>

export const SHOWN_NEWEST = 20
const SHOWN_BEFORE = 5

/**
 * @param years all that is imported, newest first, each with the company's share book or null when it is not in the file
 * @returns null when it is in none
 */
export function shareHistory(
  years: readonly { aar: number; leveranse: number; book: StoredBook | null }[],
): ShareHistory | null {
  if (years.every(({ book }) => book === null)) return null
  const newest = years[0]?.book ?? null
  const perioder: ShareHistory['perioder'] = []
  const byContent = new Map<string, number[]>()
  const changes: ShareHistory['endringer'] = []
  for (const [index, { aar, book }] of years.entries()) {
    if (book === null) continue
    const shown = yearsBook(book, SHOWN_BEFORE)
    const content = JSON.stringify(shown)
    const alike = byContent.get(content)
    if (alike === undefined) {
      const first = [aar]
      byContent.set(content, first)
      perioder.push({ aar: first, ...shown })
    } else alike.push(aar)
    const before = years[index + 1]
    if (before === undefined || before.book === null) continue
    const since = endringerOf(before.book, book, before.aar)
    if (!isUnchanged(since)) changes.push({ aar, ...since })
  }
  return {
    leveranser: { aar: years.map(({ aar }) => aar), id: years.map(({ leveranse }) => leveranse) },
    nyeste: newest === null ? null : yearsBook(newest, SHOWN_NEWEST),
    perioder,
    endringer: changes,
  }
}

function yearsBook(book: StoredBook, shown: number): YearsBook {
  return {
    aksjerTotalt: book.aksjerTotalt,
    aksjerSum: book.aksjerSum,
    innehavere: book.innehavere,
    erAlle: book.storste.length >= book.innehavere,
    avvik: avvikOf(book),
    storste: holdersShown(book.storste.slice(0, shown), book),
  }
}

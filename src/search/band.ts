import type { Hit } from './rank.ts'
import { weights } from './weights.ts'

/** How sure it is which company is meant: certainly the first, one of these, or none of what there is. */
export const bands = ['sikker', 'velg', 'ingen'] as const
export type Band = (typeof bands)[number]

/**
 * A confident wrong answer is the only real failure: certain is what answers as a whole (a name, a name it had, a short
 * name; nothing filled in, nothing guessed) and is well ahead of everything else that was found, looked for to the end.
 *
 * @param typed the letters of the question
 */
export function bandOf(hits: readonly Hit[], { typed, isCut }: { typed: string; isCut: boolean }): Band {
  const [first, second] = hits
  if (first === undefined) return 'ingen'
  const { band, match } = weights
  if (isCut || first.hasCeased || first.why.typos > 0 || first.matched < band.certainFrom) return 'velg'
  if (second === undefined) return 'sikker'
  const ahead = typed.length <= band.shortLetters ? band.aheadShort : band.ahead
  // Of two of one name, Noria and Nøria, the letters that were typed tell which is first, and not that it is meant.
  const namesake = second.why.how === 'whole' && second.why.typos === 0 ? match.asTyped : 0
  return first.points - second.points >= ahead + namesake ? 'sikker' : 'velg'
}

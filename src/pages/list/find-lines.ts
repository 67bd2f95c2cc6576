import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Finn, Treff } from '#src/search/answer.ts'
import type { PageSearch } from '../lookup/ports.ts'
import type { GivenLine } from './read-lines.ts'

/** A line with what was found. `valgt`: by whoever looks, out of the candidates. */
export type FoundLine = GivenLine & {
  band: 'sikker' | 'velg' | 'ingen' | 'valgt'
  chosen: Treff | null
  candidates: readonly Treff[]
}

/** A line as it comes back: `choice` is the number that was chosen, and counts when it is among what is found. */
export type AskedLine = GivenLine & { choice: string | null }

/** One after the other, with a turn for others between: a list is nobody's only work. */
export async function findLines(
  lines: readonly AskedLine[],
  search: Pick<PageSearch, 'finn'>,
  caller: string,
): Promise<FoundLine[]> {
  const found: FoundLine[] = []
  for (const { choice, ...line } of lines) {
    if (line.given === '') found.push({ ...line, band: 'ingen', chosen: null, candidates: [] })
    else {
      const clues = { navn: line.given, sted: line.place, nettsted: null, telefon: null, epost: null }
      found.push({ ...line, ...chosenOf((await search.finn(clues, caller)).answer, choice) })
    }
    await nextTurn()
  }
  return found
}

function chosenOf(answer: Finn, choice: string | null): Omit<FoundLine, keyof GivenLine> {
  const { foretak, kandidater, visshet } = answer
  const chosen = kandidater.find(({ organisasjonsnummer }) => organisasjonsnummer === choice)
  if (chosen !== undefined) return { band: 'valgt', chosen, candidates: kandidater }
  if (foretak !== null && visshet === 'sikker') return { band: 'sikker', chosen: foretak, candidates: [] }
  return { band: kandidater.length === 0 ? 'ingen' : 'velg', chosen: null, candidates: kandidater }
}

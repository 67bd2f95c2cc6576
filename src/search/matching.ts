import { whoAsks } from '#src/core/asker.ts'
import { createLoopTurns } from '#src/core/loop-turns.ts'
import { type AskedName, type Match, matchName } from './match.ts'
import { readName } from './name.ts'
import type { Candidate, Matched } from './rank.ts'

/**
 * How names answer one question. Each is compared once, in however many steps it is found and however many companies bear it; and
 * whoever asks for what is held is heard meanwhile: thousands of candidates with twelve words each take tens of milliseconds, which
 * are shared by turns with all who search.
 */
export function createMatching(asked: AskedName) {
  const known = new Map<string, Match | null>()

  function matchOf({ name }: Candidate): Match | null {
    let match = known.get(name)
    if (match === undefined) {
      match = matchName(asked, readName(name), name)
      known.set(name, match)
    }
    return match
  }

  return {
    /** Those that answer, in their order. */
    async of(candidates: readonly Candidate[]): Promise<Matched[]> {
      const matched: Matched[] = []
      for (const [at, candidate] of candidates.entries()) {
        if (at % SOME === 0 && turns.isOver()) await turns.next(whoAsks())
        const match = matchOf(candidate)
        if (match !== null) matched.push({ candidate, match })
      }
      return matched
    },
  }
}

/** All searches together keep nobody else waiting for longer than these milliseconds. */
const turns = createLoopTurns(5)

/** Of the longest questions these take half a millisecond. */
const SOME = 25

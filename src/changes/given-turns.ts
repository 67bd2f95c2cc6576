import { createLru } from '#src/core/lru.ts'
import type { LookLine } from '#src/storage/changes/looks.ts'

/**
 * The turns to be looked at that owners have given others: what they ended to watch while it stood in line for another as well keeps the
 * earlier time, and no more of theirs stands there for it. They are counted, or whoever began and ended, one by one, all that
 * another has at the end of a list would bring that list before all others'. Each process counts its own, and takes them to be worked off at
 * the pace of the line.
 *
 * @param lookMs how long each look takes of a line
 * @param ownersMax who else gives one begins anew
 * @param nowMs of a clock that does not go back
 */
export function createGivenTurns({
  lookMs,
  ownersMax,
  nowMs = () => performance.now(),
}: {
  lookMs: Readonly<Record<LookLine, number>>
  ownersMax: number
  nowMs?: () => number
}) {
  const given = createLru<string, { turns: Record<LookLine, number>; atMs: number }>(ownersMax)

  /** Those of an owner's that are not worked off yet. */
  function of(eier: string): Record<LookLine, number> {
    const found = given.get(eier)
    if (found === undefined) return { neste_at: 0, sene_at: 0 }
    const { turns, atMs } = found
    const left = (line: LookLine) => Math.max(0, turns[line] - (nowMs() - atMs) / lookMs[line])
    return { neste_at: left('neste_at'), sene_at: left('sene_at') }
  }

  return {
    of,
    add(eier: string, turns: Readonly<Record<LookLine, number>>): void {
      const before = of(eier)
      const sum = {
        neste_at: before.neste_at + turns.neste_at,
        sene_at: before.sene_at + turns.sene_at,
      }
      given.set(eier, { turns: sum, atMs: nowMs() })
    },
  }
}

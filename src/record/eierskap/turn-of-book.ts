import { whoAsks } from '#src/core/asker.ts'
import { createLoopTurns } from '#src/core/loop-turns.ts'

/** A share book of 200 holders takes half a millisecond, and a structure may have 500: all together keep nobody waiting for longer. */
const turns = createLoopTurns(4)

/** To be waited for before each share book. Null, as nearly always: there is time now. */
export function turnOfBook(): Promise<void> | null {
  return turns.isOver() ? turns.next(whoAsks()) : null
}

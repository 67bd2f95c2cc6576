import { policy } from '#config/policy.ts'
import { whoAsks } from '#src/core/asker.ts'
import { createLoopTurns } from '#src/core/loop-turns.ts'

const turns = createLoopTurns(policy.http.loopTurnMs)

/**
 * To be waited for before what takes the process a millisecond. What hundreds of connections ask for at once would otherwise be done
 * in one turn of the event loop, in which nobody is heard who asks for what is held: so long they may have of it together, and the rest is
 * done in the turns of who asks (P61). Null, as nearly always: there is time now.
 */
export function turnOfLoop(): Promise<void> | null {
  return turns.isOver() ? turns.next(whoAsks()) : null
}

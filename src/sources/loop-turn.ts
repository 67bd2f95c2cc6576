import { whoAsks } from '#src/core/asker.ts'
import { createLoopTurns } from '#src/core/loop-turns.ts'
import { isLeftToNewcomers } from '#src/core/newcomers.ts'
import { untilAborted } from '#src/core/wait.ts'

/**
 * What registers answer takes from a tenth of a millisecond to some to read, and a hundred hits of a search more. Those of many calls
 * come at once: all together they are read no longer than this in one turn of the event loop.
 */
const turns = createLoopTurns(5)

/**
 * To be waited for before a register is asked, and before what it answered is read: whoever asks for what is held is heard between, and
 * whoever connects is taken. What is not asked yet is the only part of a cold company's work that can be put off before it is there.
 *
 * @throws `signal`'s reason: nobody waits for it any more, and its place at the register is another's
 */
export async function turnForRegisters(signal: AbortSignal): Promise<void> {
  if (turns.isOver() || isLeftToNewcomers()) await untilAborted(turns.next(whoAsks()), signal)
}

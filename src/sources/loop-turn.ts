import { whoAsks } from '#src/core/asker.ts'
import { createLoopTurns } from '#src/core/loop-turns.ts'
import { isLeftToNewcomers } from '#src/core/newcomers.ts'

/**
 * What registers answer takes from a tenth of a millisecond to some to read, and a hundred hits of a search more. Those of many calls
 * come at once: all together they are read no longer than this in one turn of the event loop.
 */
const turns = createLoopTurns(5)

/**
 * To be waited for before a register is asked, and before what it answered is read: whoever asks for what is held is heard between, and
 * whoever connects is taken. What is not asked yet is the only part of a cold company's work that can be put off before it is there.
 */
export async function turnForRegisters(): Promise<void> {
  if (turns.isOver() || isLeftToNewcomers()) await turns.next(whoAsks())
}

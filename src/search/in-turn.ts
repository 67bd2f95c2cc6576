import { OppslagError } from '#src/core/errors.ts'
import { createTurns } from '#src/core/turns.ts'
import type { Search } from './search.ts'

/** The turn of a search did not come in time. `isOwn`: for the searches the same asker has under way besides. */
export class NoSearchTurnError extends OppslagError {
  readonly isOwn: boolean

  constructor(cause: unknown, { isOwn }: { isOwn: boolean }) {
    super('ingen_plass', 'the turn of a search did not come in time', { cause })
    this.isOwn = isOwn
  }
}

/**
 * One who asks has as many searches in the index at once as connections there, and their others wait here for a turn. A search that waited
 * for connections step by step would have no time left for what it looks for, and the register would be asked instead, as if the index
 * could not be read. Nobody waits for another's.
 *
 * So it is at the register: what a search asks there next stands behind all that others of the same asker ask first, and of hundreds at
 * once none came to its end in time, which looked as if the register were away.
 *
 * @param isIndexed false: the register is asked
 * @throws NoSearchTurnError besides what `search` throws
 */
export function inTurn(
  { sok, forslag, finn }: Search,
  {
    isIndexed,
    policy: { connectionsForOneMax, atRegisterForOneMax, waitingMax, waitMs },
  }: {
    isIndexed: () => boolean
    policy: Record<'connectionsForOneMax' | 'atRegisterForOneMax' | 'waitingMax' | 'waitMs', number>
  },
): Search {
  const line = (atOnceForOne: number) =>
    createTurns({ atOnce: Number.POSITIVE_INFINITY, atOnceForOne, waitingMax })
  const inIndex = line(connectionsForOneMax)
  const atRegister = line(atRegisterForOneMax)

  async function run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const turns = isIndexed() ? inIndex : atRegister
    const done = await turns.runWithin(waitMs, { of: caller, rank: 0 }, work)
    if (!done.hadTurn) throw new NoSearchTurnError(done.cause, done)
    return done.value
  }

  return {
    sok: (question, caller) => run(caller, () => sok(question, caller)),
    forslag: (q, size, caller) => run(caller, () => forslag(q, size, caller)),
    finn: (clues, caller) => run(caller, () => finn(clues, caller)),
  }
}

import { OppslagError } from '#src/core/errors.ts'
import { createTurns } from '#src/core/turns.ts'
import { abortAfter } from '#src/core/wait.ts'
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
 * @param isIndexed false: the register is asked, which has lines of its own
 * @throws NoSearchTurnError besides what `search` throws
 */
export function inTurn(
  { sok, forslag, finn }: Search,
  {
    isIndexed,
    policy: { connectionsForOneMax, waitingMax, waitMs },
  }: {
    isIndexed: () => boolean
    policy: Record<'connectionsForOneMax' | 'waitingMax' | 'waitMs', number>
  },
): Search {
  const turns = createTurns({
    atOnce: Number.POSITIVE_INFINITY,
    atOnceForOne: connectionsForOneMax,
    waitingMax,
  })

  async function run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    if (!isIndexed()) return work()
    const patience = new AbortController()
    const waited = abortAfter(waitMs, patience)
    let isBegun = false
    const begun = () => {
      waited()
      isBegun = true
      return work()
    }
    try {
      return await turns.run({ of: caller, rank: 0 }, begun, patience.signal)
    } catch (error) {
      waited()
      if (isBegun) throw error
      throw new NoSearchTurnError(error, { isOwn: turns.isForOwn(caller, error) })
    }
  }

  return {
    sok: (question, caller) => run(caller, () => sok(question, caller)),
    forslag: (q, size, caller) => run(caller, () => forslag(q, size, caller)),
    finn: (clues, caller) => run(caller, () => finn(clues, caller)),
  }
}

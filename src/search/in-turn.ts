import { OppslagError } from '#src/core/errors.ts'
import { createTurns } from '#src/core/turns.ts'
import { NoStorageTurnError, StorageUnavailableError } from '#src/storage/database.ts'

/** The turn of a search did not come in time. `isOwn`: for the searches the same asker has under way besides. */
export class NoSearchTurnError extends OppslagError {
  readonly isOwn: boolean

  constructor(cause: unknown, { isOwn }: { isOwn: boolean }) {
    super('ingen_plass', 'the turn of a search did not come in time', { cause })
    this.isOwn = isOwn
  }
}

export type SearchTurns = {
  /**
   * Who finds that the index can not be read has found it for all who wait.
   *
   * @throws NoSearchTurnError, or what `letGo` was told of, when its turn did not come; otherwise whatever `ask` throws
   */
  inIndex<T>(caller: string, ask: () => Promise<T>): Promise<T>
  /** @throws NoSearchTurnError when its turn did not come; otherwise whatever `ask` throws */
  atRegister<T>(caller: string, ask: () => Promise<T>): Promise<T>
  /** The index can not be read: all who wait for it are told so at once, and need not find it out one after the other. */
  letGo(error: StorageUnavailableError): void
}

/**
 * As many searches are in the index at once as it has connections, of one who asks fewer, and the others wait here for their turns. A
 * search that waited for connections step by step would have no time left for what it looks for, and the register would be asked
 * instead, as if the index could not be read.
 *
 * So it is at the register: what a search asks there next stands behind all that others ask first, and of hundreds at once none came to
 * its end in time, which looked as if the register were away.
 */
export function createSearchTurns({
  connectionsMax,
  connectionsForOneMax,
  atRegisterMax,
  atRegisterForOneMax,
  waitingMax,
  waitMs,
}: Record<
  | 'connectionsMax'
  | 'connectionsForOneMax'
  | 'atRegisterMax'
  | 'atRegisterForOneMax'
  | 'waitingMax'
  | 'waitMs',
  number
>): SearchTurns {
  const index = createTurns({ atOnce: connectionsMax, atOnceForOne: connectionsForOneMax, waitingMax })
  const register = createTurns({
    atOnce: atRegisterMax,
    atOnceForOne: atRegisterForOneMax,
    waitingMax,
  })
  const waiting = new Set<AbortController>()

  function letGo(error: StorageUnavailableError): void {
    // Who has all the connections one may have, or is one of many who were answered meanwhile, says nothing of the index.
    if (error instanceof NoStorageTurnError && (error.isOwn || error.wereOthersAnswered)) return
    for (const each of waiting) each.abort(error)
  }

  /** While the place is taken still: the next would begin as soon as it is given back. */
  async function inPlace<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      if (error instanceof StorageUnavailableError) letGo(error)
      throw error
    }
  }

  return {
    letGo,

    async inIndex(caller, ask) {
      const patience = new AbortController()
      waiting.add(patience)
      const done = await index
        .runWithin(waitMs, { of: caller, rank: 0 }, () => inPlace(ask), patience)
        .finally(() => waiting.delete(patience))
      if (done.hadTurn) return done.value
      if (done.cause instanceof StorageUnavailableError) throw done.cause
      throw new NoSearchTurnError(done.cause, done)
    },

    async atRegister(caller, ask) {
      const done = await register.runWithin(waitMs, { of: caller, rank: 0 }, ask)
      if (!done.hadTurn) throw new NoSearchTurnError(done.cause, done)
      return done.value
    },
  }
}

/** Where companies are at hand nobody waits. */
export const noSearchTurns: SearchTurns = {
  inIndex: (_caller, ask) => ask(),
  atRegister: (_caller, ask) => ask(),
  letGo() {},
}

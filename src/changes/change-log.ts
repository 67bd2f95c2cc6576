import { createTurns } from '#src/core/turns.ts'
import { LIVING } from '#src/samples/living.ts'
import { type Change, changesOf } from '#src/storage/changes/change-log.ts'
import { latestWatched, type WatchedChange, watchedChangesAfter } from '#src/storage/changes/read-watched.ts'
import { type Queryable, StorageUnavailableError } from '#src/storage/database.ts'
import { tellsOfErased } from './change.ts'
import { cursorAfter, LOG_START, type LogCursor } from './log-cursor.ts'
import type { WaitingReaders, Watcher } from './waiting.ts'

/**
 * - `page`: what came after the cursor, the oldest first, and where to go on. `hasMore`: there is more at once, or may be. `isEarly`: there was
 *   nothing, and it was not waited for, since as many wait as may
 * - `stale`: the cursor is older than what is kept, or of a log that is no more
 * - `full`: of this one nobody more may wait
 */
export type LogReading =
  | { outcome: 'page'; changes: WatchedChange[]; cursor: LogCursor; hasMore: boolean; isEarly: boolean }
  | { outcome: 'stale' }
  | { outcome: 'full' }

export type LogQuestion = {
  after: LogCursor | null
  orgnr: string | null
  types: readonly string[] | null
  size: number
}

export type ChangeLog = ReturnType<typeof createChangeLog>

/** Everybody's test key is told of them. */
const LIVING_NUMBERS = Object.values(LIVING).map(Number)

/**
 * The change log, read by those who watch. A cursor is a place in the log, whoever's and whatever is asked for with it, so what
 * is asked for may change between two pages. Nothing is skipped and nothing told twice, also while it is written: numbers are
 * given in the order changes become visible (P121).
 */
export function createChangeLog({
  db,
  waiting,
  isErased,
  policy: { linesThroughMax, pagesAtOnce, pagesWaitingMax, pageWaitMs },
}: {
  db: Queryable
  waiting: WaitingReaders
  /** Known here at once; where the lines are, when it has been buried there. */
  isErased: (orgnr: string) => boolean
  policy: {
    /** Lines of what one watches that are gone through for one page. */
    linesThroughMax: number
    /** Pages that those who wait have read at one time. They all come at once, when they are woken and when a process has just begun. */
    pagesAtOnce: number
    pagesWaitingMax: number
    pageWaitMs: number
  }
}) {
  const turns = createTurns({ atOnce: pagesAtOnce, waitingMax: pagesWaitingMax })

  /** Of lines that were read some time ago those that may be told still. */
  function tellable<C extends Pick<Change, 'orgnr' | 'nevner'>>(changes: readonly C[]): C[] {
    return changes.filter((change) => !tellsOfErased(change, isErased))
  }

  /** @throws StorageUnavailableError also when its turn has not come in time */
  async function pageInTurn(
    watcher: Watcher,
    question: LogQuestion,
    wait: { of: string; signal: AbortSignal; room: Room },
  ): Promise<LogReading> {
    // Before its turn: who waits for room has no turn meanwhile.
    const giveBack = await wait.room()
    const now = await turned(watcher, question, wait)
    if (hasNothing(now)) giveBack()
    return now
  }

  async function turned(
    watcher: Watcher,
    question: LogQuestion,
    wait: { of: string; signal: AbortSignal },
  ): Promise<LogReading> {
    const done = await turns.runWithin(pageWaitMs, { of: wait.of, rank: 0 }, async () =>
      wait.signal.aborted ? nothing(question.after ?? LOG_START) : page(watcher, question),
    )
    if (!done.hadTurn) throw new StorageUnavailableError(done.cause)
    return done.value
  }

  async function page(watcher: Watcher, { after, orgnr, types, size }: LogQuestion): Promise<LogReading> {
    const from = after ?? LOG_START
    const found = await watchedChangesAfter(db, whose(watcher), {
      after: from.nr,
      orgnr,
      types,
      limit: size,
      throughMax: linesThroughMax,
    })
    if (after !== null && isStale(after, found)) return { outcome: 'stale' }
    const { last, newest } = found
    const changes = tellable(found.changes)
    if (found.isFull && last !== null && newest !== null && last.nr < newest.nr)
      return { outcome: 'page', changes, cursor: cursorAfter(last), hasMore: true, isEarly: false }
    // All there is was looked at, also what is not this reader's: the end of the log is where it stands.
    const cursor = newest === null || newest.nr < from.nr ? from : cursorAfter(newest)
    return { outcome: 'page', changes, cursor, hasMore: false, isEarly: false }
  }

  return {
    tellable,

    /**
     * @param wait `of`: who is counted as one; `ms`: how long, at most, when there is nothing to tell; `room`: waited for before a page
     *   is read, and given back where there is nothing in it
     * @throws StorageUnavailableError
     */
    async read(
      watcher: Watcher,
      question: LogQuestion,
      wait: { of: string; ms: number; signal: AbortSignal; room: Room },
    ): Promise<LogReading> {
      if (wait.ms === 0) {
        await wait.room()
        return page(watcher, question)
      }
      // Before the first look: what is written after it wakes.
      const waiter = waiting.enter(watcher, wait.of)
      if (typeof waiter === 'string') {
        const now = await pageInTurn(watcher, question, wait)
        if (!hasNothing(now)) return now
        return waiter === 'one' ? { outcome: 'full' } : { ...now, isEarly: true }
      }
      const timer = setTimeout(waiter.giveUp, wait.ms)
      wait.signal.addEventListener('abort', waiter.giveUp, { once: true })
      if (wait.signal.aborted) waiter.giveUp()
      try {
        let now = await pageInTurn(watcher, question, wait)
        while (hasNothing(now) && (await waiter.woken()))
          now = await pageInTurn(watcher, { ...question, after: now.cursor }, wait)
        return now
      } finally {
        clearTimeout(timer)
        waiter.leave()
      }
    },

    /** The last so many of what is watched, the newest first. */
    async latest({ eier, prove }: Watcher, limit: number): Promise<WatchedChange[]> {
      if (eier === null) return []
      return tellable(await latestWatched(db, { eier, prove }, { limit, throughMax: linesThroughMax }))
    },

    /**
     * One company's, the newest first, before a line of the log.
     *
     * @returns `last`: the last that was looked at, be it told or not, before which one goes on; null when there are no more
     */
    async ofCompany(
      orgnr: string,
      { prove, before, size }: { prove: boolean; before: number | null; size: number },
    ): Promise<{ changes: Change[]; last: Pick<Change, 'nr' | 'sett'> | null }> {
      const found = await changesOf(db, orgnr, { prove, before, limit: size + 1 })
      const page = found.slice(0, size)
      return { changes: tellable(page), last: found.length > size ? (page.at(-1) ?? null) : null }
    },
  }
}

/** Comes back with what gives it back. */
type Room = () => Promise<() => void>

type LogPage = Extract<LogReading, { outcome: 'page' }>

function nothing(cursor: LogCursor): LogPage {
  return { outcome: 'page', changes: [], cursor, hasMore: false, isEarly: false }
}

function hasNothing(reading: LogReading): reading is LogPage & { changes: [] } {
  return reading.outcome === 'page' && reading.changes.length === 0 && !reading.hasMore
}

function whose({ eier, prove }: Watcher) {
  return eier === null ? { invented: LIVING_NUMBERS } : { eier, prove }
}

/**
 * What was taken away for its age may have been the reader's. And a log that was put back as it was some time ago gives numbers
 * anew: what has the cursor's number then is another change, or nothing has it yet. A change that was erased since says nothing.
 */
function isStale(
  after: LogCursor,
  { here, given, goneTo }: { here: { nr: number; sett: Date } | null; given: number; goneTo: number },
): boolean {
  if (after.nr < goneTo || after.nr > given) return true
  return here !== null && cursorAfter(here).mark !== after.mark
}

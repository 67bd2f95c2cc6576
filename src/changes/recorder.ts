import type { Policy } from '#config/policy.ts'
import { askedTogether } from '#src/core/asked-together.ts'
import { askedForAll, whoAsks } from '#src/core/asker.ts'
import type { Clock } from '#src/core/clock.ts'
import { createLru } from '#src/core/lru.ts'
import { createRepeat } from '#src/core/repeat.ts'
import { createTurns } from '#src/core/turns.ts'
import { afterSending, within } from '#src/core/wait.ts'
import type { KeptSource, ToldSource } from '#src/sources/index.ts'
import type { Answer } from '#src/sources/source.ts'
import {
  answerName,
  findKnownAnswers,
  type KnownAnswer,
  noteSeen,
  type PackedLook,
  type SeenAnswer,
  type WatchedAnswer,
  writeLook,
} from '#src/storage/changes/known-answers.ts'
import { type Database, NoStorageTurnError, StorageUnavailableError } from '#src/storage/database.ts'
import { difference } from './difference.ts'
import type { Look } from './fact.ts'
import { isTold, lookAt } from './facts.ts'
import { lookOver } from './look-over.ts'
import { namedIn, packLook, printOf, unpackLook, withoutErased } from './packed-look.ts'
import { createUntaken, type LookStep } from './untaken.ts'

/** A copy that was at hand when a fetch began, and that readers could still be given. */
export type HeldCopy = { answer: () => Answer<unknown> }

/**
 * Sees to it that what is fetched is compared with what was known, and that what changed is written before anybody is shown it.
 * What nobody watches and nobody held costs one question to PostgreSQL, asked together with others' beside the fetch.
 *
 * Nobody waits long for PostgreSQL: what it does not take is written when it is back, as it was seen for some minutes, and after
 * that by looking at the company again, where somebody watches: what it was is still remembered then.
 *
 * @param lookAgain asks for an answer of a company to be fetched anew, soon
 */
export function createRecorder({
  database,
  isErased,
  lookAgain,
  clock,
  onFault,
  policy,
}: {
  database: Database
  isErased: (orgnr: string) => boolean
  lookAgain: (orgnr: string, source: ToldSource) => void
  clock: Clock
  onFault: (error: unknown) => void
  policy: Record<keyof Policy['looks'], number>
}) {
  const now = () => clock.now().getTime()
  const ask = askedTogether<KnownAnswer>((names) => findKnownAnswers(database, names), {
    atOnce: policy.questionsAtOnce,
    namesMax: policy.placesPerQuestion,
  })
  /** Those for whom it was fetched have equal turns, whatever many answers one of them has fetched. */
  const writes = createTurns({ atOnce: policy.writesAtOnce, waitingMax: policy.looksMax })
  /** What was seen to be as it was, until it is noted. */
  const same = new Map<string, SeenAnswer>()
  const notedAt = createLru<string, number>(policy.namesMax)
  /** What PostgreSQL could not be asked, or told. */
  const late = new Map<string, Late>()
  const lateNames = createLru<string, { dueMs: number }>(policy.namesMax)
  let awayUntilMs = 0
  const untaken = createUntaken({ keptMs: policy.untakenKeptMs })

  function isAway(): boolean {
    return performance.now() < awayUntilMs
  }

  /**
   * Whoever's reading it was that fetched, it is done for all who watch: in the name of one who has too many questions under way PostgreSQL
   * would be taken to be away for all of them.
   *
   * @throws StorageUnavailableError also when it took too long
   */
  async function bounded<T>(
    work: () => Promise<T>,
    { deadlineMs, step }: { deadlineMs: number; step: () => LookStep },
  ): Promise<T> {
    if (isAway()) throw new StorageUnavailableError(null)
    try {
      const done = await within(askedForAll(work), deadlineMs, () => {
        throw new StorageUnavailableError(null)
      })
      untaken.taken(step())
      return done
    } catch (error) {
      if (error instanceof StorageUnavailableError) awayUntilMs = performance.now() + policy.awayMs
      // Also of what it refuses for another reason than that it is away nobody is told.
      untaken.refused(step())
      throw error
    }
  }

  function asking<T>(work: () => Promise<T>, deadlineMs: number): Promise<T> {
    return bounded(work, { deadlineMs, step: () => 'asked' })
  }

  /** @throws NoStorageTurnError when the turn of whom it was fetched for has not come in time: that says nothing of PostgreSQL */
  async function writtenInTurn(write: () => Promise<void>, step: () => LookStep): Promise<void> {
    const turn = { of: whoAsks(), rank: 0 }
    const done = await writes.runWithin(policy.turnMs, turn, () =>
      bounded(write, { deadlineMs: policy.writeMs, step }),
    )
    if (!done.hadTurn) throw new NoStorageTurnError(done.cause, done)
  }

  function lookOf(source: ToldSource, orgnr: string, answer: Answer<unknown>): Look | null {
    const look = lookAt(source, orgnr, answer)
    if (look === null) return null
    const seen = { ...look, facts: withoutErased(look.facts, isErased) }
    return JSON.stringify(seen).length > policy.factsBytesMax ? null : seen
  }

  async function record(look: Late, known: KnownAnswer): Promise<void> {
    const { about, seen, before } = look
    const { isWatched: hasWatchers, seen: last, event } = known
    const name = answerName(about)
    const print = printOf(seen.look)
    if (last !== null && print.equals(last.print)) {
      const isNoted = seen.at.getTime() - last.at.getTime() < policy.seenEveryMs
      if (event !== null || (hasWatchers && !isNoted && !wasNotedLately(name)))
        same.set(name, { ...about, at: seen.at, event: event?.id ?? null })
      return
    }
    if (last === null && !hasWatchers) {
      const isSame =
        before === null ||
        printOf(before.look).equals(print) ||
        difference(before.look, seen.look).fields.length === 0
      if (isSame) {
        // The event that brought nothing is no other change's.
        if (event !== null) same.set(name, { ...about, at: seen.at, event: event.id })
        return
      }
    }
    const keptUntil = new Date(now() + policy.unwatchedKeptMs)
    const what = { isInvented: false, event, keptUntil }
    let hasChanged = false
    const decide = (row: PackedLook | null) => {
      const base = row === null ? before : unpacked(row)
      if (base === null)
        return {
          at: seen.at,
          packed: packLook(seen.look),
          print,
          named: namedIn(seen.look.facts, about.orgnr),
          changes: [],
        }
      const aheadMs = base.at.getTime() - seen.at.getTime()
      // Another look at it was later, and is written: this one says nothing more, but the next may.
      if (row !== null && aheadMs > 0 && aheadMs <= policy.overlapMs) {
        lookLater(name, policy.overlapAgainMs)
        return null
      }
      const result = lookOver(base, seen, about.orgnr)
      hasChanged = result.changes.length > 0
      return result
    }
    await writtenInTurn(
      () => writeLook(database, about, what, decide),
      () => (hasChanged ? 'told' : 'remembered'),
    )
  }

  function wasNotedLately(name: string): boolean {
    const at = notedAt.get(name)
    if (at !== undefined && Math.abs(now() - at) < policy.seenEveryMs) return true
    notedAt.set(name, now())
    return false
  }

  function unpacked({ packed, at }: PackedLook): SeenAt | null {
    const look = unpackLook(packed, policy.factsBytesMax)
    return look === null ? null : { look, at }
  }

  function putOff(look: Late): void {
    const name = answerName(look.about)
    const earlier = late.get(name)
    // What it was before the first of them is what it is to be compared with.
    if (late.size < policy.looksMax || earlier !== undefined)
      late.set(name, { ...look, before: earlier?.before ?? look.before })
    else lookLater(name)
  }

  function lookLater(name: string, afterMs = 0): void {
    lateNames.set(name, { dueMs: performance.now() + afterMs })
  }

  async function writeLate(): Promise<void> {
    for (const [name, look] of late) {
      late.delete(name)
      if (Math.abs(now() - look.seen.at.getTime()) > policy.asSeenMs) {
        lookLater(name)
        continue
      }
      try {
        const known = await asking(() => ask(name), policy.askMs)
        if (known !== null) await record(look, known)
      } catch (error) {
        putOff(look)
        throw error
      }
    }
    const names = [...lateNames.entries()]
      .filter(([, { dueMs }]) => dueMs <= performance.now())
      .slice(0, policy.placesPerQuestion)
      .map(([name]) => name)
    if (names.length === 0) return
    const answers = await asking(() => findKnownAnswers(database, names), policy.writeMs)
    for (const name of names) {
      lateNames.delete(name)
      const [orgnr = '', source = ''] = name.split('/')
      if (answers.get(name)?.isWatched === true) lookAgain(orgnr, source as ToldSource)
    }
  }

  async function noteSame(): Promise<void> {
    if (same.size === 0 || isAway()) return
    const again = [...same.values()].slice(0, policy.placesPerQuestion)
    for (const answer of again) same.delete(answerName(answer))
    await noteSeen(database, again)
  }

  const retrying = createRepeat(
    { everyMs: policy.retryEveryMs, onFault: (error) => (isUntakenLong() ? onFault : onFaultOf)(error) },
    async () => {
      await noteSame()
      await writeLate()
    },
  )
  void retrying.start()

  /** Nobody else tells that these tables alone are held: it is told by what tries again, now and then, and not of each look. */
  function isUntakenLong(): boolean {
    return untaken.ms() >= policy.untakenToldMs
  }

  /** That PostgreSQL is away is told by others. */
  function onFaultOf(error: unknown): void {
    if (!(error instanceof StorageUnavailableError)) onFault(error)
  }

  return {
    /**
     * A fetch begins. What comes of it is to be told before it is kept; the promise is kept within a bounded time and never
     * broken.
     *
     * @param held the copy at hand that readers could still be given; null: none
     * @returns null: of this nothing is told
     */
    begin(
      orgnr: string,
      source: KeptSource,
      held: HeldCopy | null,
    ): ((answer: () => Answer<unknown>) => Promise<void>) | null {
      if (!isTold(source) || isErased(orgnr)) return null
      const about = { orgnr, source }
      const asked = afterSending()
        .then(() => asking(() => ask(answerName(about)), policy.askMs))
        .catch((error: unknown) => {
          onFaultOf(error)
          return null
        })
      return async (came) => {
        try {
          const known = await asked
          const isOfInterest =
            known === null || known.isWatched || known.seen !== null || known.event !== null || held !== null
          if (!isOfInterest || isErased(orgnr)) return
          const answer = came()
          const look = lookOf(source, orgnr, answer)
          if (look === null) return
          const before = held === null ? null : heldLook(source, orgnr, held.answer())
          const seen: Late = { about, seen: { look, at: answer.fetchedAt }, before }
          if (known === null) return putOff(seen)
          await record(seen, known).catch((error: unknown) => {
            onFaultOf(error)
            putOff(seen)
          })
        } catch (error) {
          onFault(error)
        }
      }
    },

    /** How many looks wait to be written. */
    waiting: () => late.size + lateNames.size,

    /** For how long PostgreSQL has taken nothing of what was seen; 0 while it does, and where nothing is to be written. */
    untakenMs: untaken.ms,

    async close(): Promise<void> {
      await retrying.close()
      await bounded(noteSame, { deadlineMs: policy.askMs, step: () => 'remembered' }).catch(() => {})
    },
  }

  function heldLook(source: ToldSource, orgnr: string, answer: Answer<unknown>): SeenAt | null {
    const look = lookOf(source, orgnr, answer)
    return look === null ? null : { look, at: answer.fetchedAt }
  }
}

type SeenAt = { look: Look; at: Date }
type Late = { about: WatchedAnswer & { source: ToldSource }; seen: SeenAt; before: SeenAt | null }

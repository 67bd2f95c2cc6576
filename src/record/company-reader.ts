import type { Policy } from '#config/policy.ts'
import type { Answers, WholeAnswer } from '#src/cache/answers.ts'
import type { Cache } from '#src/cache/cache.ts'
import type { Entry } from '#src/cache/entry.ts'
import { keptBytes } from '#src/cache/kept-bytes.ts'
import { forAllWhoJoin } from '#src/core/asker.ts'
import type { Clock } from '#src/core/clock.ts'
import { createLoopTurns } from '#src/core/loop-turns.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { createTurns, RANK, type Turn } from '#src/core/turns.ts'
import type { Addresses } from '#src/sources/addresses.ts'
import { type Assembled, agesOf, assemble, assemblePart } from './assembled.ts'
import {
  type CompanyReading,
  type Crowded,
  cameOf,
  collapsed,
  HELD,
  lackingIn,
  type PartAnswer,
  type ReadingOutcome,
  type Removed,
} from './company-reading.ts'
import { aloneIn, type Field, onlyFields, questionsFor } from './fields.ts'
import type { ForcedRefresh, ForcedRefreshes } from './forced-refresh.ts'
import { type ListPage, pageOf } from './list-page.ts'
import type { OnFault } from './merge.ts'
import { companiesIn, type PersonIds } from './person-ids.ts'
import { type CachedSources, readRecord, type ServedPart } from './read.ts'
import type { Bedrift } from './record.ts'
import type { IndustryCodes } from './sections/naering.ts'
import type { SectionName } from './sections.ts'
import type { SharedRecords } from './shared-records.ts'
import type { createTombstones } from './tombstones.ts'

/** Whose turns a reading takes, the key's id, and which of them: a single look-up's when it is not said. */
export type Caller = { caller: string; rank?: number }

export type CompanyReader = ReturnType<typeof createCompanyReader>

/**
 * Reads companies through the tiers: the whole answer if it is held, else its parts from memory or Redis, else the registers.
 * However many ask for one company at once, it is put together once.
 *
 * What is not at hand waits for its turn, and callers have equal turns (P61): so many companies are asked for at a time, and
 * the time one answer may take begins when they are. Who waits holds up nobody: not those who ask for what is held, and not
 * those who ask for the same company and are earlier at their turn.
 */
export function createCompanyReader({
  cache,
  answers,
  cached,
  tombstones,
  hidden,
  refreshes,
  industryCodes,
  addresses,
  personIds,
  sharedRecords,
  clock,
  deadlineMs,
  onFault,
  policy,
}: {
  cache: Pick<Cache, 'isCurrent' | 'knownAt' | 'whereHeld'>
  answers: Answers<Assembled>
  cached: Pick<CachedSources, 'forReader'>
  tombstones: Pick<ReturnType<typeof createTombstones>, 'isErased' | 'slettedatoOf' | 'asWord'>
  /** Another word whenever one who holds shares was hidden. */
  hidden: () => string
  refreshes: ForcedRefreshes
  industryCodes: () => IndustryCodes
  addresses: Addresses
  personIds: () => PersonIds
  sharedRecords: Pick<SharedRecords, 'shared' | 'share'>
  clock: Clock
  deadlineMs: number
  onFault: OnFault
  policy: Pick<Policy['cache'], 'lookAgainMs' | 'lookAgainAtParentMs' | 'cutMsATurn'> & {
    readings: { atOnce: number; forOneMax: number; waitingMax: number; waitMs: number }
  }
}) {
  const underway = new Map<string, () => Promise<ReadingOutcome>>()
  const comingTo = new Map<string, () => Promise<ReadingOutcome>>()
  const { atOnce, forOneMax, waitingMax, waitMs } = policy.readings
  const turns = createTurns({ atOnce, atOnceForOne: forOneMax, waitingMax })
  const cutting = createLoopTurns(policy.cutMsATurn)

  /** The whole answer as it is held, when it can be sent as it is. Synchronous: nothing is asked of anyone. */
  function held(orgnr: string, at = clock.now().getTime()): Assembled | null {
    const answer = answers.get(orgnr, at)
    if (answer === null || at >= answer.validUntil) return null
    return answer.companies.some(tombstones.isErased) ? null : answer
  }

  /**
   * What can be told at once: the whole, or some of it that was cut before. Null says nothing. Synchronous, like `held`.
   *
   * @param fields null: all of it
   * @param at now, in epoch milliseconds, of whoever has asked the clock already
   */
  function atHand(orgnr: string, fields: readonly Field[] | null, at?: number): WholeAnswer | null {
    const whole = held(orgnr, at)
    return whole === null || fields === null ? whole : answers.part(whole, nameOf(fields))
  }

  /**
   * @param fersk the reader wants the sources asked, whatever is held
   */
  async function read(
    orgnr: Organisasjonsnummer,
    { fersk, ...who }: Caller & { fersk: boolean },
  ): Promise<CompanyReading> {
    return wished(orgnr, fersk, who, {
      anew: (turn) => put(orgnr, 'refresh', turn),
      held: (turn) => readyOrUnderway(orgnr) ?? joinOrBegin(orgnr, turn),
    })
  }

  /**
   * Some of a company, from the same copies: what is held whole is cut, else the sources these fields need are asked and no
   * other (P92).
   *
   * @param page of a section's list, which is then read whole
   */
  async function readPart(
    orgnr: Organisasjonsnummer,
    fields: readonly Field[],
    { fersk, page = null, ...who }: Caller & { fersk: boolean; page?: ListPage | null },
  ): Promise<CompanyReading<PartAnswer>> {
    const wanted = { fields, page, alone: page?.section ?? aloneIn(fields) }
    return wished<PartAnswer>(orgnr, fersk, who, {
      anew: (turn) => putPart(orgnr, wanted, 'refresh', turn),
      async held(turn) {
        const answer = wanted.alone === null ? await cutOfHeld(orgnr, fields, turn) : null
        if (answer !== null) return { outcome: 'record', answer, came: HELD, lacking: null }
        return whenAtHand(orgnr, turn, (from) => putPart(orgnr, wanted, 'normal', turn, from))
      },
    })
  }

  /** A long record is read to be cut, at 10 ms a megabyte; those who each want it cut otherwise let others in between. */
  async function cutOfHeld(
    orgnr: Organisasjonsnummer,
    fields: readonly Field[],
    { of }: Turn,
  ): Promise<WholeAnswer | null> {
    const whole = held(orgnr)
    if (whole === null) return null
    if (answers.part(whole, nameOf(fields)) !== null || !cutting.isOver()) return cut(orgnr, whole, fields)
    await cutting.next(of)
    const stillHeld = held(orgnr)
    return stillHeld && cut(orgnr, stillHeld, fields)
  }

  function cut(orgnr: Organisasjonsnummer, whole: Assembled, fields: readonly Field[]): WholeAnswer {
    const name = nameOf(fields)
    const known = answers.part(whole, name)
    if (known !== null) return known
    const sent = assemblePart(onlyFields(JSON.parse(whole.bytes.toString()), fields), whole)
    const part = { ...sent, bytes: keptBytes(sent.bytes) }
    answers.putPart(orgnr, whole, name, part)
    return part
  }

  async function wished<A extends WholeAnswer>(
    orgnr: Organisasjonsnummer,
    fersk: boolean,
    { caller, rank = RANK.single }: Caller,
    ways: Record<'anew' | 'held', (turn: Turn) => ReadingOutcome<A> | Promise<ReadingOutcome<A>>>,
  ): Promise<CompanyReading<A>> {
    // Before any reading that began earlier is joined, or a source asked: there is nothing to wait for.
    if (tombstones.isErased(orgnr)) return { ...removed(orgnr), forced: null }
    const held = async (forced: ForcedRefresh | null) => ({
      ...(await ways.held({ of: caller, rank })),
      forced,
    })
    const forced = fersk ? await refreshes.turn(orgnr, caller) : null
    if (forced !== 'gitt') return held(forced)
    const turn = { of: caller, rank: RANK.forced }
    const anew = await inTurn(turn, async () => ((await refreshes.take(orgnr)) ? ways.anew(turn) : null))
    if (anew === null) return held('nylig')
    if (anew.outcome !== 'crowded') return { ...anew, forced }
    // What is at hand needs no turn.
    const isAtHand = (await cache.whereHeld({ company: orgnr, section: 'enhet' })) !== null
    return isAtHand ? held('budsjett') : { ...anew, forced: 'budsjett' }
  }

  function readyOrUnderway(orgnr: Organisasjonsnummer): Promise<ReadingOutcome> | ReadingOutcome | null {
    const ready = held(orgnr)
    if (ready !== null) return { outcome: 'record', answer: ready, came: HELD, lacking: null }
    return underway.get(orgnr)?.().then(collapsed) ?? null
  }

  /** Once for all who are at their turn. */
  async function begin(
    orgnr: Organisasjonsnummer,
    turn: Turn,
    from: 'memory' | 'redis',
  ): Promise<ReadingOutcome> {
    const ready = readyOrUnderway(orgnr)
    if (ready !== null) return ready
    const reading = forAllWhoJoin(() =>
      put(orgnr, 'normal', turn, from).finally(() => underway.delete(orgnr)),
    )
    underway.set(orgnr, reading)
    return reading()
  }

  /** One caller waits for one company once, however often they ask: who comes meanwhile joins before anything is looked for. */
  async function joinOrBegin(orgnr: Organisasjonsnummer, turn: Turn): Promise<ReadingOutcome> {
    const name = `${turn.of} ${turn.rank} ${orgnr}`
    const waiting = comingTo.get(name)
    if (waiting !== undefined) return collapsed(await waiting())
    const reading = forAllWhoJoin(() =>
      whenAtHand(orgnr, turn, (from) => begin(orgnr, turn, from)).finally(() => comingTo.delete(name)),
    )
    comingTo.set(name, reading)
    return reading()
  }

  /** What is at hand waits for no turn. */
  async function whenAtHand<O>(
    orgnr: Organisasjonsnummer,
    turn: Turn,
    work: (from: 'memory' | 'redis') => Promise<O>,
  ): Promise<O | Crowded> {
    const from = await cache.whereHeld({ company: orgnr, section: 'enhet' })
    return from === null ? inTurn(turn, () => work('memory')) : work(from)
  }

  async function inTurn<O>(turn: Turn, work: () => Promise<O>): Promise<O | Crowded> {
    const done = await turns.runWithin(waitMs, turn, work)
    return done.hadTurn ? done.value : { outcome: 'crowded', isOwn: done.isOwn }
  }

  /** @param from where what is at hand was a moment ago: looking for it has taken it into memory */
  async function put(
    orgnr: Organisasjonsnummer,
    mode: 'normal' | 'refresh',
    turn: Turn,
    from: 'memory' | 'redis' = 'memory',
  ): Promise<ReadingOutcome> {
    if (tombstones.isErased(orgnr)) return removed(orgnr)
    const before = untold()
    const { reading, parts, isCurrent } = await ask(orgnr, mode, turn)
    // Since it began the company itself may have been erased.
    if (reading.outcome === 'removed' || tombstones.isErased(orgnr)) return removed(orgnr)
    if (reading.outcome !== 'record') return reading
    if (isOutOfDate(before, reading.record)) return put(orgnr, mode, turn, from)
    const now = clock.now().getTime()
    const answer = assemble(reading.record, parts, { now, lookAgainMs })
    // What has changed meanwhile serves whoever waits for it, and is not kept.
    const lacking = lackingIn(reading.record)
    const isStored = lacking === null && isCurrent() && areCurrent(parts)
    if (isStored) {
      if (answers.admits(orgnr, answer.bytes.length))
        answers.put(orgnr, answer, { knownAt: knownAt(parts, now) })
      sharedRecords.share(orgnr, answer, parts, reading.record)
    }
    return { outcome: 'record', answer, came: cameOf(parts, mode, isStored, from), lacking }
  }

  async function putPart(
    orgnr: Organisasjonsnummer,
    wanted: Wanted,
    mode: 'normal' | 'refresh',
    turn: Turn,
    from: 'memory' | 'redis' = 'memory',
  ): Promise<ReadingOutcome<PartAnswer>> {
    if (tombstones.isErased(orgnr)) return removed(orgnr)
    const before = untold()
    const { reading, parts, isCurrent } = await ask(orgnr, mode, turn, wanted)
    if (reading.outcome === 'removed' || tombstones.isErased(orgnr)) return removed(orgnr)
    if (reading.outcome !== 'record') return reading
    if (isOutOfDate(before, reading.record)) return putPart(orgnr, wanted, mode, turn, from)
    const record = onlyFields(reading.record, wanted.fields)
    const page = wanted.page && pageOf(record, wanted.page)
    const isStored = isCurrent() && areCurrent(parts)
    return {
      outcome: 'record',
      answer: { ...assemblePart(page ?? record, agesOf(parts)), ...(page && { neste: page.neste }) },
      came: cameOf(parts, mode, isStored, from),
      lacking: lackingIn(record),
    }
  }

  async function ask(
    orgnr: Organisasjonsnummer,
    mode: 'normal' | 'refresh',
    turn: Turn,
    wanted: Wanted | null = null,
  ) {
    const { sources, parts, isCurrent } = cached.forReader({ lane: 'front', mode, turn })
    const reading = await readRecord(orgnr, {
      sources,
      industryCodes,
      addresses,
      personIds,
      deadlineMs,
      onFault,
      ...(wanted && { questions: questionsFor(wanted.fields), alone: wanted.alone }),
    })
    return { reading, parts, isCurrent }
  }

  const untold = () => ({ erased: tombstones.asWord(), hidden: hidden() })

  /**
   * A part that came before a removal names the company, and holders that came before one was hidden name that one: made again, of what is
   * at hand by then, it is without them. The number of what it belongs to is the unit's own word and stays: made again for that, it would
   * be for as long as others are removed.
   */
  function isOutOfDate(before: ReturnType<typeof untold>, record: Bedrift): boolean {
    if (hidden() !== before.hidden) return true
    if (tombstones.asWord() === before.erased) return false
    return companiesIn(record).some(
      (each) =>
        each !== record.overordnetEnhet &&
        each.organisasjonsnummer !== null &&
        tombstones.isErased(each.organisasjonsnummer),
    )
  }

  function removed(orgnr: string): Removed {
    return { outcome: 'removed', slettedato: tombstones.slettedatoOf(orgnr) }
  }

  function areCurrent(parts: readonly ServedPart[]): boolean {
    const byCompany = Map.groupBy(parts, ({ company }) => company)
    return byCompany.entries().every(([company, some]) => {
      const entries = new Map<string, Entry>(some.map(({ source, served }) => [source, served.entry]))
      return cache.isCurrent(company, entries)
    })
  }

  /**
   * What came from memory may have been believed for being young, by a process that could not hear of changes just then: what is made of
   * it by one that hears again is no younger.
   */
  function knownAt(parts: readonly ServedPart[], now: number): number {
    const known = parts.flatMap(({ company, served: { how, entry } }) =>
      how === 'memory' || how === 'redis' ? [cache.knownAt(company, entry)] : [],
    )
    return Math.min(now, ...known)
  }

  function lookAgainMs(isStale: boolean, hasParent: boolean): number {
    if (isStale) return policy.lookAgainMs
    // A change of the parent reaches the parent's own copy; this answer repeats some of it.
    return hasParent ? policy.lookAgainAtParentMs : Number.POSITIVE_INFINITY
  }

  return {
    held,
    shared: sharedRecords.shared,
    atHand,
    read,
    readPart,
    /** How many wait for their turn. */
    waiting: turns.waiting,
  }
}

/** What a part is kept by. Most are of one field, which is not written anew. */
function nameOf(fields: readonly Field[]): string {
  const [only = ''] = fields
  return fields.length === 1 ? only : fields.join()
}

type Wanted = { fields: readonly Field[]; page: ListPage | null; alone: SectionName | null }

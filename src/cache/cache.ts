import { type Clock, systemClock } from '#src/core/clock.ts'
import { createLru } from '#src/core/lru.ts'
import type { Bus } from './bus.ts'
import { type Entry, isFresh, mayServeOnError, mayServeWhileRevalidating } from './entry.ts'
import { AnswerDoubtedError, CompanyErasedError, FillDeadlineError } from './errors.ts'
import { type OnCacheEvent, publishCacheEvent } from './events.ts'
import { createFill, type Filled, type Origin } from './fill.ts'
import { assertCompany, assertKey, type Key, type Subject } from './key.ts'
import { createLookup, type Looked, type Shared } from './lookup.ts'
import type { MemoryTier } from './memory-tier.ts'
import { isSameCopy, stampOf, unpack } from './packing.ts'
import type { SharedAnswer, SharedForm } from './redis-held.ts'
import type { RedisTier } from './redis-tier.ts'
import { createRefill } from './refill.ts'
import { findOnShelf } from './shelf.ts'
import { createSingleFlight } from './single-flight.ts'
import type { Tombstones } from './tombstones.ts'
import { createUpkeep } from './upkeep.ts'

export type Cache = ReturnType<typeof createCache>

export type CachePolicy = {
  /** How often a process looks whether the one that fills has finished. */
  leasePollMs: number
  /** Fills under way at once. */
  fillsMax: number
  /**
   * How long memory is believed while what other processes do can not be heard. Then it is served as stale. Null: there are
   * no other processes.
   */
  trustAloneMs: number | null
  /** What is dated so much later than now was written by a clock that is wrong: its times mean nothing (P56). */
  futureToleranceMs: number
  /** How often it is looked whether Redis was emptied. */
  emptiedEveryMs: number
  /** Sections given back to a Redis that lost them, and how many may wait for it. */
  refillPerSecond: number
  refillWaitingMax: number
  /** A section that is read while stale is reported once in this time. */
  staleNoticeMs: number
}

export type CacheRequest = Origin & {
  /** For the fill, should it be started here; it goes on without the reader. */
  deadlineMs: number
  /** This reader's own deadline and going away; ends the wait and nothing else. */
  signal?: AbortSignal
  /** Throws what the source is about to fail with again: then nobody waits for it, nor for another's fill. Not where it is to be asked. */
  heedRest?: () => void
  /** `refresh`: what is held will not do, the source is to be asked; a fill that is under way is joined. */
  mode?: 'normal' | 'refresh'
}

/**
 * - `memory`, `redis`: fresh, and where it was.
 * - `stale`: past its fresh time and inside its stale time, or no longer sure to be unchanged; a refresh was asked for.
 * - `miss`: this reader's fill fetched it. `collapsed`: another reader's did, in this process or in another.
 * - `stale-if-error`: the source failed with `error`, and this is the copy at hand.
 */
export type CacheResult =
  | { how: 'memory' | 'redis' | 'stale'; entry: Entry }
  | { how: 'miss' | 'collapsed'; entry: Entry; isStored: boolean }
  | { how: 'stale-if-error'; entry: Entry; error: unknown }

/**
 * The register answers that are at hand, and the rules for asking again: fresh ones are served; stale ones too, with a refresh
 * behind them; what is missing is fetched once over all readers and processes; and a source that fails is covered by the
 * copy at hand for as long as that may be shown.
 *
 * @param redis null: memory alone serves
 * @param bus null exactly when `redis` is
 * @param isOutage true for a failure of the source that the copy at hand may cover: 5xx, time-out, network, an answer that
 *   could not be believed. Never for something the source said.
 */
export function createCache({
  memory,
  redis,
  bus,
  schemaVersion,
  policy,
  tombstones,
  isOutage,
  retimed = (_section, entry) => entry,
  onEvent = publishCacheEvent,
  clock = systemClock,
  clockAheadMs = () => 0,
  random = Math.random,
}: {
  memory: MemoryTier
  redis: RedisTier | null
  bus: Bus | null
  schemaVersion: number
  policy: CachePolicy
  tombstones: Tombstones
  isOutage: (error: unknown) => boolean
  /** An entry with the times it has now, if they are not those it was kept with; the very entry otherwise. */
  retimed?: (section: string, entry: Entry) => Entry
  onEvent?: OnCacheEvent
  clock?: Clock
  /** How far that is ahead of what all go by, as far as is known. */
  clockAheadMs?: () => number
  random?: () => number
}) {
  const now = () => clock.now().getTime()
  const listeners = { stale: new Set<OnStale>(), change: new Set<OnChange>() }
  const onChange: OnChange = (subject) => {
    lookup.changed(subject)
    for (const listener of listeners.change) listener(subject)
  }
  const flights = createSingleFlight<Filled>({ flightsMax: policy.fillsMax })
  const refill =
    redis === null || bus === null
      ? null
      : createRefill({
          memory,
          redis,
          mayRestore: bus.hasHeardAllUntilLately,
          isErased: tombstones.isErased,
          now,
          perSecond: policy.refillPerSecond,
          waitingMax: policy.refillWaitingMax,
          onEvent,
        })
  const lookup = createLookup({
    memory,
    redis,
    tombstones,
    isTrusted,
    read,
    onRead: (company, inRedis) => refill?.compare(company, inRedis),
    clock,
  })
  // One that comes back empty after a lost connection is found out by that; one that is emptied as it runs says nothing.
  let heldAllAt = now()
  const watching = setInterval(() => {
    const askedAt = now()
    void redis?.wasEmptied().then((wasEmptied) => {
      if (wasEmptied) bus?.hasLost(heldAllAt)
      if (wasEmptied !== null) heldAllAt = askedAt
    })
  }, policy.emptiedEveryMs)
  watching.unref()
  const fills = createFill({
    memory,
    redis,
    tombstones,
    schemaVersion,
    read,
    leasePollMs: policy.leasePollMs,
    clock,
    isClockAhead: () => clockAheadMs() > policy.futureToleranceMs,
    random,
    onChange,
    onEvent,
  })
  const upkeep = createUpkeep({ memory, redis, bus, tombstones, now, onChange, letGo })
  const noticed = createLru<string, number>(NOTICED_MAX)
  /** What a retimed entry is kept as. */
  const keptAs = new WeakMap<Entry, Entry>()

  function read(section: string, packed: Buffer): Entry | null {
    const kept = unpack(packed, schemaVersion)
    if (kept === null || isFromFuture(kept.fetchedAt)) return null
    const entry = retimed(section, kept)
    if (entry !== kept) keptAs.set(entry, kept)
    return entry
  }

  /** Kept as it was read, and still understood so. */
  function isStill(section: string, entry: Entry, packed: Buffer): boolean {
    const kept = keptAs.get(entry) ?? entry
    return isSameCopy(packed, kept) && hasItsTimes(section, entry, kept)
  }

  function hasItsTimes(section: string, entry: Entry, kept: Entry): boolean {
    const { freshUntil, staleUntil } = retimed(section, kept)
    return freshUntil === entry.freshUntil && staleUntil === entry.staleUntil
  }

  /** True when what was known at `time` is still known: nothing that other processes did since can have been missed. */
  function isTrusted(time: number, at = now()): boolean {
    const { trustAloneMs } = policy
    if (isFromFuture(time, at)) return false
    if (trustAloneMs === null) return true
    return at - time < trustAloneMs || bus?.hasHeardAllSince(time, at, trustAloneMs) === true
  }

  function isFromFuture(time: number, at = now()): boolean {
    return time - at > policy.futureToleranceMs
  }

  /** Fills and reads that began before a change are joined by nobody who comes after it. */
  function letGo(subject: Subject): void {
    for (const underway of [flights, lookup]) {
      if ('company' in subject) underway.forget(subject.company)
      else underway.forgetAll(subject.prefix)
    }
  }

  function refuseErased(company: string): void {
    if (tombstones.isErased(company)) throw new CompanyErasedError()
  }

  /** What is held, when it will do without asking the source. */
  function serveHeld({ company, section }: Key, { entry, tier, isConfirmed }: Looked): CacheResult | null {
    if (entry === null) return null
    const fresh = isFresh(entry, now())
    if (fresh && isConfirmed) {
      onEvent({ kind: 'hit', tier, section })
      return { how: tier, entry }
    }
    // What may not be served stale may not be served unconfirmed either.
    if (fresh ? now() >= entry.staleUntil : !mayServeWhileRevalidating(entry, now())) return null
    onEvent({ kind: 'stale', section })
    noticeStale({ company, section })
    return { how: 'stale', entry }
  }

  function noticeStale(key: Key): void {
    const name = `${key.company}/${key.section}`
    const last = noticed.get(name)
    if (last !== undefined && Math.abs(now() - last) < policy.staleNoticeMs) return
    noticed.set(name, now())
    const isShared = redis?.isUsable() === true && redis.isTaking() && bus?.isListening() === true
    for (const listener of listeners.stale) listener(key, { isShared })
  }

  async function askSource(
    key: Key,
    request: CacheRequest,
    old: Entry | null,
    asksRedis = false,
  ): Promise<CacheResult> {
    const { section } = key
    const notBefore = request.mode === 'refresh' ? now() : null
    try {
      request.signal?.throwIfAborted()
      if (request.mode !== 'refresh') request.heedRest?.()
      const filling = fills.filling(key, request, { old, notBefore, asksRedis })
      const { value, isFirst } = await flights.join(key, request, filling)
      refuseErased(key.company)
      const { entry, isFromOtherProcess, isStored } = value
      if (isFirst && !isFromOtherProcess) return { how: 'miss', entry, isStored }
      onEvent({ kind: 'collapsed', within: isFirst ? 'processes' : 'process', section })
      return { how: 'collapsed', entry, isStored }
    } catch (error) {
      if (old === null || !mayCover(error) || !mayServeOnError(old, now())) throw error
      refuseErased(key.company)
      onEvent({ kind: 'stale-if-error', section })
      return { how: 'stale-if-error', entry: old, error }
    }
  }

  /** RFC 5861, 4: an error is a server error or no answer in time; here also an answer that was not believed. */
  function mayCover(error: unknown): boolean {
    if (error instanceof FillDeadlineError || error instanceof AnswerDoubtedError) return true
    return isOutageOfReader(error) || isOutage(error)
  }

  return {
    /**
     * One section of a company: from memory, else from Redis, else from its source.
     *
     * @throws CompanyErasedError when the company has been erased, also while it was being fetched
     * @throws FillDeadlineError, FillsExceededError, AnswerDoubtedError, `signal`'s reason, or what `fetch` failed with, when
     *   no copy at hand may be served instead
     */
    async getOrFetch(key: Key, request: CacheRequest): Promise<CacheResult> {
      assertKey(key)
      refuseErased(key.company)
      const inMemory = lookup.inMemory(key)
      // Who asks when the answer is due, since another source was waited for first, has what memory holds.
      if (inMemory === null) request.signal?.throwIfAborted()
      const looked = inMemory ?? (await lookup.look(key))
      refuseErased(key.company)
      const served = request.mode === 'refresh' ? null : serveHeld(key, looked)
      if (served !== null) return served
      return askSource(key, request, looked.entry, looked.isConfirmed)
    },

    /**
     * All that is held of a company, fresh or stale, in one question to Redis at most. Asks no source.
     *
     * @throws CompanyErasedError
     */
    async read(company: string): Promise<ReadonlyMap<string, Entry>> {
      assertCompany(company)
      refuseErased(company)
      const entries = await lookup.company(company)
      refuseErased(company)
      return entries
    },

    /**
     * Where a copy of it is at hand, fresh or not, or is never to be again; null: nowhere. Asks no source, and nobody twice: what
     * Redis has is in memory after this.
     */
    async whereHeld(key: Key): Promise<'memory' | 'redis' | null> {
      if (tombstones.isErased(key.company)) return 'memory'
      try {
        const { entry, tier } = lookup.inMemory(key) ?? (await lookup.look(key))
        const isFromRedis = lookup.wasJustRead(key.company)
        return entry === null ? null : isFromRedis ? 'redis' : tier
      } catch (error) {
        if (error instanceof CompanyErasedError) return 'memory'
        throw error
      }
    },

    /**
     * Whether there is anything to ask the shared tier for: it is there, and memory knows nothing of the company.
     *
     * @param lies who asks knows that an answer made of the very copies memory holds lies there
     */
    mayShare: (company: string, { lies = false } = {}): boolean =>
      redis?.isUsable() === true && !tombstones.isErased(company) && (lies || !lookup.isKnown(company)),

    /**
     * A whole answer that lies in Redis beside the copies it was made of, and is still true of them. Without an answer what
     * Redis holds of the company is in memory after this, and nobody need ask again.
     *
     * @param madeBy everything but the copies that an answer depends on: only who would make the same is given it
     * @param form preferred; where it does not lie there so it comes in gzip
     * @param begins the sections whoever asks will ask for next: where nothing is held, their fills are begun in the same step
     */
    async sharedAnswer(
      company: string,
      madeBy: string,
      form: SharedForm,
      begins: readonly string[] = [],
    ): Promise<Shared | null> {
      if (tombstones.isErased(company)) return null
      try {
        const found = await lookup.answer(company, madeBy, form, begins)
        return tombstones.isErased(company) ? null : found
      } catch (error) {
        if (error instanceof CompanyErasedError) return null
        throw error
      }
    },

    /**
     * Puts an answer beside the copies it was made of, for so long: those memory holds of these sections now (`isCurrent`), if
     * Redis holds the very same. Whatever changes one of them, in whatever process, takes the answer away.
     *
     * @returns keeps it, when it has been packed (gzip); null when it is not to be kept
     */
    sharing(
      company: string,
      sections: readonly string[],
      madeBy: string,
    ): ((gzip: SharedAnswer, keepForMs: number) => Promise<boolean>) | null {
      const held = memory.peek(company)
      if (redis === null || held === null || clockAheadMs() > policy.futureToleranceMs) return null
      const packed = sections.map((section) => findOnShelf(held.shelf, section))
      if (!packed.every((each) => each !== null)) return null
      const stamps = Buffer.concat(packed.map(stampOf))
      return (gzip, keepForMs) => redis.keepAnswer(company, gzip, { madeBy, sections, stamps, keepForMs })
    },

    /** Puts an answer that came in gzip there as it is, too: it is there for as long as the other is. */
    sharePlain: async (company: string, plain: SharedAnswer, beside: SharedAnswer): Promise<boolean> =>
      redis !== null && !tombstones.isErased(company) && redis.keepPlain(company, plain, beside),

    /** True when memory still holds exactly these copies: what was made of them is made of the newest there is. */
    isCurrent(company: string, entries: ReadonlyMap<string, Entry>): boolean {
      if (tombstones.isErased(company)) return false
      const isAllJustBrought =
        entries.size > 0 &&
        entries
          .entries()
          .every(
            ([section, entry]) =>
              memory.brought(company, section) === entry && hasItsTimes(section, entry, entry),
          )
      if (isAllJustBrought) return true
      const held = memory.peek(company)
      if (held === null) return false
      return entries
        .entries()
        .every(([section, entry]) => isStill(section, entry, findOnShelf(held.shelf, section) ?? NOTHING))
    },

    isTrusted,

    /** When this copy, which memory has, was last known to be what there is: what is made of it is known for no longer. */
    knownAt: (company: string, { fetchedAt }: Entry): number =>
      Math.max(fetchedAt, memory.peek(company)?.confirmedAt ?? 0),

    /** Asks for a refresh of what was served stale. */
    onStale(listener: OnStale): void {
      listeners.stale.add(listener)
    },

    /** Something of these companies is no longer what it was: drop what was made of it. */
    onChange(listener: OnChange): void {
      listeners.change.add(listener)
    },

    /** Over all processes: true when the name was free and is now taken for so long. Null: there is nobody to ask. */
    async claim(name: string, forMs: number): Promise<boolean | null> {
      return redis === null ? null : redis.claim(name, forMs)
    },

    /** Whether the tier the processes share can be asked now, and takes what it is told; null: there is none. */
    isShared: (): boolean | null => (redis === null ? null : redis.isUsable() && redis.isTaking()),
    isSharedWithin: async (ms: number): Promise<boolean> => (await redis?.isReady(ms)) ?? false,

    /** A few words the processes share beside what they hold. Null: there are none, or there is nobody to ask. */
    readNote: async (name: string): Promise<string | null> => redis?.readNote(name) ?? null,
    async writeNote(name: string, note: string, forMs: number, how?: { onlyFirst: boolean }): Promise<void> {
      await redis?.writeNote(name, note, forMs, how)
    },

    purge: upkeep.purge,
    invalidate: upkeep.invalidate,
    purgeAll: upkeep.purgeAll,
    erase: upkeep.erase,

    /** Whether all of it works: it can be asked, takes what it is told, and is heard. Null: there is none. */
    usesRedis: (): boolean | null =>
      redis === null ? null : redis.stats().isUsable && bus?.isListening() !== false,

    stats: () => ({
      memory: memory.stats(),
      redis: redis?.stats() ?? null,
      isListening: bus?.isListening() ?? null,
      fillsUnderway: flights.underway(),
    }),

    /** Waits until Redis has what it was given. */
    settled: fills.settled,

    /** Lets Redis have what it was given, then ends all connections. */
    async close(): Promise<void> {
      clearInterval(watching)
      await Promise.all([fills.settled(), refill?.close()])
      await Promise.all([bus?.close(), redis?.close()])
    },
  }
}

/** `isShared`: whoever refreshes it, in whatever process, the answer will reach this one. If not, only a refresh in this process helps. */
type OnStale = (key: Key, refresh: { isShared: boolean }) => void
type OnChange = (subject: Subject) => void

/** Sections whose staleness was reported lately; beyond it one is reported again, which is harmless. */
const NOTICED_MAX = 10_000
const NOTHING = Buffer.alloc(0)

/** AbortSignal.timeout: the reader has waited for as long as it can, which is the source's doing. */
function isOutageOfReader(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
}

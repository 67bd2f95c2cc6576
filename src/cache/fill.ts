import type { Clock } from '#src/core/clock.ts'
import { eventLoopNow, wasBusySince } from '#src/core/event-loop.ts'
import type { Lifetime } from '#src/core/lifetime.ts'
import { afterSending } from '#src/core/wait.ts'
import { createEntry, type Entry, type Fetched, isFresh, mayServeOnError } from './entry.ts'
import { AnswerDoubtedError, CompanyErasedError } from './errors.ts'
import type { OnCacheEvent, Refusal } from './events.ts'
import type { Key, Subject } from './key.ts'
import { keepRenewing, type Lease, seekLease } from './lease.ts'
import type { MemoryTier } from './memory-tier.ts'
import { fits, isSameCopy, pack } from './packing.ts'
import type { Begun } from './redis-held.ts'
import type { RedisTier } from './redis-tier.ts'
import type { Tombstones } from './tombstones.ts'

/** How one section is filled. Whoever asks knows the source; the cache knows when to ask it, and for how long to believe it. */
export type Origin = {
  /** Throws when the source could not be heard or believed: then nothing is stored. */
  fetch(signal: AbortSignal): Promise<Fetched>
  /** Told that another process' fill was waited for to the deadline, by a process that could hear of it, and has brought nothing. */
  awaitedInVain?(): void
  /** How long such an answer lives; null is never kept. */
  lifetimeOf(state: string): Lifetime | null
  /** False: this answer over that copy is more likely a fault of the source than the truth. It is not kept (P10). */
  mayReplace?(old: Entry, fetched: Fetched): boolean
  /**
   * Told that a fetch begins, with the copy at hand that readers could still be given, and then of what came, before it is kept
   * and before anybody is given it. Neither may fail, and the wait is bounded by whoever is told.
   */
  watch?(old: Entry | null): ((fetched: Fetched) => Promise<void>) | null
}

type FillOptions = { old: Entry | null; notBefore: number | null; asksRedis: boolean; signal: AbortSignal }

export type Filled = { entry: Entry; isFromOtherProcess: boolean; isStored: boolean }

/**
 * Fetches one section and keeps it, once over all processes. What comes back is kept only where nothing happened to the
 * company since the fill began: no erasure, purge or invalidation, in this process or in another.
 */
export function createFill({
  memory,
  redis,
  tombstones,
  schemaVersion,
  read,
  leasePollMs,
  clock,
  isClockAhead,
  random,
  onChange,
  onEvent,
}: {
  memory: MemoryTier
  redis: RedisTier | null
  tombstones: Tombstones
  schemaVersion: number
  /** A packed entry as it is to be understood now. */
  read: (section: string, packed: Buffer) => Entry | null
  leasePollMs: number
  clock: Clock
  /** This process' clock is known to be so far ahead that nobody else would believe what it dates (P56). */
  isClockAhead: () => boolean
  random: () => number
  onChange: (subject: Subject) => void
  onEvent: OnCacheEvent
}) {
  const writes = new Set<Promise<void>>()
  /** Fills under way, of each company. */
  const underWay = new Map<string, number>()
  const now = () => clock.now().getTime()

  function begins(company: string): void {
    underWay.set(company, (underWay.get(company) ?? 0) + 1)
  }

  /** Once nothing more of a company is waited for, what came is packed and sent: behind the backs of those who waited. */
  function ends(company: string): void {
    const left = (underWay.get(company) ?? 1) - 1
    if (left > 0) {
      underWay.set(company, left)
      return
    }
    underWay.delete(company)
    setImmediate(() => {
      memory.packBrought(company)
      redis?.writeNow(company)
    })
  }

  /** Readers do not wait for Redis to take it. */
  function later(work: Promise<void>): void {
    const write = work.finally(() => writes.delete(write))
    writes.add(write)
  }

  function refused(tier: 'memory' | 'redis', section: string, why: Refusal): void {
    onEvent({ kind: 'refused', tier, section, why })
  }

  async function writeToRedis(key: Key, entry: Entry, packed: () => Buffer, begun: Begun): Promise<void> {
    if (redis === null) return
    // The good copy that is there stays.
    if (isClockAhead()) return redis.release(key, begun)
    const { company, section } = key
    const written = await redis.write(key, packed, Math.max(1, entry.keepUntil - now()), begun)
    if (written === 'unreachable') return
    if (written === 'stored') {
      onEvent({ kind: 'stored', tier: 'redis', section })
      return
    }
    refused('redis', section, written)
    if (written === 'erased') tombstones.learned(company)
    // Something happened to the company that this process has not heard of yet.
    const here = memory.find(key)?.packed
    if (here !== null && here !== undefined && isSameCopy(here, entry)) {
      memory.forget(company, [section])
      onChange({ company })
    }
  }

  /** True when it is kept somewhere. */
  function store(key: Key, entry: Entry, mark: number, begun: Begun): boolean {
    const { company, section } = key
    if (!fits(entry)) {
      refused('memory', section, 'too-large')
      giveUp(key, begun)
      return false
    }
    const packed = once(() => pack(entry, schemaVersion))
    const written = memory.bring(key, entry, packed, mark)
    if (written === 'stored') onEvent({ kind: 'stored', tier: 'memory', section })
    else refused('memory', section, written)
    if (written === 'erased' || written === 'generation') {
      giveUp(key, begun)
      return false
    }
    onChange({ company })
    later(writeToRedis(key, entry, packed, begun))
    return written === 'stored' || begun.state === 'begun'
  }

  /** At once, so that another process need not wait for the lease to end before it tries; behind what others' fills are sending. */
  function giveUp(key: Key, begun: Begun): void {
    if (redis !== null) later(afterSending().then(() => redis.release(key, begun)))
  }

  async function fetchAndStore(
    key: Key,
    source: Origin,
    { old, mark, begun, signal }: { old: Entry | null; mark: number; begun: Begun; signal: AbortSignal },
  ): Promise<Filled> {
    const told = source.watch?.(old !== null && mayServeOnError(old, now()) ? old : null) ?? null
    const fetched = await source.fetch(signal)
    onEvent({ kind: 'fetched', section: key.section, oldAgeMs: old && Math.max(0, now() - old.fetchedAt) })
    if (old !== null && source.mayReplace?.(old, fetched) === false) {
      refused('memory', key.section, 'doubted')
      throw new AnswerDoubtedError(fetched.state)
    }
    const lifetime = source.lifetimeOf(fetched.state)
    const entry = createEntry(fetched, lifetime ?? NEVER_KEPT, now(), random)
    if (lifetime !== null) await told?.(fetched)
    // Too late: those who waited have been told so, and a newer fill may be under way.
    signal.throwIfAborted()
    if (lifetime !== null)
      return { entry, isFromOtherProcess: false, isStored: store(key, entry, mark, begun) }
    giveUp(key, begun)
    return { entry, isFromOtherProcess: false, isStored: false }
  }

  /** What another process brought, taken into memory as well. */
  function takeOver(key: Key, entry: Entry, packed: Buffer, mark: number): Filled {
    if (memory.write(key, packed, entry.keepUntil - now(), mark) === 'stored')
      onChange({ company: key.company })
    return { entry, isFromOtherProcess: true, isStored: true }
  }

  async function fill(key: Key, source: Origin, options: FillOptions): Promise<Filled> {
    onEvent({ kind: 'miss', section: key.section })
    begins(key.company)
    try {
      return await fillOne(key, source, options)
    } finally {
      ends(key.company)
    }
  }

  async function fillOne(
    key: Key,
    source: Origin,
    { old, notBefore, asksRedis, signal }: FillOptions,
  ): Promise<Filled> {
    const mark = memory.begin(key)
    const accept = (packed: Buffer) => {
      const entry = read(key.section, packed)
      if (entry === null || !isFresh(entry, now())) return null
      return notBefore === null || entry.fetchedAt >= notBefore ? entry : null
    }
    const since = eventLoopNow()
    const lease: Lease<Entry> =
      redis !== null && asksRedis
        ? await seekLease({ redis, key, accept, pollMs: leasePollMs, signal }).catch((error) => {
            if (signal.aborted && !wasBusySince(since)) source.awaitedInVain?.()
            throw error
          })
        : { state: 'alone' }
    if (lease.state === 'erased') {
      tombstones.learned(key.company)
      throw new CompanyErasedError()
    }
    if (lease.state === 'filled') return takeOver(key, lease.accepted, lease.packed, mark)
    const begun: Begun = lease.state === 'mine' ? lease.begun : { state: 'unreachable' }
    const letGo = redis === null ? () => {} : keepRenewing(redis, key, begun)
    try {
      return await fetchAndStore(key, source, { old, mark, begun, signal })
    } catch (error) {
      giveUp(key, begun)
      throw error
    } finally {
      letGo()
    }
  }

  return {
    /**
     * The fill of a section, to be begun by whoever finds that none is under way.
     *
     * @param old the copy at hand, however old
     * @param asksRedis whether the other processes are asked who fills; not where Redis was just seen not to answer
     * @param notBefore what another process fetched earlier than this will not do; null: anything fresh will
     * @throws CompanyErasedError, AnswerDoubtedError, `signal`'s reason, or what the source failed with
     */
    filling:
      (
        key: Key,
        source: Origin,
        known: Omit<FillOptions, 'signal'>,
      ): ((signal: AbortSignal) => Promise<Filled>) =>
      (signal) =>
        fill(key, source, { ...known, signal }),

    /** Waits until Redis has what it was given. */
    async settled(): Promise<void> {
      await Promise.all(writes)
    },
  }
}

/** For an answer that is passed on and not kept. */
const NEVER_KEPT: Lifetime = { freshMs: 0, staleMs: 0, keepMs: 0 }

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

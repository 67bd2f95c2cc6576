import type { Clock } from '#src/core/clock.ts'
import { createLru } from '#src/core/lru.ts'
import { type Entry, isGone } from './entry.ts'
import { CompanyErasedError } from './errors.ts'
import { createFence } from './fence.ts'
import type { Key, Subject } from './key.ts'
import type { MemoryTier } from './memory-tier.ts'
import type { RedisCompany, SharedAnswer, SharedForm } from './redis-held.ts'
import type { RedisTier } from './redis-tier.ts'
import { sectionsOf } from './shelf.ts'
import { createSingleFlight } from './single-flight.ts'
import type { Tombstones } from './tombstones.ts'

/** What is held of a section. Not confirmed: another process may have changed it, and Redis can not be asked. */
export type Looked = {
  readonly entry: Entry | null
  readonly tier: 'memory' | 'redis'
  readonly isConfirmed: boolean
}

/** An answer that was kept beside its entries. `at`: when it was asked for; `isStill`: nothing was heard of its company since. */
export type Shared = SharedAnswer & { readonly at: number; isStill(): boolean }

/**
 * Finds what is held, in memory and else in Redis. A company is read from Redis as a whole and by one reader at a time: its
 * sections are asked for together, and the first to ask brings the others.
 *
 * @param isTrusted whether what was known at that time is still known: nothing told since can have been missed
 */
export function createLookup({
  memory,
  redis,
  tombstones,
  isTrusted,
  read: readPacked,
  onRead,
  clock,
}: {
  memory: MemoryTier
  redis: RedisTier | null
  tombstones: Tombstones
  isTrusted: (time: number) => boolean
  /** A packed entry as it is to be understood now. */
  read: (section: string, packed: Buffer) => Entry | null
  /** Redis has told what it holds of a company, and memory has not yet taken it over. */
  onRead: (company: string, inRedis: RedisCompany) => void
  clock: Clock
}) {
  const loads = createSingleFlight<RedisCompany | null>({ flightsMax: Number.POSITIVE_INFINITY })
  const asks = createSingleFlight<Shared | null>({ flightsMax: Number.POSITIVE_INFINITY })
  const changes = createFence(CHANGES_REMEMBERED_MAX)
  /** Companies Redis was seen to hold nothing of, when, and the mark of that moment: who reads one now need not ask again. */
  const nowhere = createLru<string, { at: number; mark: number }>(NOWHERE_MAX)

  function read(section: string, packed: Buffer | null | undefined): Entry | null {
    if (packed === null || packed === undefined) return null
    const entry = readPacked(section, packed)
    return entry === null || isGone(entry, clock.now().getTime()) ? null : entry
  }

  /** What memory can say without asking anybody; null when Redis has to be asked. */
  function inMemory(key: Key): Looked | null {
    const found = memory.find(key)
    if (found === null) return isNowhere(key.company) ? NOT_HELD : null
    const { packed, held } = found
    if (packed === null) {
      return held.isWhole && isTrusted(held.confirmedAt) ? NOT_HELD : null
    }
    const entry = read(key.section, packed)
    if (entry === null || !isTrusted(Math.max(held.confirmedAt, entry.fetchedAt))) return null
    return { entry, tier: 'memory', isConfirmed: true }
  }

  /** Read for an answer that was not there: whoever now asks for the sections has them from Redis. */
  const justRead = createLru<string, true>(NOWHERE_MAX)

  function isNowhere(company: string): boolean {
    const seen = nowhere.get(company)
    if (seen === undefined) return false
    if (isTrusted(seen.at) && !changes.hasChanged(company, seen.mark)) return true
    nowhere.delete(company)
    return false
  }

  /** What Redis was seen to hold becomes what memory knows. @throws CompanyErasedError */
  function learn(company: string, inRedis: RedisCompany, asked: Asked): void {
    if (inRedis.isErased) {
      memory.erase(company)
      tombstones.learned(company)
      throw new CompanyErasedError()
    }
    onRead(company, inRedis)
    const { at, begun, mark } = asked
    memory.adopt(company, inRedis.sections, { generation: inRedis.generation, at, begun })
    if (inRedis.sections.size === 0) nowhere.set(company, { at, mark })
  }

  function asking(company: string): Asked {
    const begun = memory.begin({ company, section: 'all' })
    return { begun, mark: changes.mark(), at: clock.now().getTime() }
  }

  /** Reads a company from Redis into memory; null when Redis can not be asked. @throws CompanyErasedError */
  async function load(company: string): Promise<RedisCompany | null> {
    if (redis === null) return null
    const { value } = await loads.join({ company, section: 'all' }, BOUNDED, async () => {
      const asked = asking(company)
      const inRedis = await redis.readCompany(company)
      if (inRedis !== null) learn(company, inRedis, asked)
      return inRedis
    })
    return value
  }

  return {
    inMemory,

    /** Asked once: what memory has of it came from Redis for this very reading. */
    wasJustRead: (company: string): boolean => justRead.delete(company),

    /** Something of it is in memory, or it was just seen that nothing is anywhere. */
    isKnown: (company: string): boolean => memory.has(company) || isNowhere(company),

    /**
     * The whole answer another process, or this one, has put beside the entries. Without one, what Redis holds of the company is
     * in memory after this.
     *
     * @param begins the sections whose leases are taken in the same step if Redis holds nothing
     * @returns null: there is none, or Redis can not be asked
     * @throws CompanyErasedError
     */
    async answer(
      company: string,
      madeBy: string,
      form: SharedForm,
      begins: readonly string[],
    ): Promise<Shared | null> {
      if (redis === null) return null
      const { value } = await asks.join({ company, section: `${form} ${madeBy}` }, BOUNDED, async () => {
        const asked = asking(company)
        const found = await redis.readAnswer(company, madeBy, form, begins)
        if (found === null) return null
        if ('sections' in found) {
          learn(company, found, asked)
          justRead.set(company, true)
          return null
        }
        const { about, bytes } = found
        return { about, bytes, at: asked.at, isStill: () => !changes.hasChanged(company, asked.mark) }
      })
      return value?.isStill() ? value : null
    },

    /** Something of these companies is no longer what it was, whoever did it. */
    changed(subject: Subject): void {
      if ('company' in subject) changes.changed(subject.company)
      else changes.everythingChanged()
    },

    /** @throws CompanyErasedError when Redis has a tombstone for the company */
    async look(key: Key): Promise<Looked> {
      const inRedis = await load(key.company)
      const here = memory.find(key)?.packed ?? null
      const there = inRedis?.sections.get(key.section)
      // Memory has taken over what Redis said, unless it could not hold it.
      const tier = there === undefined || (here !== null && !here.equals(there)) ? 'memory' : 'redis'
      return { entry: read(key.section, here ?? there), tier, isConfirmed: inRedis !== null }
    },

    /** All that is held of a company. @throws CompanyErasedError */
    async company(company: string): Promise<ReadonlyMap<string, Entry>> {
      const held = memory.peek(company)
      const isKnown = held?.isWhole === true && isTrusted(held.confirmedAt)
      const inRedis = isKnown ? null : await load(company)
      const packed = new Map(inRedis?.sections)
      for (const [section, here] of sectionsOf(memory.peek(company)?.shelf ?? NOTHING))
        packed.set(section, here)
      const entries = new Map<string, Entry>()
      for (const [section, bytes] of packed) {
        const entry = read(section, bytes)
        if (entry !== null) entries.set(section, entry)
      }
      return entries
    },

    /** Nobody who asks from now on is told what is being read now. */
    forget(company: string): void {
      loads.forget(company)
      asks.forget(company)
    },
    forgetAll(prefix: string): void {
      loads.forgetAll(prefix)
      asks.forgetAll(prefix)
    },
  }
}

/** A question to Redis: what there was to be known of changes before it. */
type Asked = { begun: number; mark: number; at: number }

const NOT_HELD: Looked = { entry: null, tier: 'memory', isConfirmed: true }
/** Of the companies changed last: a question takes milliseconds. */
const CHANGES_REMEMBERED_MAX = 20_000
/** They are asked for within the same reading. */
const NOWHERE_MAX = 1000

/** The question itself is. */
const BOUNDED = { deadlineMs: null }
const NOTHING = Buffer.alloc(0)

import type { Clock } from '#src/core/clock.ts'
import { type Entry, isGone } from './entry.ts'
import { CompanyErasedError } from './errors.ts'
import type { Key } from './key.ts'
import type { MemoryTier } from './memory-tier.ts'
import type { RedisCompany, RedisTier } from './redis-tier.ts'
import { sectionsOf } from './shelf.ts'
import { createSingleFlight } from './single-flight.ts'
import type { Tombstones } from './tombstones.ts'

/** What is held of a section. Not confirmed: another process may have changed it, and Redis can not be asked. */
export type Looked = {
  readonly entry: Entry | null
  readonly tier: 'memory' | 'redis'
  readonly isConfirmed: boolean
}

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

  function read(section: string, packed: Buffer | null | undefined): Entry | null {
    if (packed === null || packed === undefined) return null
    const entry = readPacked(section, packed)
    return entry === null || isGone(entry, clock.now().getTime()) ? null : entry
  }

  /** What memory can say without asking anybody; null when Redis has to be asked. */
  function inMemory(key: Key): Looked | null {
    const found = memory.find(key)
    if (found === null) return null
    const { packed, held } = found
    if (packed === null) {
      return held.isWhole && isTrusted(held.confirmedAt)
        ? { entry: null, tier: 'memory', isConfirmed: true }
        : null
    }
    const entry = read(key.section, packed)
    if (entry === null || !isTrusted(Math.max(held.confirmedAt, entry.fetchedAt))) return null
    return { entry, tier: 'memory', isConfirmed: true }
  }

  /** Reads a company from Redis into memory; null when Redis can not be asked. @throws CompanyErasedError */
  async function load(company: string): Promise<RedisCompany | null> {
    if (redis === null) return null
    const { value } = await loads.join({ company, section: 'all' }, { deadlineMs: LOAD_MS_MAX }, async () => {
      const begun = memory.begin({ company, section: 'all' })
      const at = clock.now().getTime()
      const inRedis = await redis.readCompany(company)
      if (inRedis === null) return null
      if (inRedis.isErased) {
        memory.erase(company)
        tombstones.learned(company)
        throw new CompanyErasedError()
      }
      onRead(company, inRedis)
      memory.adopt(company, inRedis.sections, { generation: inRedis.generation, at, begun })
      return inRedis
    })
    return value
  }

  return {
    inMemory,

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
    forget: loads.forget,
    forgetAll: loads.forgetAll,
  }
}

/** Never the bound that counts: the question itself has a shorter one. */
const LOAD_MS_MAX = 10_000
const NOTHING = Buffer.alloc(0)

import { LRUCache } from 'lru-cache'
import { arenaBytes, createArena, type Place } from './arena.ts'
import type { Entry } from './entry.ts'
import { createFence } from './fence.ts'
import type { Key, Sections } from './key.ts'
import { isNewer, softened } from './packing.ts'
import { createShelf, findOnShelf, type Shelf, sectionsOf } from './shelf.ts'
import type { Tier, Written } from './tier.ts'

export type MemoryTier = ReturnType<typeof createMemoryTier>

/** How a write can end in a tier that is always there and has no leases. */
type WrittenHere = Exclude<Written, 'lease' | 'unreachable'>

/** What memory knows of one company. */
type Held = {
  readonly shelf: Shelf
  /** The company's generation in Redis when it was last read there; 0 when it never was. */
  readonly generation: number
  /** When Redis was last read for it; 0 when it never was. What other processes did since may not be known here. */
  readonly confirmedAt: number
  /** A section that is not here is not in Redis either. */
  readonly isWhole: boolean
}

/**
 * The tier in this process: bounded in bytes, whatever the number of companies, and synchronous. The bytes lie in memory of
 * the tier's own; the LRU knows the places.
 *
 * @param bytesMax of all companies, each with COMPANY_OVERHEAD_BYTES
 * @param companyBytesMax what a single company may take; a larger one is not kept here at all
 */
export function createMemoryTier({
  bytesMax,
  companyBytesMax,
  isErased,
  onEvicted = () => {},
}: {
  bytesMax: number
  companyBytesMax: number
  isErased: (company: string) => boolean
  onEvicted?: (bytes: number) => void
}) {
  const arena = createArena(bytesMax)
  const companies = new LRUCache<string, Place>({
    maxSize: bytesMax,
    dispose: (place, _company, reason) => {
      if (reason === 'evict') onEvicted(arena.read(place).length)
      arena.free(place)
    },
  })
  const fence = createFence(CHANGES_REMEMBERED_MAX)
  /** What was brought and is not packed yet, by company and section. */
  const unpacked = new Map<string, Map<string, Unpacked>>()
  let unpackedBytes = 0
  let packing: NodeJS.Timeout | undefined

  /** Whoever looks for a company finds what was brought of it. */
  function packNow(company: string): void {
    const brought = takeUnpacked(company)
    if (brought === null || isErased(company)) return
    const before = held(company, 'not as use')
    const sections = new Map(before === null ? [] : sectionsOf(before.shelf))
    for (const [section, { pack }] of brought) sections.set(section, pack())
    put(company, sections, before ?? NEVER_READ)
  }

  function packAll(): void {
    for (const company of [...unpacked.keys()]) packNow(company)
  }

  function takeUnpacked(company: string): ReadonlyMap<string, Unpacked> | null {
    const brought = unpacked.get(company) ?? null
    unpacked.delete(company)
    if (brought !== null) unpackedBytes -= mostBytes(brought)
    if (unpacked.size === 0) {
      clearTimeout(packing)
      packing = undefined
    }
    return brought
  }

  function held(company: string, counts: 'as use' | 'not as use'): Held | null {
    if (unpacked.has(company)) packNow(company)
    const place = counts === 'as use' ? companies.get(company) : companies.peek(company)
    return place === undefined ? null : readHeld(arena.read(place))
  }

  /** A company of which nothing is left is not held. False when it is too large to be. */
  function put(company: string, sections: ReadonlyMap<string, Buffer>, about: Omit<Held, 'shelf'>): boolean {
    // Its old bytes make room first: a full arena has none for both.
    companies.delete(company)
    if (sections.size === 0) return true
    const bytes = writeHeld({ ...about, shelf: createShelf(sections) })
    const size = arenaBytes(bytes.length) + COMPANY_OVERHEAD_BYTES
    if (size > companyBytesMax) return false
    while (companies.calculatedSize + size > bytesMax) companies.pop()
    companies.set(company, arena.put(bytes), { size })
    return true
  }

  /** Puts `each` of these sections in the section's place; null takes it away. */
  function change(company: string, sections: Sections, each: (packed: Buffer) => Buffer | null): boolean {
    const before = held(company, 'not as use')
    if (before === null) return false
    const changed = new Map<string, Buffer>()
    for (const [section, packed] of sectionsOf(before.shelf)) {
      const isMeant = sections === 'all' || sections.includes(section)
      const remains = isMeant ? each(packed) : packed
      if (remains !== null) changed.set(section, remains)
    }
    put(company, changed, before)
    return true
  }

  function write({ company, section }: Key, packed: Buffer, begun: number): WrittenHere {
    if (isErased(company)) return 'erased'
    if (fence.hasChanged(company, begun)) return 'generation'
    const before = held(company, 'not as use')
    const sections = new Map(before === null ? [] : sectionsOf(before.shelf))
    sections.set(section, packed)
    return put(company, sections, before ?? NEVER_READ) ? 'stored' : 'too-large'
  }

  function soften(company: string, sections: Sections, now: number): boolean {
    return change(company, sections, (packed) => softened(packed, now))
  }

  /** What is forgotten, or was not here, may be in Redis: the company is no longer known whole. */
  function forget(company: string, sections: Sections): boolean {
    const wasHeld = change(company, sections, () => null)
    const left = held(company, 'not as use')
    if (left?.isWhole) put(company, new Map(sectionsOf(left.shelf)), { ...left, isWhole: false })
    return wasHeld
  }

  return {
    read(company: string): ReadonlyMap<string, Buffer> | null {
      const found = held(company, 'as use')
      return found && new Map(sectionsOf(found.shelf))
    },

    /** Without counting as use. */
    has: (company: string): boolean => companies.has(company) || unpacked.has(company),

    /** One section, and what is known of its company. */
    find({ company, section }: Key): { packed: Buffer | null; held: Held } | null {
      const found = held(company, 'as use')
      return found && { packed: findOnShelf(found.shelf, section), held: found }
    },

    /** What is known of a company, without counting as use. */
    peek: (company: string): Held | null => held(company, 'not as use'),

    begin: (_key: Key): number => fence.mark(),

    write: (key: Key, packed: Buffer, _keepForMs: number, begun: number): WrittenHere =>
      write(key, packed, begun),

    /**
     * The same for an entry that whoever waits for it is to have first. Of a company that memory has nothing else of it is held
     * as it is, and packed when somebody looks for it, at `packBrought`, or a moment later; otherwise it is packed now.
     *
     * @param pack called once at most
     */
    bring(key: Key, entry: Entry, pack: () => Buffer, begun: number): WrittenHere {
      const { company, section } = key
      if (isErased(company)) return 'erased'
      if (fence.hasChanged(company, begun)) return 'generation'
      const brought = unpacked.get(company) ?? new Map<string, Unpacked>()
      const bytesMost = mostPacked(section, entry)
      const size = arenaBytes(HEAD_BYTES + mostBytes(brought) + bytesMost) + COMPANY_OVERHEAD_BYTES
      const isFit =
        size <= Math.min(companyBytesMax, bytesMax) && unpackedBytes + bytesMost <= UNPACKED_BYTES_MAX
      if (!isFit || brought.has(section) || companies.has(company)) return write(key, pack(), begun)
      unpacked.set(company, brought.set(section, { entry, pack, bytesMost }))
      unpackedBytes += bytesMost
      packing ??= setTimeout(packAll, PACK_WITHIN_MS).unref()
      return 'stored'
    },

    /** Nobody waits for anything more of the company. */
    packBrought: packNow,

    /** The very entry that was brought and is not packed yet; null: look for it. */
    brought: (company: string, section: string): Entry | null =>
      unpacked.get(company)?.get(section)?.entry ?? null,

    /**
     * Takes over what Redis holds of a company. What memory alone has stays, and what it has newer; unless the company's
     * generation has risen, which says that it was purged or invalidated by another process. A lower one says that Redis
     * has forgotten the company, not that anything happened to it.
     *
     * @param begun from before Redis was asked
     */
    adopt(
      company: string,
      inRedis: ReadonlyMap<string, Buffer>,
      { generation, at, begun }: { generation: number; at: number; begun: number },
    ): void {
      if (isErased(company) || fence.hasChanged(company, begun)) return
      const before = held(company, 'not as use')
      const isKept = before !== null && before.generation >= generation
      const sections = new Map(isKept ? sectionsOf(before.shelf) : [])
      for (const [section, packed] of inRedis) {
        const here = sections.get(section)
        if (here === undefined || !isNewer(here, packed)) sections.set(section, packed)
      }
      put(company, sections, {
        generation: Math.max(generation, isKept ? before.generation : 0),
        confirmedAt: at,
        isWhole: true,
      })
    },

    soften(company: string, sections: Sections, now: number): boolean {
      fence.changed(company)
      return soften(company, sections, now)
    },

    purge(company: string, sections: Sections): boolean {
      fence.changed(company)
      return forget(company, sections)
    },

    /** Like a purge, but a fill under way is as good as before. */
    forget,

    sweep(prefix: string, sections: Sections, how: 'soften' | 'purge', now: number): void {
      fence.everythingChanged()
      packAll()
      // From the oldest on, so that they stay in order of use.
      for (const company of [...companies.rkeys()]) {
        if (!company.startsWith(prefix)) continue
        if (how === 'soften') soften(company, sections, now)
        else forget(company, sections)
      }
    },

    erase(company: string): void {
      fence.changed(company)
      takeUnpacked(company)
      companies.delete(company)
    },

    stats() {
      packAll()
      return { companies: companies.size, bytes: companies.calculatedSize }
    },
  } satisfies Tier<number> & Record<string, unknown>
}

/** Of the companies changed last; a fill takes seconds, and the feeds bring some hundred changes in that time. */
const CHANGES_REMEMBERED_MAX = 20_000

/**
 * What one company costs beside its bytes: its name, its place in the LRU, and the slack of what the LRU is made of. With
 * 130,000 companies in steady exchange the heap was larger by about this much for each.
 */
export const COMPANY_OVERHEAD_BYTES = 400

/** `bytesMost`: what it takes on a shelf, packed, at most. */
type Unpacked = { readonly entry: Entry; readonly pack: () => Buffer; readonly bytesMost: number }

/** What deflate does not make shorter it makes longer by five bytes in 16 kB; the name, the lengths and the entry's head are 150. */
function mostPacked(section: string, { body }: Entry): number {
  return 200 + section.length + body.length + (body.length >> 8)
}

function mostBytes(brought: ReadonlyMap<string, Unpacked>): number {
  let bytes = 0
  for (const { bytesMost } of brought.values()) bytes += bytesMost
  return bytes
}

/** Some hundred companies, which are packed before as many more come. */
const UNPACKED_BYTES_MAX = 4 * 1024 * 1024
/** Sources that are slower than this by themselves have the others' answers packed meanwhile. */
const PACK_WITHIN_MS = 25

/** Brought by a fill of this process, and Redis not asked. */
const NEVER_READ = { generation: 0, confirmedAt: 0, isWhole: false }

/** Generation, confirmedAt and isWhole stand before the shelf. */
const HEAD_BYTES = 17

function writeHeld({ shelf, generation, confirmedAt, isWhole }: Held): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES)
  head.writeDoubleBE(generation, 0)
  head.writeDoubleBE(confirmedAt, 8)
  head.writeUInt8(isWhole ? 1 : 0, 16)
  return Buffer.concat([head, shelf])
}

function readHeld(bytes: Buffer): Held {
  return {
    generation: bytes.readDoubleBE(0),
    confirmedAt: bytes.readDoubleBE(8),
    isWhole: bytes.readUInt8(16) === 1,
    shelf: bytes.subarray(HEAD_BYTES),
  }
}

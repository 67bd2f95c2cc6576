import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { arenaBytes, createArena, type Place } from '#src/cache/arena.ts'
import { createEntry } from '#src/cache/entry.ts'
import { COMPANY_OVERHEAD_BYTES, createMemoryTier, type MemoryTier } from '#src/cache/memory-tier.ts'
import { pack, unpack } from '#src/cache/packing.ts'
import { eventually } from '#test/support/eventually.ts'
import { lasting } from './one-process.ts'

const T = Date.parse('2026-11-02T08:00:00Z')
const BYTES_MAX = 200_000

function entry(text: string, fetchedAt = T) {
  return pack(
    createEntry({ state: 'found', body: Buffer.from(text) }, lasting, fetchedAt, () => 0.5),
    1,
  )
}

describe('an arena', () => {
  it('gives back what was put in, whatever came and went in between, and never runs out before it is full', () => {
    const bytesMax = 20_000
    const sizes = fc.array(fc.nat({ max: 1500 }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(sizes, fc.infiniteStream(fc.nat()), (lengths, picks) => {
        const arena = createArena(bytesMax)
        const lying: { place: Place; bytes: Buffer }[] = []
        let used = 0
        for (const [index, length] of lengths.entries()) {
          while (used + arenaBytes(length) > bytesMax) {
            const [pick = 0] = picks.take(1)
            const [gone] = lying.splice(pick % lying.length, 1)
            if (gone === undefined) throw new Error('nothing lies here, yet it is full')
            used -= arenaBytes(gone.bytes.length)
            arena.free(gone.place)
          }
          const bytes = Buffer.alloc(length, index % 256)
          lying.push({ place: arena.put(bytes), bytes })
          used += arenaBytes(length)
          for (const { place, bytes } of lying) expect(arena.read(place)).toEqual(bytes)
        }
      }),
      { numRuns: 50 },
    )
  })

  it('says so when it is full', () => {
    const arena = createArena(1024)
    arena.put(Buffer.alloc(1000))
    expect(() => arena.put(Buffer.alloc(200))).toThrow(RangeError)
  })
})

describe('the memory tier', () => {
  let tier: MemoryTier
  let evicted: number[]
  beforeEach(() => {
    evicted = []
    tier = createMemoryTier({
      bytesMax: BYTES_MAX,
      companyBytesMax: BYTES_MAX / 4,
      isErased: () => false,
      onEvicted: (bytes) => void evicted.push(bytes),
    })
  })

  const key = (company: string, section = 'enhet') => ({ company, section })
  const write = (company: string, packed: Buffer, section = 'enhet') =>
    tier.write(key(company, section), packed, 1000, tier.begin(key(company, section)))

  it('is bounded in bytes, not in companies, and counts what a company costs beside its bytes', () => {
    const small = Buffer.concat([entry('x'), Buffer.alloc(10)])
    const large = Buffer.concat([entry('x'), Buffer.alloc(20_000)])
    for (let n = 0; n < 1000; n++) write(String(800_000_000 + n), small)
    const many = tier.stats()
    expect(many.bytes).toBeLessThanOrEqual(BYTES_MAX)
    expect(many.companies * COMPANY_OVERHEAD_BYTES).toBeLessThanOrEqual(many.bytes)
    expect(many.companies).toBeGreaterThan(200)
    for (let n = 0; n < 1000; n++) write(String(900_000_000 + n), large)
    const few = tier.stats()
    expect(few.bytes).toBeLessThanOrEqual(BYTES_MAX)
    expect(few.companies).toBe(9)
    expect(evicted).toHaveLength(2000 - few.companies)
  })

  it('lets go of what was used longest ago', () => {
    const half = Buffer.alloc(45_000)
    for (const company of ['800000001', '800000002', '800000003', '800000004']) write(company, half)
    tier.read('800000001')
    write('800000005', half)
    expect(tier.read('800000002')).toBeNull()
    expect(tier.read('800000001')?.get('enhet')).toEqual(half)
  })

  it('keeps the order of use through an invalidation of everything', () => {
    const half = Buffer.alloc(45_000)
    for (const company of ['800000001', '800000002', '800000003', '800000004']) write(company, half)
    tier.sweep('', 'all', 'soften', T)
    write('800000005', half)
    expect(tier.read('800000001')).toBeNull()
    expect(tier.read('800000004')).not.toBeNull()
  })

  it('does not let one company push out the others, and keeps no older copy of it either', () => {
    write('800000001', entry('a'))
    write('800000002', entry('b'))
    expect(write('800000001', Buffer.alloc(BYTES_MAX / 4))).toBe('too-large')
    expect(tier.read('800000001')).toBeNull()
    expect(tier.read('800000002')).not.toBeNull()
  })

  it('gives copies: what was read stays what it was', () => {
    write('800000001', entry('first'))
    const read = tier.read('800000001')?.get('enhet')
    write('800000001', entry('another'))
    write('800000002', entry('something else'))
    expect(read).toEqual(entry('first'))
  })

  describe('taking over what Redis holds', () => {
    const about = (generation: number) => ({ generation, at: T, begun: tier.begin(key('800000001')) })

    it('knows the company whole', () => {
      tier.adopt('800000001', new Map([['enhet', entry('a')]]), about(0))
      expect(tier.peek('800000001')).toMatchObject({ isWhole: true, confirmedAt: T, generation: 0 })
    })

    it('keeps what only memory has, and what memory has newer', () => {
      write('800000001', entry('newer', T + 1))
      write('800000001', entry('only here'), 'roller')
      tier.adopt('800000001', new Map([['enhet', entry('older')]]), about(0))
      expect(tier.read('800000001')).toEqual(
        new Map([
          ['enhet', entry('newer', T + 1)],
          ['roller', entry('only here')],
        ]),
      )
    })

    it('believes Redis over memory about the same fetch: it may have been made stale there', () => {
      write('800000001', entry('a'))
      const soft = Buffer.from(entry('a'))
      soft.writeUIntBE(T, 2, 6)
      tier.adopt('800000001', new Map([['enhet', soft]]), about(0))
      expect(tier.read('800000001')?.get('enhet')).toEqual(soft)
    })

    it('P11: keeps nothing of memory when the generation has risen', () => {
      tier.adopt('800000001', new Map([['roller', entry('a')]]), about(5))
      tier.adopt('800000001', new Map(), about(6))
      expect(tier.read('800000001')).toBeNull()
    })

    it('keeps what memory has when Redis has forgotten the company', () => {
      tier.adopt('800000001', new Map([['roller', entry('a')]]), about(5))
      tier.adopt('800000001', new Map(), about(0))
      expect(tier.peek('800000001')).toMatchObject({ generation: 5 })
      expect(tier.read('800000001')?.size).toBe(1)
    })

    it('P11: is refused when the company was purged after Redis was asked', () => {
      const before = about(0)
      tier.purge('800000001', 'all')
      tier.adopt('800000001', new Map([['enhet', entry('a')]]), before)
      expect(tier.read('800000001')).toBeNull()
    })

    it('no longer knows the company whole when another process has stored a section', () => {
      tier.adopt('800000001', new Map([['enhet', entry('a')]]), about(0))
      tier.forget('800000001', ['roller'])
      expect(tier.peek('800000001')).toMatchObject({ isWhole: false })
      expect(tier.read('800000001')?.size).toBe(1)
    })
  })

  describe('what is brought for somebody who waits for it', () => {
    let packed: string[]
    beforeEach(() => {
      packed = []
    })

    function bring(
      company: string,
      text: string,
      section = 'enhet',
      begun = tier.begin(key(company, section)),
    ) {
      const body = Buffer.from(text)
      const brought = createEntry({ state: 'found', body }, lasting, T, () => 0.5)
      const packing = () => {
        packed.push(section)
        return pack(brought, 1)
      }
      return { brought, written: tier.bring(key(company, section), brought, packing, begun) }
    }

    it('P144: is held from then on, and is packed when somebody looks for it', () => {
      const { brought, written } = bring('800000001', 'a')
      expect(written).toBe('stored')
      expect(bring('800000001', 'b', 'roller').written).toBe('stored')
      expect(tier.has('800000001')).toBe(true)
      expect(tier.brought('800000001', 'enhet')).toBe(brought)
      expect(packed).toEqual([])
      expect(tier.find(key('800000001'))?.packed).toEqual(entry('a'))
      expect(tier.read('800000001')?.get('roller')).toEqual(entry('b'))
      expect(packed).toEqual(['enhet', 'roller'])
      expect(tier.brought('800000001', 'enhet')).toBeNull()
    })

    it('P144: is packed when nothing more of its company is waited for, or else a moment later', async () => {
      bring('800000001', 'a')
      bring('800000002', 'b', 'roller')
      tier.packBrought('800000001')
      expect(packed).toEqual(['enhet'])
      expect(tier.brought('800000002', 'roller')).not.toBeNull()
      await eventually('it is packed', () => tier.brought('800000002', 'roller') === null)
      expect(packed).toEqual(['enhet', 'roller'])
      expect(tier.stats().companies).toBe(2)
    })

    it('P11: goes with its company, and is refused where something happened since the fill began', () => {
      const begun = tier.begin(key('800000001'))
      bring('800000001', 'a')
      tier.erase('800000001')
      expect(tier.read('800000001')).toBeNull()
      expect(packed).toEqual([])
      expect(bring('800000001', 'a', 'enhet', begun).written).toBe('generation')
      bring('800000002', 'a')
      tier.purge('800000002', 'all')
      expect(tier.read('800000002')).toBeNull()
      bring('800000003', 'a')
      tier.sweep('', 'all', 'purge', T)
      expect(tier.read('800000003')).toBeNull()
    })

    it('is made stale as what is packed is', () => {
      bring('800000001', 'a')
      bring('800000002', 'a')
      tier.soften('800000001', 'all', T)
      tier.sweep('800000002', 'all', 'soften', T)
      for (const company of ['800000001', '800000002'])
        expect(unpack(tier.read(company)?.get('enhet') ?? Buffer.alloc(0), 1)?.isSaidStale).toBe(true)
    })

    it('is packed at once beside what is held already, in place of what was brought, and where it may not fit', () => {
      write('800000001', entry('old'))
      bring('800000001', 'new')
      expect(packed).toEqual(['enhet'])
      expect(tier.read('800000001')?.get('enhet')).toEqual(entry('new'))
      bring('800000002', 'first', 'roller')
      bring('800000002', 'second', 'roller')
      expect(packed).toEqual(['enhet', 'roller', 'roller'])
      expect(tier.read('800000002')?.get('roller')).toEqual(entry('second'))
      // It packs to little.
      expect(bring('800000003', 'x'.repeat(BYTES_MAX / 2), 'prokura').written).toBe('stored')
      expect(packed.at(-1)).toBe('prokura')
      expect(tier.read('800000003')?.size).toBe(1)
    })

    it('is so much and no more, and keeps within what memory may take', () => {
      for (let n = 0; n < 2000; n++) bring(String(800_000_000 + n), 'x'.repeat(10_000))
      // The rest is waiting: a few megabytes.
      expect(packed.length).toBeGreaterThan(1000)
      expect(tier.stats().bytes).toBeLessThanOrEqual(BYTES_MAX)
      expect(packed).toHaveLength(2000)
    })
  })

  it('P11: refuses a fill older than what it remembers of changes', () => {
    const begun = tier.begin(key('800000001'))
    for (let n = 0; n < 20_001; n++) tier.purge(String(700_000_000 + n), 'all')
    expect(tier.write(key('800000001'), entry('a'), 1000, begun)).toBe('generation')
    expect(write('800000001', entry('a'))).toBe('stored')
  })
})

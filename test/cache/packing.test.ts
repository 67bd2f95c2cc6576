import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEntry, type Entry, mayServeOnError } from '#src/cache/entry.ts'
import {
  BODY_BYTES_MAX,
  fetchedAtOf,
  fits,
  isNewer,
  isSameCopy,
  keepUntilOf,
  pack,
  softened,
  timeBytes,
  unpack,
} from '#src/cache/packing.ts'
import { createShelf, findOnShelf, sectionsOf } from '#src/cache/shelf.ts'
import { sampleAnswers } from '#test/fixtures/samples/index.ts'
import { absent, lasting, notFound } from './one-process.ts'

const VERSION = 7
const time = fc.integer({ min: 0, max: 2 ** 48 - 1 })
const entries: fc.Arbitrary<Entry> = fc.record({
  body: fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes)),
  state: fc.stringMatching(/^[a-z][a-z0-9_-]{0,31}$/),
  fetchedAt: time,
  freshUntil: time,
  staleUntil: time,
  keepUntil: time,
  isSaidStale: fc.boolean(),
})

function sample(text = 'x'): Entry {
  return createEntry({ state: 'found', body: Buffer.from(text) }, lasting, 1_800_000_000_000, () => 0.5)
}

describe('a packed entry', () => {
  it('is the same entry when unpacked', () => {
    fc.assert(
      fc.property(entries, (entry) => {
        expect(unpack(pack(entry, VERSION), VERSION)).toEqual(entry)
      }),
    )
  })

  it('is nothing to another schema version', () => {
    expect(unpack(pack(sample(), VERSION), VERSION + 1)).toBeNull()
  })

  it('is nothing when it is cut off anywhere', () => {
    const bytes = pack(sample('a sentence that takes some bytes also when it is compressed'), VERSION)
    for (let length = 0; length < bytes.length; length++) {
      expect(unpack(bytes.subarray(0, length), VERSION)).toBeNull()
    }
  })

  it('is nothing, and no error, when any byte of its body is another', () => {
    const entry = sample('a sentence that takes some bytes also when it is compressed')
    const bytes = pack(entry, VERSION)
    fc.assert(
      fc.property(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = Buffer.from(bytes)
        damaged[at] = (damaged[at] ?? 0) ^ change
        const read = unpack(damaged, VERSION)
        if (read !== null) expect(read.body).toEqual(entry.body)
      }),
      { numRuns: 2000 },
    )
  })

  it('is never an error, whatever the bytes', () => {
    const start = Buffer.from([0, VERSION])
    const sound = pack(sample(), VERSION)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, looksRight) => {
        const garbage = looksRight ? Buffer.concat([start, bytes]) : Buffer.from(bytes)
        expect(unpack(garbage, VERSION)).toBeNull()
        expect(() => softened(garbage, 1)).not.toThrow()
        expect(() => [isNewer(garbage, sound), isNewer(sound, garbage)]).not.toThrow()
        expect(() => [fetchedAtOf(garbage), keepUntilOf(garbage)]).not.toThrow()
      }),
      { numRuns: 2000 },
    )
  })

  it('does not unpack to more than the bound, however small it is', () => {
    const bomb = pack({ ...sample(), body: Buffer.alloc(BODY_BYTES_MAX + 1) }, VERSION)
    expect(bomb.length).toBeLessThan(5000)
    expect(unpack(bomb, VERSION)).toBeNull()
    expect(fits({ ...sample(), body: Buffer.alloc(BODY_BYTES_MAX + 1) })).toBe(false)
    expect(
      unpack(pack({ ...sample(), body: Buffer.alloc(BODY_BYTES_MAX) }, VERSION), VERSION)?.body.length,
    ).toBe(BODY_BYTES_MAX)
  })

  it('can be made stale without being unpacked, and is never made fresher', () => {
    const entry = sample()
    const bytes = pack(entry, VERSION)
    const soft = softened(bytes, entry.fetchedAt + 5)
    expect(unpack(soft, VERSION)).toEqual({ ...entry, freshUntil: entry.fetchedAt + 5, isSaidStale: true })
    expect(softened(soft, entry.freshUntil)).toBe(soft)
    expect(unpack(bytes, VERSION)).toEqual(entry)
    expect(bytes.subarray(4, 10)).toEqual(timeBytes(entry.freshUntil))
  })

  it('P10: what is not found does not become servable by being made stale', () => {
    const entry = createEntry(notFound, absent, 1_800_000_000_000, () => 0.5)
    const soft = unpack(softened(pack(entry, VERSION), entry.fetchedAt + 5), VERSION)
    expect(soft && mayServeOnError(soft, entry.fetchedAt + 6)).toBe(false)
  })

  it('tells which copy is newer, and whether two are the same', () => {
    const older = sample()
    const newer = { ...older, fetchedAt: older.fetchedAt + 1 }
    expect(isNewer(pack(newer, VERSION), pack(older, VERSION))).toBe(true)
    expect(isNewer(pack(older, VERSION), pack(older, VERSION))).toBe(false)
    expect(isSameCopy(pack(older, VERSION), older)).toBe(true)
    expect(isSameCopy(pack(older, VERSION), newer)).toBe(false)
    expect(isSameCopy(softened(pack(older, VERSION), older.fetchedAt), older)).toBe(false)
    expect(isSameCopy(Buffer.alloc(0), older)).toBe(false)
  })
})

describe('the size of a packed entry', () => {
  const bodies = [...sampleAnswers().companies.values()].flatMap((company) =>
    Object.values(company).flatMap((answer) =>
      answer !== undefined && 'json' in answer ? [Buffer.from(JSON.stringify(answer.json))] : [],
    ),
  )
  const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0)

  it('is far below what it would be without the dictionary, and less than a quarter of the text', () => {
    const texts = sum(bodies.map((body) => body.length))
    const without = sum(bodies.map((body) => deflateRawSync(body).length))
    const packed = sum(bodies.map((body) => pack({ ...sample(), body }, VERSION).length))
    expect(bodies.length).toBeGreaterThan(50)
    expect(packed).toBeLessThan(without * 0.6)
    expect(packed).toBeLessThan(texts / 4)
  })
})

describe('a shelf', () => {
  it('gives back every section as it was put on', () => {
    const sections = fc.dictionary(
      fc.stringMatching(/^[a-z][a-z0-9-]{0,31}$/),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      { maxKeys: 12, noNullPrototype: true },
    )
    fc.assert(
      fc.property(sections, (record) => {
        const map = new Map(Object.entries(record))
        const shelf = createShelf(map)
        expect(new Map(sectionsOf(shelf))).toEqual(map)
        for (const [section, packed] of map) expect(findOnShelf(shelf, section)).toEqual(packed)
        expect(findOnShelf(shelf, 'another-one')).toBeNull()
      }),
    )
  })
})

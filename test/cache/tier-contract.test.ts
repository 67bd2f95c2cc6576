import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEntry } from '#src/cache/entry.ts'
import type { Key } from '#src/cache/key.ts'
import { createMemoryTier } from '#src/cache/memory-tier.ts'
import { pack, unpack } from '#src/cache/packing.ts'
import { createRedisTier } from '#src/cache/redis-tier.ts'
import type { Tier } from '#src/cache/tier.ts'
import { startRedis, type TestRedis } from '#test/support/redis.ts'
import { lasting, SCHEMA_VERSION } from './one-process.ts'

/** The contract is the same whatever a fill's beginning looks like: it is only handed on. */
type AnyTier = Omit<Tier<unknown>, 'write'> & Pick<Tier<never>, 'write'> & { close(): Promise<void> }

const T = Date.parse('2026-11-02T08:00:00Z')
let redis: TestRedis
let number = 900_000_000

beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis.close())

const tiers: Record<string, () => Promise<AnyTier>> = {
  async memory() {
    const erased = new Set<string>()
    const tier = createMemoryTier({
      bytesMax: 1e6,
      companyBytesMax: 1e5,
      isErased: (company) => erased.has(company),
    })
    return {
      ...tier,
      // In the cache the tombstone is recorded first.
      erase(company: string) {
        erased.add(company)
        tier.erase(company)
      },
      close: async () => {},
    }
  },
  async redis() {
    const tier = createRedisTier({
      url: redis.url,
      schemaVersion: SCHEMA_VERSION,
      answerMs: 2000,
      changeMs: 5000,
      leaseMs: 60_000,
      generationKeepMs: 60_000,
      failuresMax: 3,
      probeEveryMs: 1000,
      onEvent: () => {},
    })
    await tier.isReady(5000)
    return tier
  },
}

function entry(text: string, fetchedAt = T) {
  return pack(
    createEntry({ state: 'found', body: Buffer.from(text) }, lasting, fetchedAt, () => 0.5),
    SCHEMA_VERSION,
  )
}

/** Until when it is fresh, where that is because it was said to be stale. */
function saidStaleFrom(packed: Buffer | undefined): number | null {
  const entry = packed && unpack(packed, SCHEMA_VERSION)
  return entry?.isSaidStale ? entry.freshUntil : null
}

describe.each(Object.keys(tiers))('the %s tier', (name) => {
  let tier: AnyTier
  let company: string
  const key = (section: string): Key => ({ company, section })
  const fill = async (section: string, text: string) =>
    tier.write(key(section), entry(text), 60_000, (await tier.begin(key(section))) as never)

  beforeAll(async () => {
    tier = await (tiers[name] as () => Promise<AnyTier>)()
    return () => tier.close()
  })

  /** Nobody else's company. */
  function anotherCompany(): string {
    company = String(number++)
    return company
  }

  it('has nothing of a company that nothing was written of', async () => {
    expect(await tier.read(anotherCompany())).toBeNull()
  })

  it('gives back all sections of a company at once, as they were written', async () => {
    anotherCompany()
    expect(await fill('enhet', 'a')).toBe('stored')
    expect(await fill('roller', 'b')).toBe('stored')
    expect(await tier.read(company)).toEqual(
      new Map([
        ['enhet', entry('a')],
        ['roller', entry('b')],
      ]),
    )
  })

  it('replaces a section and leaves the others', async () => {
    anotherCompany()
    await fill('enhet', 'a')
    await fill('roller', 'b')
    await fill('enhet', 'c')
    const held = await tier.read(company)
    expect(held?.get('enhet')).toEqual(entry('c'))
    expect(held?.get('roller')).toEqual(entry('b'))
  })

  it('keeps the companies apart', async () => {
    const one = anotherCompany()
    await fill('enhet', 'one')
    anotherCompany()
    await fill('enhet', 'other')
    await tier.purge(company, 'all')
    expect((await tier.read(one))?.get('enhet')).toEqual(entry('one'))
  })

  it('makes some sections stale, or all, and none fresher', async () => {
    anotherCompany()
    await fill('enhet', 'a')
    await fill('roller', 'b')
    expect(await tier.soften(company, ['roller'], T + 10)).toBe(true)
    expect(saidStaleFrom((await tier.read(company))?.get('roller'))).toBe(T + 10)
    expect((await tier.read(company))?.get('enhet')).toEqual(entry('a'))
    expect(await tier.soften(company, 'all', T + 20)).toBe(true)
    expect(saidStaleFrom((await tier.read(company))?.get('enhet'))).toBe(T + 20)
    expect(saidStaleFrom((await tier.read(company))?.get('roller'))).toBe(T + 10)
  })

  it('P17: marks as said to be stale also what was stale already, and leaves its time', async () => {
    anotherCompany()
    await fill('enhet', 'a')
    const before = unpack(entry('a'), SCHEMA_VERSION)
    const later = (before?.freshUntil ?? 0) + 10
    await tier.soften(company, 'all', later)
    expect(saidStaleFrom((await tier.read(company))?.get('enhet'))).toBe(before?.freshUntil)
  })

  it('forgets some sections, or all', async () => {
    anotherCompany()
    await fill('enhet', 'a')
    await fill('roller', 'b')
    expect(await tier.purge(company, ['roller'])).toBe(true)
    expect([...((await tier.read(company)) ?? [])]).toEqual([['enhet', entry('a')]])
    expect(await tier.purge(company, 'all')).toBe(true)
    expect(await tier.read(company)).toBeNull()
  })

  it('says that nothing was held of a company it did not hold', async () => {
    anotherCompany()
    expect(await tier.soften(company, 'all', T)).toBe(false)
    expect(await tier.purge(company, 'all')).toBe(false)
  })

  it.each([
    ['an erasure', () => tier.erase(company)],
    ['a purge', () => tier.purge(company, 'all')],
    ['a purge of one section', () => tier.purge(company, ['enhet'])],
    ['an invalidation', () => tier.soften(company, 'all', T)],
    ['a purge of everything', () => tier.sweep('', 'all', 'purge', T)],
    ['an invalidation of everything', () => tier.sweep('', 'all', 'soften', T)],
  ])('P11: a fill that began before %s cannot write after', async (_name, change) => {
    anotherCompany()
    await fill('enhet', 'old')
    const begun = await tier.begin(key('enhet'))
    await change()
    expect(await tier.write(key('enhet'), entry('late'), 60_000, begun as never)).toMatch(
      /^(erased|generation|lease)$/,
    )
    expect((await tier.read(company))?.get('enhet')).not.toEqual(entry('late'))
  })

  it('P11: a fill that begins after a purge writes', async () => {
    anotherCompany()
    await fill('enhet', 'old')
    await tier.purge(company, 'all')
    expect(await fill('enhet', 'new')).toBe('stored')
    expect((await tier.read(company))?.get('enhet')).toEqual(entry('new'))
  })

  it('P11: an erased company is not written again', async () => {
    anotherCompany()
    await fill('enhet', 'a')
    await tier.erase(company)
    expect(await tier.read(company)).toBeNull()
    expect(await fill('enhet', 'b')).toMatch(/^(erased|unreachable)$/)
    await tier.purge(company, 'all')
    expect(await fill('enhet', 'c')).toMatch(/^(erased|unreachable)$/)
    expect(await tier.read(company)).toBeNull()
  })

  it('sweeps the companies whose names begin so, and no others', async () => {
    anotherCompany()
    await fill('enhet', 'a')
    await fill('roller', 'a')
    const kept = company
    company = 'sok-abc_DEF-1'
    await fill('sok', 'b')
    await tier.sweep('sok-', 'all', 'purge', T)
    expect(await tier.read(company)).toBeNull()
    expect((await tier.read(kept))?.size).toBe(2)
    await tier.sweep('', ['roller'], 'soften', T + 30)
    expect(saidStaleFrom((await tier.read(kept))?.get('roller'))).toBe(T + 30)
    expect((await tier.read(kept))?.get('enhet')).toEqual(entry('a'))
    await tier.sweep(kept.slice(0, 5), ['enhet'], 'purge', T)
    expect([...((await tier.read(kept)) ?? new Map()).keys()]).toEqual(['roller'])
  })
})

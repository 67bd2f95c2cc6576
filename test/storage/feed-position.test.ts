import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keepFeed, leaveFeed, moveFeed, takeFeed } from '#src/storage/feed-position.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'

let storage: TestDatabase

beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())

const AT = new Date('2026-10-20T22:01:00.123Z')
const HOUR = 3_600_000
const take = (feed: string, leaseMs = HOUR) => takeFeed(storage.database, feed, { holder: 'a test', leaseMs })
async function taken(feed: string, leaseMs?: number) {
  const got = await take(feed, leaseMs)
  if (got === null) throw new Error('expected to get the lease')
  return got
}

describe('the lease on a feed', () => {
  test('twenty who try at once: one gets it, and each feed has its own', async () => {
    const tries = await Promise.all(Array.from({ length: 20 }, () => take('enheter')))
    expect(tries.filter((got) => got !== null)).toHaveLength(1)
    expect(await take('roller')).not.toBeNull()
  })

  test('P16: is there for the next when its time is up, under a higher number', async () => {
    const first = await taken('utlopt', 1)
    let second: Awaited<ReturnType<typeof take>> = null
    await eventually('the lease runs out', async () => {
      second = await take('utlopt')
      return second !== null
    })
    expect(second).toMatchObject({ lease: { number: first.lease.number + 1 } })
    expect(await keepFeed(storage.database, first.lease, HOUR)).toBe(false)
  })

  test('P16: is there for the next when PostgreSQL’s clock was set back three days', async () => {
    const { lease } = await taken('stilt-tilbake', 3 * 24 * HOUR)
    expect(await take('stilt-tilbake')).not.toBeNull()
    expect(await keepFeed(storage.database, lease, HOUR)).toBe(false)
  })

  test('stays with who keeps it', async () => {
    const { lease } = await taken('holdt', 1)
    expect(await keepFeed(storage.database, lease, HOUR)).toBe(true)
    expect(await take('holdt')).toBeNull()
  })

  test('is free at once when it is left, but only by who has it', async () => {
    const first = await taken('forlatt')
    await leaveFeed(storage.database, first.lease)
    const second = await taken('forlatt')
    await leaveFeed(storage.database, first.lease)
    expect(await take('forlatt')).toBeNull()
    await leaveFeed(storage.database, second.lease)
    expect(await take('forlatt')).not.toBeNull()
  })
})

describe('the position in a feed', () => {
  test('is null before the first, then what was stored last', async () => {
    const first = await taken('posisjon')
    expect(first.position).toBeNull()
    expect(await moveFeed(storage.database, first.lease, null, { id: null, at: AT })).toBe(true)
    await leaveFeed(storage.database, first.lease)
    const second = await taken('posisjon')
    expect(second.position).toEqual({ id: null, at: AT })
    expect(await moveFeed(storage.database, second.lease, second.position, { id: '25107591', at: AT })).toBe(
      true,
    )
    await leaveFeed(storage.database, second.lease)
    expect((await taken('posisjon')).position).toEqual({ id: '25107591', at: AT })
  })

  test('P16: can not be moved by a follower whose lease somebody else has taken', async () => {
    const slow = await taken('gjerdet')
    await leaveFeed(storage.database, slow.lease)
    const next = await taken('gjerdet')
    expect(await moveFeed(storage.database, next.lease, null, { id: '20', at: AT })).toBe(true)
    expect(await moveFeed(storage.database, slow.lease, null, { id: '10', at: AT })).toBe(false)
    await leaveFeed(storage.database, next.lease)
    expect((await taken('gjerdet')).position).toEqual({ id: '20', at: AT })
  })
})

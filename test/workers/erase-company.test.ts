import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '#src/storage/database.ts'
import { buryCompanies, findErasure } from '#src/storage/tombstones.ts'
import { HOUR_MS } from '#test/support/clock.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { heldBytes } from '#test/support/held-bytes.ts'
import { type Eraser, ErasureUnfinishedError, eraseCompany } from '#workers/erase-company.ts'
import { sweepErasures } from '#workers/sweep-erasures.ts'
import { companies } from './following.ts'

let storage: TestDatabase
const [A = '', B = ''] = companies(2)
const AT = new Date('2026-10-19T22:01:00Z')

beforeAll(async () => {
  storage = await createTestDatabase()
})
beforeEach(() => storage.database.query('truncate fjernet'))
afterAll(() => storage.close())

/** A place that can be away, and counts. */
function place(name: string) {
  const erased: string[] = []
  const state = { isAway: false, tries: 0 }
  const eraser: Eraser = {
    name,
    async erase(company) {
      state.tries += 1
      if (state.isAway) throw new Error('away')
      erased.push(company)
    },
  }
  return { eraser, erased, state }
}
const bury = (...numbers: string[]) =>
  buryCompanies(
    storage.database,
    numbers.map((organisasjonsnummer) => ({ organisasjonsnummer, slettedato: null, at: AT })),
  )
const erase = (company: string, erasers: Eraser[], deadlineMs = 5000) =>
  eraseCompany(company, {
    database: storage.database,
    erasers,
    deadlineMs,
    signal: new AbortController().signal,
  })
const sweep = (erasers: Eraser[], pageSize = 100) =>
  sweepErasures({
    database: storage.database,
    erasers,
    pageSize,
    sweptAtOnce: 5,
    deadlineMs: 5000,
    signal: new AbortController().signal,
  })
const erasedFrom = async (company: string) =>
  (await findErasure(storage.database, company))?.erasedFrom.sort()

describe('P11: erasing a company', () => {
  test('goes to every place, and marks each when it is done', async () => {
    const [memory, redis] = [place('minne'), place('redis')]
    await bury(A)
    await erase(A, [memory.eraser, redis.eraser])
    expect([memory.erased, redis.erased]).toEqual([[A], [A]])
    expect(await erasedFrom(A)).toEqual(['minne', 'redis'])
  })

  test('a place that is away is tried again until it can; the others are not done twice', async () => {
    const [memory, redis] = [place('minne'), place('redis')]
    const both = [redis.eraser, memory.eraser]
    redis.state.isAway = true
    await bury(A)
    const failing = erase(A, both)
    await expect(failing).rejects.toThrow(ErasureUnfinishedError)
    await expect(failing).rejects.toMatchObject({ code: 'utvisking_ufullstendig', places: ['redis'] })
    await expect(sweep(both)).rejects.toThrow(ErasureUnfinishedError)
    expect(await erasedFrom(A)).toEqual(['minne'])
    redis.state.isAway = false
    await sweep(both)
    expect(await erasedFrom(A)).toEqual(['minne', 'redis'])
    await sweep(both)
    expect([memory.state.tries, redis.state.tries]).toEqual([1, 3])
  })

  test('a place that never answers is given up for now, and told so', async () => {
    const told: AbortSignal[] = []
    const hanging: Eraser = {
      name: 'redis',
      erase: (_, { signal }) => {
        told.push(signal)
        return new Promise(() => {})
      },
    }
    await bury(A)
    await expect(erase(A, [hanging], 20)).rejects.toMatchObject({ places: ['redis'] })
    expect(told[0]?.aborted).toBe(true)
    expect(await erasedFrom(A)).toEqual([])
  })

  test('P11: attack: of thousands that were erased nothing is held until each would have been given up', async () => {
    const places = Array.from(
      { length: 10_000 },
      (_, each): Eraser => ({ name: `${each}`, async erase() {} }),
    )
    const row = { organisasjonsnummer: A, nummer: '1', utvisket_fra: [] }
    const database = { ...storage.database, query: async () => [row] } as unknown as Database
    const eraseAll = () =>
      eraseCompany(A, {
        database,
        erasers: places,
        deadlineMs: HOUR_MS,
        signal: new AbortController().signal,
      })
    const before = heldBytes()
    for (let times = 0; times < 3; times += 1) await eraseAll()
    // What hangs on what is gone goes in a later turn.
    await eventually('what they were given is gone', () => heldBytes() - before < 5_000_000)
  })

  test('a company that was never removed is left alone', async () => {
    const memory = place('minne')
    await erase(A, [memory.eraser])
    expect(memory.state.tries).toBe(0)
  })

  test('twice at once does no harm', async () => {
    const memory = place('minne')
    await bury(A)
    await Promise.all([erase(A, [memory.eraser]), erase(A, [memory.eraser])])
    expect(await erasedFrom(A)).toEqual(['minne'])
  })
})

describe('P11: the sweep', () => {
  test('does all that is left, page by page, and what a new place has not seen', async () => {
    const [memory, shares] = [place('minne'), place('aksjonarer')]
    const numbers = companies(25)
    await bury(...numbers)
    await sweep([memory.eraser], 10)
    expect(memory.erased.sort()).toEqual([...numbers].sort())
    await sweep([memory.eraser, shares.eraser], 10)
    expect(shares.erased.sort()).toEqual([...numbers].sort())
    expect(memory.state.tries).toBe(25)
  })

  test('does some of them side by side, as what one waits for may be done for all', async () => {
    const begun: string[] = []
    const allOfSome = Promise.withResolvers<void>()
    const together: Eraser = {
      name: 'minne',
      async erase(company) {
        if (begun.push(company) === 5) allOfSome.resolve()
        await allOfSome.promise
      },
    }
    await bury(...companies(12))
    await sweep([together])
    expect(begun).toHaveLength(12)
  })

  test('one company that can not be erased does not keep the others', async () => {
    const erased: string[] = []
    const picky: Eraser = {
      name: 'minne',
      async erase(company) {
        if (company === A) throw new Error('not this one')
        erased.push(company)
      },
    }
    await bury(A)
    await bury(B)
    await expect(sweep([picky])).rejects.toThrow(ErasureUnfinishedError)
    expect(erased).toEqual([B])
  })

  test('P11: attack: with one place away for long all that are removed meanwhile are erased from the others', async () => {
    const [memory, queue] = [place('minne'), place('ko')]
    queue.state.isAway = true
    const numbers = companies(50)
    await bury(...numbers)
    await expect(sweep([queue.eraser, memory.eraser], 10)).rejects.toThrow(ErasureUnfinishedError)
    expect(memory.erased.sort()).toEqual([...numbers].sort())
    expect(queue.state.tries).toBeLessThan(10)
    queue.state.isAway = false
    await sweep([queue.eraser, memory.eraser], 10)
    expect(queue.erased.sort()).toEqual([...numbers].sort())
    expect(memory.state.tries).toBe(50)
  })

  test('a place that is away is not asked for every company there is', async () => {
    const redis = place('redis')
    redis.state.isAway = true
    await bury(...companies(50))
    await expect(sweep([redis.eraser])).rejects.toThrow(ErasureUnfinishedError)
    expect(redis.state.tries).toBeLessThan(10)
  })
})

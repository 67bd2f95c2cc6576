import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buryCompanies } from '#src/storage/tombstones.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { COPIES_PLACE, createCopiesSweep } from '#workers/erased-copies.ts'
import { sweepErasures } from '#workers/sweep-erasures.ts'
import { companies } from './following.ts'

const [BEFORE = '', LATE = '', LATER = ''] = companies(3)
const { signal } = new AbortController()
let storage: TestDatabase

beforeAll(async () => {
  storage = await createTestDatabase()
})
beforeEach(() => storage.database.query('truncate fjernet'))
afterAll(() => storage.close())

const bury = (...numbers: string[]) =>
  buryCompanies(
    storage.database,
    numbers.map((organisasjonsnummer) => ({ organisasjonsnummer, slettedato: null, at: new Date() })),
  )

/** Copies with notes beside them, as Redis has them: both go back together. */
function sharedCopies(...held: string[]) {
  let now = { held: new Set(held), notes: new Map<string, string>() }
  const copy = () => ({ held: new Set(now.held), notes: new Map(now.notes) })
  const erased: string[] = []
  return {
    erased,
    holds: () => [...now.held],
    /** @returns what takes all of it back to this moment */
    snapshot() {
      const then = copy()
      return () => {
        now = { held: new Set(then.held), notes: new Map(then.notes) }
      }
    },
    isEmptied() {
      now = { held: new Set(), notes: new Map() }
    },
    notes: {
      read: async (name: string) => now.notes.get(name) ?? null,
      async write(name: string, note: string, { onlyFirst }: { onlyFirst: boolean }) {
        if (!(onlyFirst && now.notes.has(name))) now.notes.set(name, note)
      },
    },
    eraser: {
      name: COPIES_PLACE,
      async erase(company: string) {
        erased.push(company)
        now.held.delete(company)
      },
    },
  }
}

describe('P11: attack: the shared copies are those of an earlier moment again', () => {
  const told: unknown[] = []
  afterEach(() => told.splice(0))

  function sweeperOf(
    copies: ReturnType<typeof sharedCopies>,
    others: { name: string; erase(): never }[] = [],
  ) {
    const log = { warn: (what: unknown) => told.push(what) } as never
    const { database } = storage
    return createCopiesSweep({ database, notes: copies.notes, log }, (signal) =>
      sweepErasures({
        database,
        erasers: [copies.eraser, ...others],
        pageSize: 10,
        sweptAtOnce: 5,
        deadlineMs: 5000,
        signal,
      }),
    )
  }

  test('who was erased meanwhile is erased from them again, and told of', async () => {
    const copies = sharedCopies(BEFORE, LATE, LATER)
    const sweep = sweeperOf(copies)
    await bury(BEFORE)
    await sweep(signal)
    const goBack = copies.snapshot()
    await bury(LATE)
    await sweep(signal)
    await bury(LATER)
    await sweep(signal)
    expect(copies.holds()).toEqual([])
    goBack()
    expect(copies.holds()).toEqual([LATE, LATER])
    await sweep(signal)
    expect(copies.holds()).toEqual([])
    expect(told).toEqual([{ count: 2 }])
    const erasedByNow = copies.erased.length
    await sweep(signal)
    expect(copies.erased).toHaveLength(erasedByNow)
    expect(copies.erased.filter((company) => company === BEFORE)).toHaveLength(1)
  })

  test('from before the first removal there was', async () => {
    const copies = sharedCopies(LATE)
    await sweeperOf(copies)(signal)
    const goBack = copies.snapshot()
    await bury(LATE)
    await sweeperOf(copies)(signal)
    goBack()
    await sweeperOf(copies)(signal)
    expect(copies.holds()).toEqual([])
  })

  test('erased since they were last noted, by whoever worked off the queue', async () => {
    const copies = sharedCopies(LATE)
    const sweep = sweeperOf(copies)
    await sweep(signal)
    const goBack = copies.snapshot()
    await bury(LATE)
    await sweepErasures({
      database: storage.database,
      erasers: [copies.eraser],
      pageSize: 10,
      sweptAtOnce: 5,
      deadlineMs: 5000,
      signal,
    })
    goBack()
    await sweep(signal)
    expect(copies.holds()).toEqual([])
  })

  test('while another place can not be erased; that one is not the reason to erase them at each sweep', async () => {
    const copies = sharedCopies(LATE)
    const away = {
      name: 'borte',
      erase: () => {
        throw new Error('away')
      },
    }
    const sweep = sweeperOf(copies, [away])
    await sweep(signal)
    const goBack = copies.snapshot()
    await bury(LATE)
    for (let times = 0; times < 3; times++) await expect(sweep(signal)).rejects.toThrow()
    expect(copies.erased).toEqual([LATE])
    goBack()
    await expect(sweep(signal)).rejects.toThrow()
    expect(copies.holds()).toEqual([])
  })

  test('emptied ones have nothing to be erased, and are noted anew', async () => {
    const copies = sharedCopies(LATE)
    const sweep = sweeperOf(copies)
    await bury(LATE)
    await sweep(signal)
    copies.isEmptied()
    await sweep(signal)
    expect(copies.erased).toEqual([LATE])
    expect(await copies.notes.read('fjernet')).not.toBeNull()
  })
})

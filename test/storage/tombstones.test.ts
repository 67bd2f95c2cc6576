import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  buryCompanies,
  findErasure,
  listTombstonesSince,
  markErased,
  unfinishedErasures,
} from '#src/storage/tombstones.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'

let storage: TestDatabase

beforeAll(async () => {
  storage = await createTestDatabase()
})
beforeEach(() => storage.database.query('truncate fjernet'))
afterAll(() => storage.close())

const MONDAY = new Date('2026-10-19T22:01:00Z')
const TUESDAY = new Date('2026-10-20T22:01:00Z')
const A = '111111111'
const B = '222222222'
const bury = (organisasjonsnummer: string, at = MONDAY, slettedato: string | null = null) =>
  buryCompanies(storage.database, [{ organisasjonsnummer, slettedato, at }])
const all = (limit = 100) => listTombstonesSince(storage.database, 0, limit)
const unfinished = (places: string[]) => unfinishedErasures(storage.database, places, { limit: 100 })
async function erasure(organisasjonsnummer: string) {
  const found = await findErasure(storage.database, organisasjonsnummer)
  if (found === null) throw new Error('expected an erasure')
  return found
}

describe('removed companies', () => {
  test('are remembered, each once, in the order they were removed', async () => {
    await buryCompanies(storage.database, [
      { organisasjonsnummer: A, slettedato: null, at: MONDAY },
      { organisasjonsnummer: A, slettedato: '2026-10-01', at: MONDAY },
    ])
    await bury(B)
    const [first, second] = await all()
    expect(first).toEqual({
      organisasjonsnummer: A,
      slettedato: '2026-10-01',
      at: MONDAY,
      number: expect.any(Number),
    })
    expect(second?.organisasjonsnummer).toBe(B)
    expect(await listTombstonesSince(storage.database, first?.number ?? 0, 10)).toEqual([second])
    expect(await all(1)).toEqual([first])
  })

  test('an empty list is nothing to do', async () => {
    await buryCompanies(storage.database, [])
    expect(await all()).toEqual([])
  })

  test('told of again they stay as they are, but a date that was missing is added', async () => {
    await bury(A)
    await markErased(storage.database, await erasure(A), 'minne')
    const before = await erasure(A)
    await bury(A, MONDAY, '2026-10-01')
    await bury(A, MONDAY)
    expect(await erasure(A)).toEqual(before)
    expect((await all())[0]?.slettedato).toBe('2026-10-01')
  })

  test('P11: removed anew they are to be erased anew, and everybody who lists them is told again', async () => {
    await bury(A)
    const first = await erasure(A)
    await markErased(storage.database, first, 'minne')
    await bury(A, TUESDAY)
    expect(await unfinished(['minne'])).toHaveLength(1)
    expect(await listTombstonesSince(storage.database, first.number, 10)).toHaveLength(1)
    // Whoever was still busy with the first removal has not done the second.
    await markErased(storage.database, first, 'minne')
    expect(await unfinished(['minne'])).toHaveLength(1)
  })

  test('P11: are unfinished until every place is done, also a place that came later', async () => {
    await bury(A)
    await bury(B)
    await markErased(storage.database, await erasure(A), 'minne')
    await markErased(storage.database, await erasure(A), 'minne')
    expect((await unfinished(['minne'])).map((left) => left.organisasjonsnummer)).toEqual([B])
    await markErased(storage.database, await erasure(A), 'redis')
    await markErased(storage.database, await erasure(B), 'minne')
    await markErased(storage.database, await erasure(B), 'redis')
    expect(await unfinished(['redis', 'minne'])).toEqual([])
    expect((await erasure(A)).erasedFrom).toEqual(['minne', 'redis'])
    expect(await unfinished(['redis', 'minne', 'aksjonarer'])).toHaveLength(2)
  })

  test('one whose burial takes long does not come to light below another that was listed before', async () => {
    const hold = Promise.withResolvers<void>()
    const slow = buryCompanies(
      {
        transaction: (work) =>
          storage.database.transaction(async (connection) => {
            const result = await work(connection)
            await hold.promise
            return result
          }),
      },
      [{ organisasjonsnummer: A, slettedato: null, at: MONDAY }],
    )
    const waiting = () => storage.database.query('select from pg_locks where not granted')
    const holding = () =>
      storage.database.query(`select from pg_locks where mode = 'ShareRowExclusiveLock' and granted`)
    await eventually('the first is at it', async () => (await holding()).length > 0)
    let isDone = false
    const quick = bury(B).then(() => {
      isDone = true
    })
    await eventually('the second waits', async () => isDone || (await waiting()).length > 0)
    const seen = await all()
    hold.resolve()
    await Promise.all([slow, quick])
    const rest = await listTombstonesSince(storage.database, seen.at(-1)?.number ?? 0, 10)
    expect([...seen, ...rest].map(({ organisasjonsnummer }) => organisasjonsnummer)).toEqual([A, B])
  })

  test('nobody who lists them while others are being removed ever misses one', async () => {
    const seen = new Set<string>()
    let last = 0
    const list = async () => {
      for (const { organisasjonsnummer, number } of await listTombstonesSince(storage.database, last, 1000)) {
        seen.add(organisasjonsnummer)
        last = number
      }
    }
    let isBurying = true
    const listing = (async () => {
      while (isBurying) await list()
    })()
    const numbers = Array.from({ length: 100 }, (_, index) => String(500_000_000 + index))
    await Promise.all(numbers.map((organisasjonsnummer) => bury(organisasjonsnummer)))
    isBurying = false
    await listing
    await list()
    expect([...seen].sort()).toEqual(numbers)
  })
})

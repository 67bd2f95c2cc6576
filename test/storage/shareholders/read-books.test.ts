import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PackedHolder } from '#src/storage/shareholders/hidden-holders.ts'
import { readBooks } from '#src/storage/shareholders/read-books.ts'
import { DeliveryReplacedError, readDeliveries } from '#src/storage/shareholders/read-deliveries.ts'
import { readHolderPage } from '#src/storage/shareholders/read-holder-page.ts'
import { readOwnershipBooks, readOwnershipEdges } from '#src/storage/shareholders/read-ownership-rows.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { loadYear, publishYear, putYear } from '#test/support/share-books.ts'

const COMPANY = 907_000_001
const OWNER = 907_000_002
const GIANT = 907_000_003

const person = (n: string, f: number, shares: number): PackedHolder => ({ n, f, l: 'NO', a: [[0, shares]] })
const company = (o: number, shares: number): PackedHolder => ({
  n: `FORETAK ${o}`,
  o,
  l: 'NO',
  a: [[0, shares]],
})
const crowd = Array.from({ length: 1900 }, (_, index) => person(`NR ${index + 1}`, 1950, 5000 - index))

let storage: TestDatabase
let first: number
let second: number
const current = async () =>
  (await readDeliveries(storage.database)).filter(({ isCurrent }) => isCurrent).map(({ id }) => id)

beforeAll(async () => {
  storage = await createTestDatabase()
  first = await putYear(storage.database, {
    aar: 2023,
    books: [{ orgnr: COMPANY, holders: [person('KARI NORDMANN', 1970, 100)] }],
  })
  second = await putYear(storage.database, {
    aar: 2024,
    uttrekksdato: '2025-05-07',
    books: [
      {
        orgnr: COMPANY,
        navn: 'LYNGHEI AS',
        klasser: ['A', 'B'],
        totalt: null,
        holders: [
          company(OWNER, 60),
          {
            ...person('KARI NORDMANN', 1970, 0),
            a: [
              [0, 10],
              [1, 30],
            ],
          },
        ],
      },
      { orgnr: OWNER, holders: [{ a: [[0, 3]] }] },
      { orgnr: GIANT, holders: crowd },
    ],
  })
})
afterAll(() => storage.close())

describe('the years there are', () => {
  it('are listed newest first, with when their file was drawn', async () => {
    expect(await readDeliveries(storage.database)).toMatchObject([
      { id: second, aar: 2024, uttrekksdato: '2025-05-07', isCurrent: true, importert: expect.any(Date) },
      { id: first, aar: 2023, uttrekksdato: null, isCurrent: true },
    ])
  })
})

describe('the share books of a company', () => {
  it('come in the order of the years asked for, those there are', async () => {
    const [newer, older] = await readBooks(storage.database, COMPANY, [second, first])
    expect(newer).toEqual({
      leveranse: second,
      navn: 'LYNGHEI AS',
      aksjerTotalt: null,
      aksjerSum: 100,
      innehavere: 2,
      klasser: ['A', 'B'],
      storste: [
        {
          navn: `FORETAK ${OWNER}`,
          fodselsaar: null,
          orgnr: OWNER,
          land: 'NO',
          aksjer: [[0, 60]],
          skjult: null,
        },
        {
          navn: 'KARI NORDMANN',
          fodselsaar: 1970,
          orgnr: null,
          land: 'NO',
          aksjer: [
            [0, 10],
            [1, 30],
          ],
          skjult: null,
        },
      ],
    })
    expect(older).toMatchObject({ leveranse: first, aksjerTotalt: 100 })
    expect(await readBooks(storage.database, OWNER, [second, first])).toHaveLength(1)
    expect(await readBooks(storage.database, 911_111_111, [second, first])).toEqual([])
  })

  it('are refused when the years are others by now, also when the company is in none', async () => {
    for (const stale of [[first], [second], [], [first, second, 99]])
      await expect(readBooks(storage.database, 911_111_111, stale)).rejects.toThrow(DeliveryReplacedError)
  })
})

describe('a page of holders', () => {
  const page = (after: number, limit: number) =>
    readHolderPage(storage.database, { delivery: second, orgnr: GIANT, after, limit })

  it.each([
    [0, 100],
    [150, 100],
    [199, 2],
    [200, 500],
    [650, 500],
    [699, 2],
    [700, 1],
    [1899, 1],
    [1800, 500],
    [1900, 100],
    [900_000, 10],
  ])('after %i, %i of them, is what the list has there', async (after, limit) => {
    const expected = crowd.slice(after, after + limit).map(({ n }) => n)
    const found = await page(after, limit)
    expect(found?.holders.map(({ navn }) => navn)).toEqual(expected)
    expect(found).toMatchObject({ innehavere: 1900, klasser: ['Ordinære aksjer'] })
  })

  it('is none where the company is not in the file', async () => {
    const where = { delivery: second, orgnr: 911_111_111, after: 0, limit: 10 }
    expect(await readHolderPage(storage.database, where)).toBeNull()
  })
})

describe('who owns whom', () => {
  it('books and edges of one delivery, with the owned company’s own numbers', async () => {
    const books = await readOwnershipBooks(storage.database, second, [OWNER, COMPANY, 911_111_111])
    expect(books.map(({ orgnr }) => orgnr).sort()).toEqual([COMPANY, OWNER])
    expect(await readOwnershipEdges(storage.database, second, [OWNER, 911_111_111])).toEqual([
      { eier: OWNER, eid: COMPANY, aksjer: 60, navn: 'LYNGHEI AS', aksjerTotalt: null, aksjerSum: 100 },
    ])
    expect(await readOwnershipBooks(storage.database, second, [911_111_111])).toEqual([])
    expect(await readOwnershipEdges(storage.database, first, [OWNER])).toEqual([])
  })
})

describe('P21: a person who is hidden', () => {
  const names = async (orgnr: number) =>
    (await readBooks(storage.database, orgnr, await current())).flatMap(({ storste }) =>
      storste.map(({ navn, fodselsaar, skjult }) => [navn, fodselsaar, skjult !== null]),
    )
  const hide = (navn: string, fodselsaar: number, orgnr: number | null) =>
    storage.database.query('insert into skjult_person (navn, fodselsaar, orgnr) values ($1, $2, $3)', [
      navn,
      fodselsaar,
      orgnr,
    ])

  it('is hidden in every year, on every way out of storage, and keeps the shares', async () => {
    await hide('KARI NORDMANN', 1970, null)
    await hide('NR 300', 1950, GIANT)
    expect(await names(COMPANY)).toEqual([
      [`FORETAK ${OWNER}`, null, false],
      [null, null, true],
      [null, null, true],
    ])
    const [book] = await readOwnershipBooks(storage.database, second, [COMPANY])
    expect(book?.storste[1]).toMatchObject({ navn: null, fodselsaar: null, land: null, skjult: 1 })
    const page = await readHolderPage(storage.database, {
      delivery: second,
      orgnr: GIANT,
      after: 299,
      limit: 1,
    })
    expect(page?.holders).toEqual([
      {
        navn: null,
        fodselsaar: null,
        orgnr: null,
        land: null,
        aksjer: [[0, 4701]],
        skjult: expect.any(Number),
      },
    ])
  })

  it('stays hidden after the year is imported again, however the name is spaced', async () => {
    const again = await putYear(storage.database, {
      aar: 2023,
      books: [
        { orgnr: COMPANY, holders: [person('Kari  Nordmann', 1970, 100), person('KARI NORDMANN', 1971, 5)] },
      ],
    })
    const [, older] = await readBooks(storage.database, COMPANY, [second, again])
    expect(older?.storste.map(({ navn }) => navn)).toEqual([null, 'KARI NORDMANN'])
    first = again
  })

  it('in one company alone is shown in others', async () => {
    await storage.database.query('delete from skjult_person')
    await hide('KARI NORDMANN', 1970, OWNER)
    expect((await names(COMPANY)).filter(([, , isHidden]) => isHidden)).toEqual([])
  })
})

describe('a year that is imported again while it is read', () => {
  it('P18: each reading is of the old year or of the new one, and never of neither', async () => {
    const booksOf = (shares: number) => [
      { orgnr: COMPANY, holders: [person('A', 1950, shares), person('B', 1951, shares)] },
      { orgnr: OWNER, holders: [company(COMPANY, shares)] },
    ]
    let shares = 1
    await putYear(storage.database, { aar: 2025, books: booksOf(shares) })
    let isDone = false
    const seen = new Set<number>()
    let refused = 0
    const reading = Array.from({ length: 4 }, async () => {
      let known = await current()
      while (!isDone) {
        try {
          const [book] = await readBooks(storage.database, COMPANY, known)
          const held = book?.storste.map(({ aksjer }) => aksjer[0]?.[1])
          expect(new Set(held).size).toBe(1)
          seen.add(Number(held?.[0]))
        } catch (error) {
          if (!(error instanceof DeliveryReplacedError)) throw error
          refused += 1
          known = await current()
        }
      }
    })
    for (let round = 0; round < 8; round++) {
      shares += 1
      const id = await loadYear(storage.database, { aar: 2025, books: booksOf(shares) })
      await publishYear(storage.database, id)
    }
    isDone = true
    await Promise.all(reading)
    expect(seen.size).toBeGreaterThan(1)
    expect(refused).toBeGreaterThan(0)
  })
})

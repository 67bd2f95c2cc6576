import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eraseFromShareBooks } from '#src/storage/shareholders/erase-company.ts'
import type { PackedHolder } from '#src/storage/shareholders/hidden-holders.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { putYear } from '#test/support/share-books.ts'
import { wholeDatabase } from '#test/support/whole-contents.ts'

const DOOMED = 907_000_001
const OWNED = 907_000_002
const OWNER = 907_000_003
const WIDE = 907_000_004
const SMALL_OWNER = 907_000_005

const company = (o: number, n: string, shares: number): PackedHolder => ({ n, o, l: 'NO', a: [[0, shares]] })
const people = (count: number): PackedHolder[] =>
  Array.from({ length: count }, (_, index) => ({ n: `NR ${index}`, f: 1950, a: [[0, 1000]] }))

let storage: TestDatabase

beforeAll(async () => {
  storage = await createTestDatabase()
  for (const aar of [2023, 2024, 2024])
    await putYear(storage.database, {
      aar,
      books: [
        {
          orgnr: DOOMED,
          navn: 'ALKEGLEMSEL AS',
          holders: [
            company(OWNER, 'EIER AS', 90),
            company(DOOMED, 'ALKEGLEMSEL AS', 10),
            ...people(900),
            company(SMALL_OWNER, 'LITEN EIER AS', 1),
          ],
        },
        { orgnr: OWNED, holders: [company(DOOMED, 'ALKEGLEMSEL AS', 60), company(OWNER, 'EIER AS', 40)] },
        { orgnr: WIDE, holders: [...people(800), company(DOOMED, 'ALKEGLEMSEL AS', 5)] },
        { orgnr: OWNER, holders: people(1) },
      ],
    })
})
afterAll(() => storage.close())

describe('P11: a removed company in the share books', () => {
  it('is in none of them afterwards, in any delivery, and the others are whole', async () => {
    const { database } = storage
    expect(await wholeDatabase(database)).toContain('ALKEGLEMSEL')
    expect(await eraseFromShareBooks(database, DOOMED)).toBe(true)
    const left = await wholeDatabase(database)
    expect(left).not.toContain('ALKEGLEMSEL')
    expect(left).not.toContain(String(DOOMED))
    const books = await database.query<{ orgnr: number; storste: PackedHolder[] }>(
      'select orgnr, storste from aksjebok order by leveranse, orgnr',
    )
    expect(books.map(({ orgnr }) => orgnr)).toEqual(Array(3).fill([OWNED, OWNER, WIDE]).flat())
    expect(books[0]?.storste).toEqual([{ l: 'NO', a: [[0, 60]] }, company(OWNER, 'EIER AS', 40)])
    const parts = await database.query<{ innehavere: PackedHolder[] }>(
      'select innehavere from aksjebok_del order by leveranse, del',
    )
    expect(parts.map(({ innehavere }) => innehavere.length)).toEqual([500, 101, 500, 101, 500, 101])
    expect(parts[1]?.innehavere.at(-1)).toEqual({ l: 'NO', a: [[0, 5]] })
    expect(await database.query('select eier, eid from eierandel order by leveranse, eier')).toEqual(
      Array(3).fill({ eier: OWNER, eid: OWNED }),
    )
  })

  it('can be erased again', async () => {
    const before = await wholeDatabase(storage.database)
    await eraseFromShareBooks(storage.database, DOOMED)
    expect(await wholeDatabase(storage.database)).toBe(before)
  })

  it('where nothing is imported there is nothing to erase', async () => {
    const empty = await createTestDatabase()
    expect(await eraseFromShareBooks(empty.database, DOOMED)).toBe(false)
    await empty.close()
  })
})

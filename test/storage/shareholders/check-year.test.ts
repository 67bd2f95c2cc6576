import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CountedYear, checkYear, countTable } from '#src/storage/shareholders/check-year.ts'
import { TABLE_NAMES } from '#src/storage/shareholders/delivery-tables.ts'
import { loadYear } from '#src/storage/shareholders/import-year.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { holderColumns } from '#test/support/holder-columns.ts'

let storage: TestDatabase
beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())

async function counted(leveranse: number): Promise<CountedYear> {
  const all = await Promise.all(TABLE_NAMES.map((table) => countTable(storage.database, table, leveranse)))
  return Object.assign({}, ...all)
}

async function refusalOf(leveranse: number, written: Parameters<typeof checkYear>[1]): Promise<unknown> {
  const found = await counted(leveranse)
  try {
    return checkYear(found, written)
  } catch (error) {
    return (error as { code: string }).code
  }
}

async function load(leveranse: number) {
  const loading = await loadYear({ url: storage.url, leveranse, isRemoved: () => false })
  const innehavere = holderColumns([
    { navn: 'A', orgnr: 910000012, aksjer: 2 },
    ...Array.from({ length: 800 }, (_, index) => ({ navn: `NR ${index}`, aksjer: 2 })),
  ])
  loading.write({ orgnr: 910000004, navn: 'X', totalt: 0, sum: 1602, klasser: ['A'], innehavere })
  return loading.finish()
}

test('P18: what is found as it was written passes, and each thing that is not is told', async () => {
  const written = await load(1)
  expect(written).toEqual({
    books: 1,
    holders: 801,
    shares: 1602n,
    parts: 2,
    stakes: 1,
    listBytes: expect.any(Number),
  })
  checkYear(await counted(1), written)
  for (const what of ['books', 'holders', 'parts', 'stakes', 'listBytes'] as const)
    expect(await refusalOf(1, { ...written, [what]: written[what] + 1 }), what).toBe('kontroll_feilet')
  expect(await refusalOf(1, { ...written, shares: 1n })).toBe('kontroll_feilet')
  await storage.database.query('delete from aksjebok_del_1 where del = 1')
  expect(await refusalOf(1, written)).toBe('kontroll_feilet')
})

test('P18: a company that is there twice is refused by PostgreSQL, and nothing is left', async () => {
  const loading = await loadYear({ url: storage.url, leveranse: 2, isRemoved: () => false })
  const book = { orgnr: 910000004, navn: 'X', totalt: 0, sum: 0, klasser: [], innehavere: holderColumns([]) }
  loading.write(book)
  loading.write(book)
  await expect(loading.finish()).rejects.toMatchObject({ code: '23505' })
  await loading.abandon()
  expect(await storage.database.query(`select to_regclass('aksjebok_2')::text as name`)).toEqual([
    { name: null },
  ])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkYear } from '#src/storage/shareholders/check-year.ts'
import { loadYear } from '#src/storage/shareholders/import-year.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

let storage: TestDatabase
beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())

const holder = (navn: string, orgnr = 0) => ({
  navn,
  fodselsaar: 0,
  orgnr,
  land: '',
  aksjer: 2,
  klasse: 0,
  klasser: null,
})

async function load(leveranse: number) {
  const loading = await loadYear({ url: storage.url, leveranse, isRemoved: () => false })
  const innehavere = [
    holder('A', 910000012),
    ...Array.from({ length: 800 }, (_, index) => holder(`NR ${index}`)),
  ]
  loading.write({ orgnr: 910000004, navn: 'X', totalt: 0, sum: 1602, klasser: ['A'], innehavere })
  return loading.finish()
}

test('P18: what is found as it was written passes, and each thing that is not is told', async () => {
  const written = await load(1)
  expect(written).toEqual({ books: 1, holders: 801, shares: 1602n, parts: 2, stakes: 1 })
  await checkYear(storage.database, 1, written)
  for (const what of ['books', 'holders', 'parts', 'stakes'] as const) {
    const wrong = checkYear(storage.database, 1, { ...written, [what]: written[what] + 1 })
    await expect(wrong, what).rejects.toMatchObject({ code: 'kontroll_feilet' })
  }
  await expect(checkYear(storage.database, 1, { ...written, shares: 1n })).rejects.toMatchObject({
    code: 'kontroll_feilet',
  })
  await storage.database.query('delete from aksjebok_del_1 where del = 1')
  await expect(checkYear(storage.database, 1, written)).rejects.toMatchObject({ code: 'kontroll_feilet' })
})

test('P18: a company that is there twice is refused by PostgreSQL, and nothing is left', async () => {
  const loading = await loadYear({ url: storage.url, leveranse: 2, isRemoved: () => false })
  const book = { orgnr: 910000004, navn: 'X', totalt: 0, sum: 0, klasser: [], innehavere: [] }
  loading.write(book)
  loading.write(book)
  await expect(loading.finish()).rejects.toMatchObject({ code: '23505' })
  await loading.abandon()
  expect(await storage.database.query(`select to_regclass('aksjebok_2')::text as name`)).toEqual([
    { name: null },
  ])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadYear } from '#src/storage/shareholders/import-year.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { type HolderFacts, holderColumns } from '#test/support/holder-columns.ts'

let storage: TestDatabase
beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())

test('P161: what stands in a row is what was written, whatever its signs, its size and its numbers', async () => {
  const navn = `\\ "Ærlig\\" ${'æ"\\'.repeat(1000)}`
  const klasser = ['Ordinære "A"\\', '', '{NULL}', 'NULL']
  const large = 2 ** 53 - 1
  const load = await loadYear({ url: storage.url, leveranse: 1, isRemoved: () => false })
  const owners = Array.from({ length: 201 }, (): HolderFacts => ({ navn, aksjer: large, klasse: 3 }))
  load.write({
    orgnr: 999_999_999,
    navn: 'X\tæ\\N',
    totalt: 2 ** 32,
    sum: large,
    klasser,
    innehavere: holderColumns(owners),
  })
  load.write({ orgnr: 810_000_000, navn: '', totalt: 0, sum: 0, klasser: [], innehavere: holderColumns([]) })
  await load.finish()
  expect(await storage.database.query('select * from aksjebok_1 order by orgnr')).toEqual([
    {
      ...{ leveranse: 1, orgnr: 810_000_000, navn: null, aksjer_totalt: null, aksjer_sum: '0' },
      ...{ innehavere: 0, klasser: [], storste: [] },
    },
    {
      ...{ leveranse: 1, orgnr: 999_999_999, navn: 'X\tæ\\N', aksjer_totalt: String(2 ** 32) },
      ...{ aksjer_sum: String(large), innehavere: 201, klasser },
      storste: Array.from({ length: 200 }, () => ({ a: [[3, large]], n: navn })),
    },
  ])
  expect(await storage.database.query('select * from aksjebok_del_1')).toEqual([
    { leveranse: 1, orgnr: 999_999_999, del: 0, innehavere: [{ a: [[3, large]], n: navn }] },
  ])
})

test.each([
  [2, 1000],
  [3, 2],
])(
  'P161: who owns whom stands in the order it is looked up in, and whole however much there is',
  async (leveranse, stakesMax) => {
    const load = await loadYear({ url: storage.url, leveranse, isRemoved: () => false, stakesMax })
    const owners = [999_999_999, 810_000_000, 900_065_536, 900_000_000, 900_065_535]
    const owned = [999_999_998, 810_000_001, 900_131_072]
    for (const orgnr of owned) {
      const innehavere = holderColumns(
        owners.map((each, index) => ({ orgnr: each, aksjer: index + 2 ** 32 })),
      )
      load.write({ orgnr, navn: '', totalt: 0, sum: 10 + 5 * 2 ** 32, klasser: ['A'], innehavere })
      await load.drained()
    }
    await load.finish()
    const all = owners.flatMap((eier, index) =>
      owned.map((eid) => ({ eier, eid, aksjer: String(index + 2 ** 32) })),
    )
    const inOrder = all.sort((a, b) => a.eier - b.eier || a.eid - b.eid)
    const sorted = stakesMax > all.length ? '' : 'order by eier, eid'
    expect(
      await storage.database.query(`select eier, eid, aksjer from eierandel_${leveranse} ${sorted}`),
    ).toEqual(inOrder)
  },
)

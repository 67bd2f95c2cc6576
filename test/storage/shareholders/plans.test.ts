import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Queryable } from '#src/storage/database.ts'
import { eraseFromShareBooks } from '#src/storage/shareholders/erase-company.ts'
import { readBooks } from '#src/storage/shareholders/read-books.ts'
import { readHolderPage } from '#src/storage/shareholders/read-holder-page.ts'
import { readOwnershipBooks, readOwnershipEdges } from '#src/storage/shareholders/read-ownership-rows.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { putYear } from '#test/support/share-books.ts'

const FIRST = 910_000_000
const COMPANIES = 20_000
const GIANT = 907_000_003
const INVESTOR = 907_000_004

let storage: TestDatabase
const deliveries: number[] = []

/** Years large enough that the planner would rather read all of one than look much up in it. */
beforeAll(async () => {
  storage = await createTestDatabase()
  const { database } = storage
  for (const aar of [2022, 2023, 2024]) {
    const id = await putYear(database, { aar, books: [] })
    deliveries.unshift(id)
    const person = `'[{"n":"KARI NORDMANN","f":1970,"l":"NO","a":[[0,100]]}]'`
    await database.query(
      `insert into aksjebok select ${id}, ${FIRST} + n, 'AS ' || n, 100, 100, 1, '{A}', ${person}
       from generate_series(1, ${COMPANIES}) n`,
    )
    await database.query(
      `insert into eierandel select ${id}, case when n <= 4000 then ${INVESTOR} else ${FIRST} + n end, ${FIRST} + n - 1, 100
       from generate_series(2, ${COMPANIES}) n`,
    )
    const list = `(select jsonb_agg('{"n":"OLA","f":1950,"a":[[0,1]]}'::jsonb) from generate_series(1, 500))`
    await database.query(
      `insert into aksjebok values (${id}, ${GIANT}, 'KJEMPE ASA', 120200, 120200, 120200, '{A}', ${list})`,
    )
    await database.query(
      `insert into aksjebok_del select ${id}, ${GIANT}, n, ${list} from generate_series(0, 239) n
       union all select ${id}, ${FIRST} + n, 0, '[]' from generate_series(1, 4000) n`,
    )
  }
  await database.query('analyze')
})
afterAll(() => storage.close())

/** What the planner would do with each statement somebody runs, instead of its answer. */
async function plansOf(run: (db: Queryable) => Promise<unknown>): Promise<string[]> {
  const statements: { text: string; values: readonly unknown[] }[] = []
  const recording: Queryable = {
    async query(text, values = []) {
      statements.push({ text, values })
      return storage.database.query(text, values)
    },
  }
  await run(recording)
  expect(statements).not.toEqual([])
  const plans = statements.map(async ({ text, values }) => {
    const rows = await storage.database.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })
  return Promise.all(plans)
}

const some = Array.from({ length: 500 }, (_, index) => FIRST + 7 * index)

describe('no reading goes through a year', () => {
  it.each<[string, (db: Queryable) => Promise<unknown>]>([
    ['a company’s books over all years', (db) => readBooks(db, FIRST + 9, deliveries)],
    ['the giant’s books over all years', (db) => readBooks(db, GIANT, deliveries)],
    ['a company that is in no year', (db) => readBooks(db, FIRST - 9, deliveries)],
    [
      'the first page of the giant',
      (db) => readHolderPage(db, { delivery: deliveries[0] ?? 0, orgnr: GIANT, after: 0, limit: 500 }),
    ],
    [
      'a page deep in the giant',
      (db) => readHolderPage(db, { delivery: deliveries[0] ?? 0, orgnr: GIANT, after: 90_000, limit: 500 }),
    ],
    ['the books of 500 owners', (db) => readOwnershipBooks(db, deliveries[0] ?? 0, some)],
    ['what 500 companies own', (db) => readOwnershipEdges(db, deliveries[0] ?? 0, some)],
    ['what the largest investor owns', (db) => readOwnershipEdges(db, deliveries[0] ?? 0, [INVESTOR])],
    [
      'the erasure of an investor',
      (db) =>
        eraseFromShareBooks({ query: db.query, transaction: (work) => work(db) as never }, INVESTOR + 1),
    ],
  ])('%s', async (_what, run) => {
    for (const plan of await plansOf(run))
      expect(plan).not.toMatch(/Seq Scan on (aksjebok|aksjebok_del|eierandel)(_\d+)?\b/)
  })

  it('and this would tell', async () => {
    const [plan] = await plansOf((db) => db.query('select count(*) from aksjebok where navn = $1', ['x']))
    expect(plan).toMatch(/Seq Scan on aksjebok_\d+/)
  })
})

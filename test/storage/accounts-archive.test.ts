import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  compareFilings,
  eraseAccounts,
  type KeptFiling,
  keepFilings,
  readKeptFilings,
} from '#src/storage/accounts-archive.ts'
import { buryCompanies } from '#src/storage/tombstones.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'

let storage: TestDatabase

beforeAll(async () => {
  storage = await createTestDatabase()
})
beforeEach(() => storage.database.query('truncate regnskapsarkiv, fjernet'))
afterAll(() => storage.close())

const A = '901012121'
const B = '901001014'
const MONDAY = new Date('2026-10-19T22:01:00Z')
const TUESDAY = new Date('2026-10-20T22:01:00Z')

const filing = (changes: Partial<KeptFiling> = {}): KeptFiling => ({
  orgnr: A,
  regnskapstype: 'SELSKAP',
  fra: '2025-01-01',
  til: '2025-12-31',
  id: 7,
  journalnr: '2026000001',
  valuta: 'NOK',
  kilde: 'regnskapsregisteret',
  hentet: MONDAY,
  opplysninger: { oppstillingsplan: 'smaa' },
  tall: { eiendeler: { sumEiendeler: 143580000000.5 }, egenkapitalGjeld: {} },
  felt: null,
  ...changes,
})
const year = (aar: number, changes: Partial<KeptFiling> = {}) =>
  filing({ fra: `${aar}-01-01`, til: `${aar}-12-31`, id: aar, ...changes })
const keep = (...filings: KeptFiling[]) => keepFilings(storage.database, filings)
const read = (orgnr = A) => readKeptFilings(storage.database, orgnr)
/** Changes with every write to a row, also with one that writes what was there. */
const versions = async () =>
  (
    await storage.database.query<{ v: string }>(
      'select xmin::text || ctid::text as v from regnskapsarkiv order by 1',
    )
  ).map(({ v }) => v)

describe('filings that are kept', () => {
  test('come back as they were, newest period first, each company its own', async () => {
    expect(await keep(year(2023), year(2025), year(2024), year(2025, { orgnr: B }))).toEqual(
      Array(4).fill('ny'),
    )
    expect(await read()).toEqual([year(2025), year(2024), year(2023)])
    expect(await read(B)).toEqual([year(2025, { orgnr: B })])
    expect(await read('901023239')).toEqual([])
  })

  test('P5: company and group, a resubmission, and another period are filings of their own', async () => {
    const all = [
      filing(),
      filing({ regnskapstype: 'KONSERN' }),
      filing({ id: 8 }),
      filing({ fra: '2025-07-01' }),
      filing({ regnskapstype: '', id: 0, journalnr: null }),
    ]
    expect(await keep(...all)).toEqual(Array(5).fill('ny'))
    expect(await read()).toHaveLength(5)
  })

  test('kept again unchanged nothing is written, whenever it was fetched', async () => {
    await keep(year(2024), year(2025))
    const before = await versions()
    expect(await keep(year(2025, { hentet: TUESDAY }), year(2024))).toEqual(['uendret', 'uendret'])
    expect(await versions()).toEqual(before)
    expect((await read())[0]?.hentet).toEqual(MONDAY)
  })

  test('the same filing with other figures is replaced, and its time with it', async () => {
    await keep(filing())
    const corrected = filing({ tall: { eiendeler: { sumEiendeler: 1 } }, hentet: TUESDAY })
    expect(await keep(corrected)).toEqual(['endret'])
    expect(await read()).toEqual([corrected])
  })

  test('an import does not undo what the register gave; the register undoes an import', async () => {
    const imported = filing({
      kilde: 'import',
      tall: { eiendeler: { sumEiendeler: 2 } },
      felt: ['sumEiendeler'],
    })
    expect(await keep(imported)).toEqual(['ny'])
    expect(await read()).toEqual([imported])
    expect(await keep(filing())).toEqual(['endret'])
    expect(await keep(imported)).toEqual(['uendret'])
    expect(await read()).toEqual([filing()])
  })

  test('comparing tells what keeping would do, and writes nothing', async () => {
    await keep(year(2024))
    await bury(B)
    const filings = [year(2025), year(2024), year(2024, { id: 1, orgnr: B })]
    expect(await compareFilings(storage.database, filings)).toEqual(['ny', 'uendret', 'fjernet'])
    expect(await read()).toEqual([year(2024)])
    expect(await keep(...filings)).toEqual(['ny', 'uendret', 'fjernet'])
  })

  test('twenty who keep the same at once keep it once', async () => {
    const filings = [2021, 2022, 2023].map((aar) => year(aar))
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => keep(...(index % 2 === 0 ? filings : filings.toReversed()))),
    )
    expect(await read()).toEqual(filings.toReversed())
  })

  test('nothing is nothing to do', async () => {
    expect(await keep()).toEqual([])
  })
})

const bury = (organisasjonsnummer: string) =>
  buryCompanies(storage.database, [{ organisasjonsnummer, slettedato: null, at: MONDAY }])

describe('P11: a removed company', () => {
  test('has nothing left once it is erased, and others keep theirs', async () => {
    await keep(year(2024), year(2025), year(2025, { orgnr: B }))
    await eraseAccounts(storage.database, A)
    await eraseAccounts(storage.database, A)
    expect(await read()).toEqual([])
    expect(await read(B)).toHaveLength(1)
  })

  test('is neither read nor kept from the moment it is buried', async () => {
    await keep(year(2024))
    await bury(A)
    expect(await read()).toEqual([])
    expect(await keep(year(2025))).toEqual(['fjernet'])
    await eraseAccounts(storage.database, A)
    expect(await storage.database.query('select from regnskapsarkiv')).toEqual([])
  })

  test('who began to keep before is waited for, so that the erasure comes after', async () => {
    const hold = Promise.withResolvers<void>()
    const keeping = keepFilings(
      {
        transaction: (work) =>
          storage.database.transaction(async (connection) => {
            const result = await work(connection)
            await hold.promise
            return result
          }),
      },
      [year(2025)],
    )
    const locked = (isGranted: boolean) => async () =>
      (
        await storage.database.query(
          `select from pg_locks where relation = 'fjernet'::regclass and granted = ${isGranted}
           and mode = '${isGranted ? 'RowExclusiveLock' : 'ShareRowExclusiveLock'}'`,
        )
      ).length > 0
    await eventually('it is under way', locked(true))
    let isBuried = false
    const burying = bury(A).then(() => {
      isBuried = true
    })
    await eventually('the burial waits', locked(false))
    expect(isBuried).toBe(false)
    hold.resolve()
    expect(await keeping).toEqual(['ny'])
    await burying
    await eraseAccounts(storage.database, A)
    expect(await storage.database.query('select from regnskapsarkiv')).toEqual([])
  })
})

test('a company is found by the key, however large the archive', async () => {
  await storage.database.query(
    `insert into regnskapsarkiv
     select 900000000 + n, 'SELSKAP', '2025-01-01', '2025-12-31', n, null, 'NOK', 'import', now(), '{}', '{}', null
     from generate_series(1, 5000) n`,
  )
  await storage.database.query('analyze regnskapsarkiv')
  const plan = await storage.database.query<{ 'QUERY PLAN': string }>(
    'explain select * from regnskapsarkiv where orgnr = 900000077 order by til desc',
  )
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).not.toContain('Seq Scan')
})

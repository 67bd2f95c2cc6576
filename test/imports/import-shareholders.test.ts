import { appendFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openRegisterFile } from '#src/sources/aksjonaerregisteret/file.ts'
import { cacheOrdersAfter } from '#src/storage/cache-orders.ts'
import { listDeliveries } from '#src/storage/shareholders/deliveries.ts'
import { hidePerson, listHiddenPersons } from '#src/storage/shareholders/hidden-persons.ts'
import { openImportSession } from '#src/storage/shareholders/import-session.ts'
import { readBooks } from '#src/storage/shareholders/read-books.ts'
import { DeliveryReplacedError, readDeliveries } from '#src/storage/shareholders/read-deliveries.ts'
import { dropReplacedDeliveries } from '#src/storage/shareholders/replaced-deliveries.ts'
import { buryCompanies } from '#src/storage/tombstones.ts'
import { currentDeliveries } from '#test/support/current-deliveries.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { hurry, waitsTooLong } from '#test/support/hurried-database.ts'
import { csv, deliveryTables, fileOf, HEADER, importText, stored } from './share-registers.ts'

const A = 910000004
const B = 910000012
const C = 910000020

let storage: TestDatabase
beforeEach(async () => {
  storage = await createTestDatabase()
})
afterEach(() => storage.close())

const person = (orgnr: number, navn: string, antall: number, aar = 1980) =>
  `${orgnr};SELSKAP ${orgnr} AS;Ordinære aksjer;${navn};${aar};0484 OSLO;NO;${antall};100`
const owner = (orgnr: number, eier: number, antall: number) =>
  `${orgnr};SELSKAP ${orgnr} AS;Ordinære aksjer;SELSKAP ${eier} AS;${eier};0484 OSLO;NO;${antall};100`
/** A row of them is refused. */
const MIXED = [person(A, 'KARI', 1), 'tull', person(B, 'OLA', 2)]
/** The register's, without a letter beyond ASCII. */
const PLAIN_HEADER =
  'Orgnr;Selskap;Aksjeklasse;Navn aksjonaer;Fodselsar/orgnr;Postnr/sted;Landkode;Antall aksjer;Antall aksjer selskap'

describe('an import', () => {
  test('makes share books of the rows: holders, classes, totals, and who owns whom', async () => {
    const { outcome } = await importText(
      storage.url,
      csv([
        person(A, 'KARI ØST', 10),
        `${A};SELSKAP;B-aksjer;KARI ØST;1980; ; ;5;100`,
        owner(A, B, 20),
        owner(A, A, 3),
        `${A};X;Ordinære aksjer;"C:\\X" LTD; ;LONDON; W1;GB;1;100`,
        `${B};SELSKAP B;;OLA;1950;;;0;0`,
      ]),
      { uttrekksdato: '2026-05-18' },
    )
    expect(outcome).toMatchObject({
      utfall: 'lest_inn',
      rader: 6,
      godtatt: 6,
      avviste: 0,
      utelatt: 0,
      selskaper: 2,
      eierforhold: 4,
    })
    expect(await stored(storage.database, 2025)).toEqual({
      books: [
        {
          orgnr: A,
          navn: `SELSKAP ${A} AS`,
          aksjer_totalt: '100',
          aksjer_sum: '39',
          innehavere: 4,
          klasser: ['Ordinære aksjer', 'B-aksjer'],
          storste: [
            { n: `SELSKAP ${B} AS`, o: B, l: 'NO', a: [[0, 20]] },
            {
              n: 'KARI ØST',
              f: 1980,
              l: 'NO',
              a: [
                [0, 10],
                [1, 5],
              ],
            },
            { n: `SELSKAP ${A} AS`, o: A, l: 'NO', a: [[0, 3]] },
            { n: '"C:\\X" LTD', l: 'GB', a: [[0, 1]] },
          ],
        },
        {
          orgnr: B,
          navn: 'SELSKAP B',
          aksjer_totalt: null,
          aksjer_sum: '0',
          innehavere: 0,
          klasser: [''],
          storste: [],
        },
      ],
      parts: [],
      // What a company holds in itself is in its book alone.
      stakes: [{ eier: B, eid: A, aksjer: '20' }],
    })
    expect(await currentDeliveries(storage.database)).toMatchObject([
      {
        aar: 2025,
        kilde: 'prøve',
        uttrekksdato: '2026-05-18',
        overskrift: HEADER,
        sha256: outcome.sha256,
        rader: 6,
        avviste: 0,
        selskaper: 2,
        eierforhold: 4,
      },
    ])
  })

  test('has the 200 largest with the book and the rest in parts of 500, in one order', async () => {
    const rows = Array.from({ length: 1300 }, (_, index) =>
      person(A, `NR ${index}`, 1 + ((index * 7) % 1300)),
    )
    await importText(storage.url, csv(rows))
    const { books, parts } = await stored(storage.database, 2025)
    expect(parts.map(({ del, innehavere }) => [del, innehavere.length])).toEqual([
      [0, 500],
      [1, 500],
      [2, 100],
    ])
    const shares = [books[0]?.storste, ...parts.map(({ innehavere }) => innehavere)]
      .flat()
      .map(({ a }) => a[0][1])
    expect(shares).toEqual(Array.from({ length: 1300 }, (_, index) => 1300 - index))
  })

  test('reads a file whose companies are scattered as one whose are not', async () => {
    const rows = [A, B, C].flatMap((orgnr) =>
      Array.from({ length: 300 }, (_, index) => person(orgnr, `"NR" \\${index % 250}`, index + 1)),
    )
    const scattered = rows.map((_, index) => rows[(index * 7) % rows.length] ?? '')
    // In the order of the file within each company, which is what ties are broken by.
    const together = [A, B, C].flatMap((orgnr) => scattered.filter((row) => row.startsWith(String(orgnr))))
    const first = await importText(storage.url, csv(together), { aar: 2024 })
    const second = await importText(storage.url, csv(scattered), { aar: 2025 })
    expect([first.outcome.spredteSelskaper, second.outcome.spredteSelskaper]).toEqual([0, 3])
    expect(await stored(storage.database, 2025)).toEqual(await stored(storage.database, 2024))
  })

  test('tells every process that what it holds of holders is stale', async () => {
    await importText(storage.url, csv([person(A, 'KARI', 1)]))
    expect(await cacheOrdersAfter(storage.database, { number: 0, at: '' }, 10)).toMatchObject([
      { company: '', sections: ['aksjonaerer', 'eierskap'], isHard: false },
    ])
  })

  test('of a removed company keeps nothing, and as a holder neither its name nor its number', async () => {
    await buryCompanies(storage.database, [
      { organisasjonsnummer: String(B), slettedato: null, at: new Date() },
    ])
    const { outcome } = await importText(
      storage.url,
      csv([owner(A, B, 20), person(A, 'KARI', 5), person(B, 'OLA', 1)]),
    )
    expect(outcome).toMatchObject({ rader: 3, godtatt: 2, avviste: 0, utelatt: 1, selskaper: 1 })
    const year = await stored(storage.database, 2025)
    expect(year.books[0]).toMatchObject({
      aksjer_sum: '25',
      innehavere: 2,
      storste: [{ l: 'NO', a: [[0, 20]] }, { n: 'KARI' }],
    })
    expect(JSON.stringify(year)).not.toContain(String(B))
  })

  test('leaves out a company that is removed while it goes on', async () => {
    const text = csv([owner(A, B, 20), owner(B, C, 1), person(C, 'KARI', 5)])
    const bury = () =>
      buryCompanies(storage.database, [{ organisasjonsnummer: String(B), slettedato: null, at: new Date() }])
    const { outcome } = await importText(storage.url, text, { file: slowly(text, bury) })
    expect(outcome).toMatchObject({ godtatt: 3, utelatt: 0 })
    const year = await stored(storage.database, 2025)
    expect(year.books.map(({ orgnr }) => orgnr)).toEqual([A, C])
    expect(JSON.stringify(year)).not.toContain(String(B))
  })

  test('tried with a dry run counts everything and changes nothing', async () => {
    const { outcome } = await importText(storage.url, csv([person(A, 'KARI', 1), 'tull']), { isDryRun: true })
    expect(outcome).toMatchObject({
      utfall: 'provd',
      rader: 2,
      godtatt: 1,
      avviste: 1,
      selskaper: 1,
      eierforhold: 1,
    })
    expect(await listDeliveries(storage.database, 10)).toEqual([])
    expect(await deliveryTables(storage.database)).toEqual([])
  })

  test('of a file without rows, or one that has lost most of its rows, is refused', async () => {
    await expect(importText(storage.url, csv([]))).rejects.toMatchObject({ code: 'ingen_rader' })
    await importText(storage.url, csv([person(A, 'KARI', 1)]))
    await storage.database.query('update aksjeleveranse set rader = 3000000')
    await expect(importText(storage.url, csv([person(A, 'OLA', 1)]))).rejects.toMatchObject({
      code: 'langt_faerre_rader',
    })
    const { outcome } = await importText(storage.url, csv([person(A, 'OLA', 1)]), { isForced: true })
    expect(outcome).toMatchObject({ utfall: 'lest_inn', erstattetRader: 3_000_000 })
  })

  test('says when another year’s register is this very file', async () => {
    await importText(storage.url, csv([person(A, 'KARI', 1)]), { aar: 2023 })
    const { outcome } = await importText(storage.url, csv([person(A, 'KARI', 1)]), { aar: 2024 })
    expect(outcome).toMatchObject({ utfall: 'lest_inn', sammeFilSomAar: 2023 })
  })
})

describe('P18: a year', () => {
  test('accepted, refused and left out rows are all of the file’s, each refused one with line and reason', async () => {
    const { outcome, refused } = await importText(
      storage.url,
      csv([person(A, 'KARI', 1), 'tull', person(A, 'OLA', -1), '', person(B, 'X;Y', 1), person(C, 'PER', 2)]),
    )
    expect(refused).toEqual([
      [3, 'for_faa_felt'],
      [4, 'ugyldig_antall'],
      [6, 'flertydig_semikolon'],
    ])
    expect(outcome).toMatchObject({
      rader: 5,
      godtatt: 2,
      avviste: 3,
      utelatt: 0,
      selskaper: 2,
      avvistEtterArsak: { for_faa_felt: 1, ugyldig_antall: 1, flertydig_semikolon: 1 },
    })
  })

  test('delivered twice with the same file is as it was', async () => {
    await importText(storage.url, csv([person(A, 'KARI', 1)]))
    const before = [await listDeliveries(storage.database, 10), await stored(storage.database, 2025)]
    const { outcome } = await importText(storage.url, csv([person(A, 'KARI', 1)]))
    expect(outcome).toMatchObject({ utfall: 'uendret', rader: 1, godtatt: 1, selskaper: 1 })
    expect([await listDeliveries(storage.database, 10), await stored(storage.database, 2025)]).toEqual(before)
  })

  test('delivered anew is the new one whole, and the old one’s tables go after a while', async () => {
    await importText(storage.url, csv([person(A, 'KARI', 1), person(B, 'OLA', 1)]))
    const { outcome } = await importText(storage.url, csv([person(A, 'KARI', 2)]))
    expect(outcome.erstattetRader).toBe(2)
    expect((await stored(storage.database, 2025)).books).toMatchObject([{ orgnr: A, aksjer_sum: '2' }])
    expect(await deliveryTables(storage.database)).toHaveLength(6)
    expect(await dropReplacedDeliveries(storage.database)).toEqual([])
    const [current, replaced] = await listDeliveries(storage.database, 10)
    expect(await dropReplacedDeliveries(storage.database, { graceMs: 0 })).toEqual([replaced?.id])
    expect(await deliveryTables(storage.database)).toEqual(
      ['aksjebok', 'aksjebok_del', 'eierandel'].map((table) => `${table}_${current?.id}`),
    )
    expect(await listDeliveries(storage.database, 10)).toMatchObject([
      { tilstand: 'gjeldende' },
      { tilstand: 'erstattet' },
    ])
  })

  test('read while it is replaced is the old one or the new one, and nobody waits', async () => {
    const rows = (navn: string) => Array.from({ length: 400 }, (_, index) => person(A + index * 8, navn, 1))
    await importText(storage.url, csv(rows('GAMMEL')))
    const seen = new Set<string>()
    let isDone = false
    const reading = (async () => {
      while (!isDone) {
        const current = (await readDeliveries(storage.database)).filter(({ isCurrent }) => isCurrent)
        const found = await Promise.all(
          [0, 399].map((index) =>
            readBooks(
              storage.database,
              A + index * 8,
              current.map(({ id }) => id),
            ),
          ),
        ).catch((error) => {
          if (error instanceof DeliveryReplacedError) return null
          throw error
        })
        if (found !== null) seen.add(found.map(([book]) => book?.storste[0]?.navn).join())
      }
    })()
    // Somebody who reads for long holds up neither the import nor those who come after.
    const hold = Promise.withResolvers<void>()
    const slow = storage.database.transaction(async (connection) => {
      await connection.query('select count(*) from aksjebok, aksjebok_del, eierandel')
      await hold.promise
    })
    await importText(storage.url, csv(rows('NY')))
    await eventually('the new one is seen', () => seen.has('NY,NY'))
    hold.resolve()
    await slow
    isDone = true
    await reading
    expect([...seen]).toEqual(['GAMMEL,GAMMEL', 'NY,NY'])
  })

  test('that somebody else is importing is refused with a word for it, or waited for', async () => {
    const session = await openImportSession({ url: storage.url, isPatient: false })
    await expect(importText(storage.url, csv([person(A, 'KARI', 1)]))).rejects.toMatchObject({
      code: 'import_pagar',
    })
    expect(await dropReplacedDeliveries(storage.database)).toBeNull()
    const patient = importText(storage.url, csv([person(A, 'KARI', 1)]), { isPatient: true })
    const given = new AbortController()
    const impatient = importText(storage.url, csv([person(B, 'KARI', 1)]), {
      isPatient: true,
      signal: given.signal,
    })
    const refusal = expect(impatient).rejects.toThrow()
    await eventually('both wait', async () => (await waiting()) === 2)
    given.abort()
    await refusal
    await session.close()
    expect((await patient).outcome.utfall).toBe('lest_inn')
  })

  test('P18: attack: that waits for another, or is quiet between what it asks, is ended by none of PostgreSQL’s limits on time', async () => {
    await hurry(storage)
    const session = await openImportSession({ url: storage.url, isPatient: false })
    const patient = importText(storage.url, csv([person(A, 'KARI', 1)]), { isPatient: true })
    await Promise.race([patient, waitsTooLong(storage, 'oppslag import')])
    // It has been idle for as long as the other has waited.
    await session.tidy()
    await session.close()
    expect((await patient).outcome.utfall).toBe('lest_inn')
  })

  test('that is interrupted is as it was, and nothing is left', async () => {
    await importText(storage.url, csv([person(A, 'KARI', 1)]))
    const before = [await deliveryTables(storage.database), await listDeliveries(storage.database, 10)]
    for (const stage of ['undersoker', 'leser', 'kontrollerer']) {
      const given = new AbortController()
      await expect(
        importText(storage.url, csv([person(A, 'OLA', 2), person(B, 'OLA', 2)]), {
          signal: given.signal,
          onProgress: (progress) => progress.stage === stage && given.abort(),
          file: slowly(csv([person(A, 'OLA', 2), person(B, 'OLA', 2)])),
        }),
      ).rejects.toMatchObject({ name: 'AbortError' })
    }
    expect([await deliveryTables(storage.database), await listDeliveries(storage.database, 10)]).toEqual(
      before,
    )
  })

  test('whose file changes between the two readings is refused', async () => {
    await importText(storage.url, csv([person(A, 'KARI', 1)]))
    const before = [await deliveryTables(storage.database), await listDeliveries(storage.database, 10)]
    let times = 0
    const file = {
      ...fileOf(''),
      async *blocks() {
        yield Buffer.from(
          csv(times++ === 0 ? [person(A, 'KARI', 2)] : [person(A, 'KARI', 2), person(B, 'OLA', 1)]),
        )
      },
    }
    await expect(importText(storage.url, '', { file })).rejects.toMatchObject({ code: 'filen_endret' })
    expect([await deliveryTables(storage.database), await listDeliveries(storage.database, 10)]).toEqual(
      before,
    )
  })

  test('P161: whose file somebody writes on while it is loaded is refused', async () => {
    const path = join(tmpdir(), `aksjonaer-${process.pid}.csv`)
    await writeFile(path, csv([person(A, 'KARI', 1)]))
    const file = await openRegisterFile(path)
    try {
      const blocks = async function* (options?: { signal?: AbortSignal }) {
        yield* file.blocks(options)
        await appendFile(path, person(B, 'OLA', 1))
      }
      await expect(importText(storage.url, '', { file: { ...file, blocks } })).rejects.toMatchObject({
        code: 'filen_endret',
      })
      expect(await listDeliveries(storage.database, 10)).toEqual([])
      expect(await deliveryTables(storage.database)).toEqual([])
    } finally {
      await file.close()
      await rm(path)
    }
  })

  test('P161: that nobody has is loaded as its file is read, once; one that is replaced is looked through first', async () => {
    const text = csv([person(A, 'KARI', 1), person(B, 'OLA', 1)])
    const stages = async (options = {}) => {
      const seen = new Set<string>()
      await importText(storage.url, text, { onProgress: ({ stage }) => seen.add(stage), ...options })
      return [...seen]
    }
    expect(await stages()).toEqual(['leser', 'kontrollerer'])
    expect(await stages()).toEqual(['undersoker'])
    expect(await stages({ isForced: true })).toEqual(['leser', 'kontrollerer'])
  })

  test.each([
    ['has a company that comes again', csv([...MIXED, person(A, 'PER', 3)]), 1],
    ['has a header that does not tell its encoding', csv(MIXED).replace(HEADER, PLAIN_HEADER), 1],
    [
      'has very many rows that are refused',
      csv([...MIXED, ...Array.from({ length: 10_000 }, () => 'tull')]),
      10_001,
    ],
  ])(
    'P161: whose file %s is looked through and read again, and each refused row is told once',
    async (_, text, count) => {
      const stages = new Set<string>()
      const { outcome, refused } = await importText(storage.url, text, {
        onProgress: ({ stage }) => stages.add(stage),
      })
      expect(stages).toContain('undersoker')
      expect(outcome).toMatchObject({ utfall: 'lest_inn', avviste: count, selskaper: 2 })
      expect(new Set(refused.map(([line]) => line)).size).toBe(count)
      expect(refused).toHaveLength(count)
    },
  )
})

test('P19: an identity number is stored nowhere', async () => {
  const number = '01010750160'
  const { refused } = await importText(
    storage.url,
    csv([
      person(A, 'KARI', 1),
      person(A, `OLA ${number}`, 1),
      `${A};X;A;PER;${number};;NO;1;100`,
      `${A};X;A;PER;;${number};NO;1;100`,
    ]),
  )
  expect(refused.map(([line]) => line)).toEqual([3, 4, 5])
  const tables = await storage.database.query<{ name: string }>(
    `select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
  )
  for (const { name } of tables) {
    const rows = await storage.database.query(`select t::text as row from ${name} t`)
    expect(JSON.stringify(rows), name).not.toContain(number)
  }
})

test('P21: who is hidden is hidden after a re-import as well', async () => {
  await importText(storage.url, csv([person(A, 'KARI ØST', 1)]))
  expect(await hidePerson(storage.database, { navn: 'Kari  Øst', fodselsaar: 1980, orgnr: null })).toBe(true)
  await importText(storage.url, csv([person(A, 'KARI ØST', 2)]))
  expect(await listHiddenPersons(storage.database, 10)).toMatchObject([
    { navn: 'KARI ØST', fodselsaar: 1980, orgnr: null },
  ])
})

/** A file whose reading waits: `between` is done once, in the second reading. */
function slowly(text: string, between: () => Promise<void> = async () => {}) {
  const lines = text.split(/(?<=\n)/)
  let times = 0
  return {
    ...fileOf(text),
    async *blocks({ signal }: { signal?: AbortSignal } = {}) {
      times++
      for (const [index, line] of lines.entries()) {
        signal?.throwIfAborted()
        if (times === 2 && index === 1) await between()
        yield Buffer.from(line)
      }
      signal?.throwIfAborted()
    },
  }
}

async function waiting(): Promise<number> {
  const [row] = await storage.database.query<{ count: number }>(
    `select count(*)::integer as count from pg_locks where locktype = 'advisory' and not granted
     and database = (select oid from pg_database where datname = current_database())`,
  )
  return row?.count ?? 0
}

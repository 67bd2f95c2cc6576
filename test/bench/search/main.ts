import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { policy } from '#config/policy.ts'
import { findAny, noFilters } from '#src/search/find-any.ts'
import { readQuestion } from '#src/search/question.ts'
import { suggest } from '#src/search/suggest.ts'
import { createDatabase, type Database } from '#src/storage/database.ts'
import { openStorage } from '#src/storage/open-storage.ts'
import { givenNames, scored } from '#test/search/given-names.ts'
import { machineFacts } from '../process/machine.ts'
import { keep, tableOf } from '../report.ts'
import type { Aim } from '../row.ts'
import { writeBulkFiles } from './bulk-files.ts'
import { serveBulkFiles } from './served-files.ts'

/**
 * Door: the search index at the register's size, built from bulk files as the worker builds it and asked what people ask.
 * Real names, which stand beside the project, are among the invented. `--scale 1` is the whole register, some ten minutes on
 * two cores; without it a twentieth. Only a whole run is kept in `results/`.
 */
const { values } = parseArgs({ options: { scale: { type: 'string', default: '0.05' } } })
const scale = Number(values.scale)
const given = givenNames()
if (given === null) throw new Error('The real names and the questions about them are not beside the project.')

const folder = await mkdtemp(join(tmpdir(), 'bench-search-'))
try {
  console.error('writing the bulk files')
  await writeBulkFiles(folder, scale, given.bulk)
  const files = await serveBulkFiles(folder)
  const storage = await openStorage({
    databaseUrl: null,
    dataDir: join(folder, 'data'),
    applicationName: 'bench',
    poolMax: 2,
    statementTimeoutMs: 60_000,
  })
  const db = createDatabase({
    url: storage.url,
    poolMax: policy.search.connectionsMax,
    applicationName: 'bench search',
    connectTimeoutMs: 5000,
    statementTimeoutMs: 60_000,
  })
  try {
    const built = await build(storage.url, files.url)
    const rest = [...built, ...(await diskRows(storage.database)), ...(await asked(db))]
    const facts = machineFacts()
    const results = { servers: [], rest, notes: [] }
    console.log(tableOf(facts, results))
    if (scale >= 1) await keep(facts, results, 'search')
  } finally {
    await db.close()
    await files.close()
    await storage.close()
  }
} finally {
  await rm(folder, { recursive: true })
}

async function build(databaseUrl: string, registerUrl: string): Promise<Aim[]> {
  const program = new URL('building.ts', import.meta.url).pathname
  const child = spawn(process.execPath, ['--max-semi-space-size=16', program, databaseUrl, registerUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { seconds, mostMb } = JSON.parse(await text(child.stdout))
  return [
    { what: 'building from the bulk files', found: seconds / 60, limit: 10, unit: 'min' },
    { what: 'most memory of the process that builds', found: mostMb, limit: 300, unit: 'MB' },
  ]
}

async function diskRows(db: Database): Promise<Aim[]> {
  const [row] = await db.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(oid)) as bytes from pg_class where relkind = 'r' and relname like 'sok%'`,
  )
  return [{ what: 'the index on disk', found: Number(row?.bytes ?? 0) / 1e9, limit: 1.5, unit: 'GB' }]
}

async function asked(db: Database): Promise<Aim[]> {
  const queries = given?.queries ?? []
  const place = { db, limitMs: 60_000 }
  const wholeMs: number[] = []
  let score = await ask()
  // Once to warm what is read, as an hour of readers would have.
  wholeMs.length = 0
  score = await ask()
  const typedMs: number[] = []
  for (const { query } of queries) {
    for (let letters = 2; letters <= Math.min(12, query.length); letters += 1) {
      const startedAt = performance.now()
      await suggest(query.slice(0, letters), 8, place)
      typedMs.push(performance.now() - startedAt)
    }
  }
  console.error(score.missed.join('\n'))
  return [
    {
      what: 'golden queries not first, of a hundred',
      found: 100 * (1 - score.first / score.queries),
      limit: 10,
      unit: '',
    },
    {
      what: '… not among the first three',
      found: 100 * (1 - score.firstThree / score.queries),
      limit: 3,
      unit: '',
    },
    { what: '… certain and wrong', found: score.certainAndWrong.length, limit: 0, unit: '' },
    { what: 'a search, p50', found: quantile(0.5, wholeMs), limit: 25, unit: 'ms' },
    { what: 'a search, likeness included, p99', found: quantile(0.99, wholeMs), limit: 120, unit: 'ms' },
    { what: 'a suggestion, p50', found: quantile(0.5, typedMs), limit: 4, unit: 'ms' },
    { what: 'a suggestion, p99', found: quantile(0.99, typedMs), limit: 20, unit: 'ms' },
  ]

  async function ask() {
    return scored(queries, async (query) => {
      const startedAt = performance.now()
      const { hits, band } = await findAny(readQuestion(query), noFilters, place)
      wholeMs.push(performance.now() - startedAt)
      return {
        orgnrs: hits.map(({ orgnr }) => orgnr),
        isCertain: band === 'sikker',
        isNone: band === 'ingen',
      }
    })
  }
}

function quantile(share: number, values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0
}

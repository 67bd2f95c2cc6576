import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createDatabase, type Database } from '#src/storage/database.ts'
import { openStorage } from '#src/storage/open-storage.ts'
import { machineFacts } from '../process/machine.ts'
import { keep, tableOf } from '../report.ts'
import { type Aim, median } from '../row.ts'
import { readRows } from './reads.ts'
import { copyYear, floorYear, importYear, writeYear } from './years.ts'

/**
 * Door: the shareholder register at the size asked for, imported by the operator's own command and read as records are.
 *
 * `--scale 1` is a whole register, `--years 23` all of them: fifty million rows, some forty minutes. Without them a tenth of
 * four years. Only a whole run of many years is kept in `results/`.
 */
const { values } = parseArgs({
  options: { years: { type: 'string', default: '4' }, scale: { type: 'string', default: '0.1' } },
})
const years = Number(values.years)
const scale = Number(values.scale)
const NEWEST = 2024

const folder = await mkdtemp(join(tmpdir(), 'bench-archive-'))
const storage = await openStorage({
  databaseUrl: null,
  dataDir: join(folder, 'data'),
  applicationName: 'bench',
  poolMax: 2,
})
const database = createDatabase({
  url: storage.url,
  poolMax: 2,
  applicationName: 'bench',
  connectTimeoutMs: 5000,
  statementTimeoutMs: 120_000,
})
try {
  const results = await run()
  // Nothing is moved to a core of its own: an import has the whole machine, as an operator's has.
  const facts = { ...machineFacts(), isPinned: false }
  console.log(tableOf(facts, results))
  if (years >= 20 && scale >= 1) await keep(facts, results, 'archive')
} finally {
  await database.close()
  await storage.close()
  await rm(folder, { recursive: true })
}

async function run() {
  let bytes = 0
  let rows = 0
  let rssMb = 0
  const ratios: Measured[] = []
  for (let aar = NEWEST - years + 1; aar <= NEWEST; aar++) {
    const file = await writeYear(folder, aar, scale)
    bytes += file.written.bytes
    rows += file.written.rows
    // Before and after, since a machine is seldom as quick twice; by turns over five years for the same reason.
    const isMeasured = aar > NEWEST - 5
    const before = isMeasured ? await copyYear(file, storage.url) : 0
    const { ms, rssMb: peakMb } = await importYear(file, storage.url)
    const after = isMeasured ? await copyYear(file, storage.url) : 0
    if (isMeasured) {
      const floor = await floorYear(folder, storage.url)
      ratios.push({ import: ms, copy: (before + after) / 2, floor })
    }
    rssMb = Math.max(rssMb, peakMb)
    console.error(`${aar}: ${file.written.rows} rows in ${(ms / 1000).toFixed(1)} s, ${peakMb.toFixed(0)} MB`)
    await rm(file.path)
  }
  await database.query('vacuum')
  const diskBytes = await archiveBytes(database)
  const million = (number: number) => (number / 1e6).toFixed(1)
  const rest: Aim[] = [
    {
      what: `6. import of a year against logged COPY of its file, median of ${ratios.map(secondsOf).join(', ')}`,
      found: median(ratios.map((each) => each.import / each.copy)),
      limit: 1.5,
      unit: '×',
    },
    {
      what: '… what is made of it copied into the same tables with their keys, against the same COPY: the floor',
      found: median(ratios.map((each) => each.floor / each.copy)),
      limit: Number.POSITIVE_INFINITY,
      unit: '×',
    },
    { what: 'most memory of an import', found: rssMb, limit: 250, unit: 'MB' },
    {
      what: `${years} years, ${million(rows)} million rows: ${million(diskBytes)} MB on disk against ${million(bytes)} MB of files`,
      found: diskBytes / bytes,
      limit: 1,
      unit: '×',
    },
    ...(await readRows(database)),
  ]
  return { servers: [], rest, notes: [] }
}

type Measured = { import: number; copy: number; floor: number }

function secondsOf(each: Measured): string {
  return `${(each.import / 1000).toFixed(1)} s : ${(each.copy / 1000).toFixed(1)} s`
}

/** Tables, indexes and what is kept beside them. */
async function archiveBytes(db: Database): Promise<number> {
  const [row] = await db.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(inhrelid)) as bytes from pg_inherits
     where inhparent in ('aksjebok'::regclass, 'aksjebok_del'::regclass, 'eierandel'::regclass)`,
  )
  return Number(row?.bytes ?? 0)
}

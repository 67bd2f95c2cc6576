import { spawn } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { TABLE_NAMES, TABLES, type TableName } from '#src/storage/shareholders/delivery-tables.ts'
import { DIRT, type Written, writeRegister } from '../../support/shareholder-register/write-register.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

export type YearFile = { aar: number; path: string; written: Written }
export type Imported = { ms: number; rssMb: number }

export async function writeYear(folder: string, aar: number, scale: number): Promise<YearFile> {
  const path = join(folder, `aksjeeiebok_${aar}.csv`)
  const told = Promise.withResolvers<Written>()
  // Rows of any other width than nine columns end a COPY, which is what the import is held against.
  const dirt = { ...DIRT, semicolonInAddress: 0, tooFewColumns: 0 }
  const register = writeRegister({ aar, scale, dirt, onEnd: told.resolve })
  await pipeline(Readable.from(register), createWriteStream(path))
  return { aar, path, written: await told.promise }
}

/** The command an operator would give, in a process of its own. */
export async function importYear({ aar, path }: YearFile, databaseUrl: string): Promise<Imported> {
  const begun = performance.now()
  const command = [
    'src/commands/oppslag.ts',
    'import',
    'aksjonaerer',
    '--hvorfor',
    'en prøve',
    path,
    '--aar',
    String(aar),
    '--json',
  ]
  const child = spawn(process.execPath, command, {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let rssMb = 0
  const watch = setInterval(() => {
    peakMb(child.pid ?? 0).then(
      (mb) => {
        rssMb = Math.max(rssMb, mb)
      },
      () => {},
    )
  }, 100)
  const [, complaint, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ])
  clearInterval(watch)
  if (code !== 0) throw new Error(`the import of ${aar} ended with ${code}: ${complaint.slice(-2000)}`)
  return { ms: performance.now() - begun, rssMb }
}

/** The same bytes into one table without an index, logged as any: nothing that reads the file and keeps it can cost less. */
export async function copyYear({ path }: YearFile, databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const columns = Array.from({ length: 9 }, (_, index) => `k${index} text`)
    await client.query(`drop table if exists bench_kopi`)
    await client.query(`create table bench_kopi (${columns.join(', ')})`)
    const begun = performance.now()
    const copy = client.query(
      copyFrom(`copy bench_kopi from stdin (format csv, header, delimiter ';', quote E'\\x01')`),
    )
    await pipeline(createReadStream(path, { highWaterMark: 1 << 18 }), copy)
    return performance.now() - begun
  } finally {
    await client.query('drop table if exists bench_kopi').catch(() => {})
    await client.end()
  }
}

/**
 * What was made of the newest year, in the format the import sends it in, copied into the same tables with the same keys by three
 * connections at once: what PostgreSQL alone takes for those tables, whoever reads the file.
 */
export async function floorYear(folder: string, databaseUrl: string): Promise<number> {
  const files = await Promise.all(TABLE_NAMES.map((table) => dumpNewest(folder, databaseUrl, table)))
  const begun = performance.now()
  await Promise.all(files.map(({ path, table }) => copyTable(databaseUrl, table, path)))
  const ms = performance.now() - begun
  for (const { path } of files) await rm(path)
  return ms
}

async function dumpNewest(folder: string, databaseUrl: string, table: TableName) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const path = join(folder, table)
    const newest = `select * from ${table} where leveranse = (select max(leveranse) from ${table})`
    await pipeline(
      client.query(copyTo(`copy (${newest}) to stdout with (format binary)`)),
      createWriteStream(path),
    )
    return { table, path }
  } finally {
    await client.end()
  }
}

async function copyTable(databaseUrl: string, table: TableName, path: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const name = `bench_${table}`
  try {
    await client.query('begin')
    await client.query(`set local maintenance_work_mem = '256MB'`)
    await client.query(`create table ${name} (like ${table} including defaults including constraints)`)
    const copy = client.query(copyFrom(`copy ${name} from stdin with (format binary, freeze)`))
    await pipeline(createReadStream(path, { highWaterMark: 1 << 18 }), copy)
    await client.query(`alter table ${name} add primary key (${TABLES[table]})`)
    await client.query(`analyze ${name} (${TABLES[table]})`)
    await client.query('commit')
  } finally {
    await client.query(`drop table if exists ${name}`).catch(() => {})
    await client.end()
  }
}

/** The most memory a process has had, as Linux counts it. */
async function peakMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

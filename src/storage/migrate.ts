import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { ConfigurationError, OppslagError } from '#src/core/errors.ts'
import { StorageUnavailableError } from './database.ts'

/** A migration's SQL was refused. It left no trace: the schema is as before it. */
export class MigrationError extends OppslagError {
  readonly file: string

  constructor(file: string, cause: unknown) {
    super('migrering_feilet', `${file} was refused by PostgreSQL; nothing of it was kept`, { cause })
    this.file = file
  }
}

/**
 * Brings the schema up to date: runs the files of `folder` that the database has not seen, in order, each in its own
 * transaction with its own record. Many may do this at once: one works, the others wait for it and find nothing to do.
 *
 * A runner of our own, because those on offer turn away instead of waiting, and take a database that is newer than the
 * code for one that is up to date.
 *
 * @returns the names of the files that were run.
 * @throws ConfigurationError when the database is newer than the code, or a file was changed after it had run.
 * @throws MigrationError when PostgreSQL refused a file. Those before it stay.
 * @throws StorageUnavailableError when PostgreSQL can not be reached.
 */
export async function migrate({
  url,
  folder = fileURLToPath(new URL('migrations/', import.meta.url)),
  onLog = () => {},
}: {
  url: string
  folder?: string
  /** One line per file that is run, with its first line's word to the operator. */
  onLog?: (message: string) => void
}): Promise<string[]> {
  const migrations = await readMigrations(folder)
  const client = new pg.Client({
    connectionString: url,
    application_name: 'oppslag migrate',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
  })
  // The running statement is told of a lost connection too; without a listener the process would end.
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    throw new StorageUnavailableError(error)
  }
  try {
    // Held until the connection ends, whatever ends it.
    await client.query('select pg_advisory_lock($1)', [LOCK])
    return await runMissing(client, migrations, onLog)
  } finally {
    await client.end()
  }
}

/** Everyone who migrates one of our databases takes this lock. The number means nothing but must never change. */
const LOCK = 7_202_511_210_001
const CONNECT_TIMEOUT_MS = 10_000
/** A file, or the wait for another runner, that takes longer than this wants an operator. */
const STATEMENT_TIMEOUT_MS = 10 * 60_000

type Migration = { name: string; number: number; sql: string; checksum: string; word: string }

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name, index) => {
      // A checkout may have changed the line ends, which change nothing.
      const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
      const number = numberOf(name)
      const word = /^-- (.+)/.exec(sql)?.[1]
      // Without gaps, so that a file can not slip in below one that has already run.
      if (number !== index + 1 || word === undefined) {
        throw new ConfigurationError(
          `Migration ${name}: expected number ${index + 1} in its name and a first line that begins with "-- "`,
        )
      }
      return { name, number, sql, checksum: createHash('sha256').update(sql).digest('hex'), word }
    }),
  )
}

async function runMissing(
  client: pg.Client,
  migrations: readonly Migration[],
  onLog: (message: string) => void,
): Promise<string[]> {
  await client.query(`
    create table if not exists migrering (
      navn text primary key,
      sjekksum text not null,
      utfort_at timestamptz not null default now()
    )`)
  const { rows } = await client.query<{ navn: string; sjekksum: string }>(
    'select navn, sjekksum from migrering order by navn',
  )
  refuseUnknown(rows, migrations)
  const missing = migrations.slice(rows.length)
  for (const migration of missing) {
    onLog(`${migration.name}: ${migration.word}`)
    await run(client, migration)
  }
  return missing.map(({ name }) => name)
}

/** What has run must be the first of our files, unchanged. */
function refuseUnknown(
  applied: readonly { navn: string; sjekksum: string }[],
  migrations: readonly Migration[],
): void {
  for (const [index, { navn, sjekksum }] of applied.entries()) {
    const ours = migrations[index]
    if (ours === undefined) {
      throw new ConfigurationError(
        `The database is newer than this program: it has ${navn}, the newest known here is ` +
          `${migrations.at(-1)?.name ?? 'none'}. Run the version that made it, or a newer one.`,
      )
    }
    if (ours.name !== navn || ours.checksum !== sjekksum) {
      throw new ConfigurationError(
        `Migration ${ours.name} is not the one the database has run as ${navn}. A file that has run may not be changed: ` +
          'restore it, and put the change in a new file.',
      )
    }
  }
}

async function run(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query('begin')
    await client.query(sql)
    await client.query('insert into migrering (navn, sjekksum) values ($1, $2)', [name, checksum])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw new MigrationError(name, error)
  }
}

function numberOf(name: string): number {
  return Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1])
}

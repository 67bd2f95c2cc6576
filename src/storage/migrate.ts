import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { ConfigurationError, OppslagError } from '#src/core/errors.ts'
import { isGoingAway, isOfWhatItKeeps, isUnavailability, StorageUnavailableError } from './database.ts'
import { liftTimeLimits } from './no-time-limits.ts'

/** A migration's SQL was refused. It left no trace: the schema is as before it. */
export class MigrationError extends OppslagError {
  readonly file: string

  constructor(file: string, cause: unknown) {
    const isFull = cause instanceof pg.DatabaseError && cause.code === DISK_FULL
    const why = isFull ? ': no space is left on its disk. Make room there, and start again' : ''
    super('migrering_feilet', `${file} was refused by PostgreSQL; nothing of it was kept${why}`, { cause })
    this.file = file
  }
}

const DISK_FULL = '53100'

/**
 * Brings the schema up to date: runs the files of `folder` that the database has not seen, in order, each in its own
 * transaction with its own record. Many may do this at once: one works, the others wait for it and find nothing to do.
 *
 * A release that is started again on a newer database works there as far as that database says (P46): each file that has run
 * left the oldest schema whose programs can use what it made.
 *
 * A runner of our own, because those on offer turn away instead of waiting, and take a database that is newer than the
 * code for one that is up to date.
 *
 * Where all has run nothing is locked that a reader locks: whoever reads everything, as a backup does, keeps no process from
 * starting. Where somebody uses a table that is to be altered the migration steps back and comes again (P190): whoever
 * asks after it would wait behind it, and that is everybody.
 *
 * @returns the names of the files that were run.
 * @throws ConfigurationError when the database is newer than the code can use, or a file was changed after it had run.
 * @throws MigrationError when PostgreSQL refused a file. Those before it stay.
 * @throws StorageUnavailableError when PostgreSQL can not be reached, goes away meanwhile, or can not have at what says which have run.
 */
export async function migrate({
  url,
  folder = OURS,
  onLog = () => {},
  lockAgainMs = LOCK_AGAIN_MS,
  ended,
}: {
  url: string
  folder?: string
  /** One line per file that is run, with its first line's word to the operator. */
  onLog?: (message: string) => void
  lockAgainMs?: number
  /** Ends the wait for a server that hangs, or for another runner: what is under way is undone when PostgreSQL sees that we are gone. */
  ended?: AbortSignal | undefined
}): Promise<string[]> {
  const migrations = await readMigrations(folder)
  const client = new pg.Client({
    connectionString: url,
    application_name: 'oppslag migrate',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // A server that vanished without a word says nothing of its own patience.
    query_timeout: STATEMENT_TIMEOUT_MS + CONNECT_TIMEOUT_MS,
    keepAlive: true,
  })
  // The running statement is told of a lost connection too; without a listener the process would end.
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    throw new StorageUnavailableError(error)
  }
  const leave = () => client.connection.stream.destroy()
  ended?.addEventListener('abort', leave)
  try {
    ended?.throwIfAborted()
    await liftTimeLimits(client)
    await client.query(`set statement_timeout = ${STATEMENT_TIMEOUT_MS}`)
    if (await isAnyMissing(client, migrations)) await takeTurn(client, onLog)
    return await runMissing(client, migrations, { onLog, lockAgainMs })
  } catch (error) {
    throw isCutOff(error) || isOfItsFiles(error) ? new StorageUnavailableError(error) : error
  } finally {
    await client.end()
    ended?.removeEventListener('abort', leave)
  }
}

/** Whoever holds the turn, and hangs or takes long, is waited for by who has something to run alone. */
async function isAnyMissing(client: pg.Client, migrations: readonly Migration[]): Promise<boolean> {
  if (!(await isListed(client))) return true
  const { rows } = await client.query<{ ran: number }>('select count(*)::int as ran from migrering')
  return (rows[0]?.ran ?? 0) < migrations.length
}

/** Held until the connection ends, whatever ends it. */
async function takeTurn(client: pg.Client, onLog: (message: string) => void): Promise<void> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [LOCK])
  if (rows[0]?.taken === true) return
  onLog('Another brings the schema up to date, and is waited for (pg_locks: who holds an advisory lock)')
  await client.query('select pg_advisory_lock($1)', [LOCK])
}

/**
 * Makes the schema, in a database that has none, as it is when these have run and no others. It is part of the caller's
 * transaction, whose connection holds `LOCK`.
 *
 * @throws ConfigurationError when they are not the first of ours; MigrationError
 */
export async function buildSchema(
  client: pg.Client,
  wanted: readonly { navn: string; sjekksum: string }[],
): Promise<void> {
  const migrations = await knownMigrations(wanted)
  await refuseFewLetters(client)
  await client.query(CREATE_LIST)
  for (const migration of migrations.slice(0, wanted.length)) await apply(client, migration)
}

/** Ours, of which these have to be the first. @throws ConfigurationError when they are not */
export async function knownMigrations(
  wanted: readonly { navn: string; sjekksum: string }[],
): Promise<readonly Migration[]> {
  const migrations = await readMigrations(OURS)
  refuseChanged(wanted, migrations)
  if (wanted.length > migrations.length)
    throw new ConfigurationError(
      `What is to be read in is newer than this program: it has ${wanted.at(-1)?.navn}, the newest known here is ` +
        `${migrations.at(-1)?.name ?? 'none'}. Run the version that made it, or a newer one.`,
    )
  return migrations
}

/** Runs the rest of ours, where `buildSchema` has run these, in the same transaction. @throws MigrationError */
export async function completeSchema(client: pg.Client, ran: readonly unknown[]): Promise<void> {
  const migrations = await readMigrations(OURS)
  for (const migration of migrations.slice(ran.length)) await apply(client, migration)
}

/** The tables these migrations have made; null where some are of a later release, and what they made is not known here. */
export async function tablesMadeBy(ran: readonly unknown[]): Promise<ReadonlySet<string> | null> {
  const migrations = await readMigrations(OURS)
  if (ran.length > migrations.length) return null
  const made = migrations.flatMap(({ sql }) => [...sql.matchAll(/^create table ([a-z_]+)/gm)])
  return new Set(made.map(([, name = '']) => name))
}

/**
 * Names have letters of all the world: a database that knows some of them refuses the others for good, years after it was made. One that
 * takes bytes as they come has all of them; one that is in use is left as it is.
 */
async function refuseFewLetters(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>(
    `select current_setting('server_encoding') as encoding
     where to_regclass('migrering') is null and current_setting('server_encoding') not in ('UTF8', 'SQL_ASCII')`,
  )
  const [refused] = rows
  if (refused === undefined) return
  throw new ConfigurationError(
    `The database's encoding is ${refused.encoding}, which has not the letters of all names. ` +
      "Make it anew with UTF8: create database … template template0 encoding 'UTF8'.",
  )
}

/** Everyone who migrates one of our databases takes this lock. The number means nothing but must never change. */
export const LOCK = 7_202_511_210_001
const OURS = fileURLToPath(new URL('migrations/', import.meta.url))
const CONNECT_TIMEOUT_MS = 10_000
/** A file, the wait for another runner, or for who uses its tables, that takes longer than this wants an operator. */
const STATEMENT_TIMEOUT_MS = 10 * 60_000
/**
 * So long a file waits for a table, and readers behind it: less than they have (5 s), and more than PostgreSQL takes to send its own
 * upkeep away (1 s). Then it leaves them this much before it comes again.
 */
const LOCK_TIMEOUT_MS = 2000
const LOCK_AGAIN_MS = 3000

type Migration = {
  name: string
  number: number
  sql: string
  checksum: string
  /** Of the forms in which it landed before this one; what they left otherwise, a later file has set right. */
  earlier: readonly string[]
  word: string
  /** Programs whose own newest file is this one or a later one work on what this leaves. */
  worksFrom: number
}

/** Every file as it landed: the checksum of its text, and of earlier texts that databases have run. */
const Landed = Type.Record(
  Type.String(),
  Type.Array(Type.String({ pattern: '^[0-9a-f]{64}$' }), { minItems: 1 }),
)
const isLanded = Compile(Landed)

async function readLanded(folder: string): Promise<Static<typeof Landed>> {
  const text = await readFile(join(folder, 'landed.json'), 'utf8').catch(() => '{}')
  const landed: unknown = JSON.parse(text)
  if (!isLanded.Check(landed)) throw new ConfigurationError('landed.json: expected checksums by file')
  return landed
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const landed = await readLanded(folder)
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
      return {
        name,
        number,
        sql,
        checksum: createHash('sha256').update(sql).digest('hex'),
        earlier: landed[name]?.slice(1) ?? [],
        word,
        worksFrom: Number(/^-- .+\n-- Works from: (\d{4})\n/.exec(sql)?.[1] ?? number),
      }
    }),
  )
}

async function runMissing(
  client: pg.Client,
  migrations: readonly Migration[],
  { onLog, lockAgainMs }: Told,
): Promise<string[]> {
  if (!(await isListed(client))) {
    await refuseFewLetters(client)
    await client.query(CREATE_LIST)
  }
  const { rows } = await client.query<Applied>(
    'select navn, sjekksum, virker_fra from migrering order by navn',
  )
  refuseChanged(rows, migrations)
  refuseNewer(rows.slice(migrations.length), migrations, onLog)
  const missing = migrations.slice(rows.length)
  for (const migration of missing) {
    onLog(`${migration.name}: ${migration.word}`)
    await runInTurn(client, migration, { onLog, lockAgainMs })
  }
  return missing.map(({ name }) => name)
}

/** Whether the list of what has run is there, as it is now. */
async function isListed(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `select from pg_attribute where attrelid = to_regclass('migrering') and attname = 'virker_fra'`,
  )
  return rows.length > 0
}

type Told = { onLog: (message: string) => void; lockAgainMs: number }

type Applied = {
  navn: string
  sjekksum: string
  /** Null: run by a release that did not say. */
  virker_fra: number | null
}

const CREATE_LIST = `
  create table if not exists migrering (
    navn text primary key,
    sjekksum text not null,
    utfort_at timestamptz not null default now()
  );
  alter table migrering add column if not exists virker_fra integer`

/** What has run must be the first of our files, unchanged. */
function refuseChanged(
  applied: readonly Pick<Applied, 'navn' | 'sjekksum'>[],
  migrations: readonly Migration[],
): void {
  for (const [index, ours] of migrations.entries()) {
    const theirs = applied[index]
    if (theirs === undefined) return
    const isOurs = ours.checksum === theirs.sjekksum || ours.earlier.includes(theirs.sjekksum)
    if (ours.name !== theirs.navn || !isOurs) {
      throw new ConfigurationError(
        `Migration ${ours.name} is not the one the database has run as ${theirs.navn}. A file that has run may not be changed: ` +
          'restore it, and put the change in a new file.',
      )
    }
  }
}

/** @param unknown what has run beyond our last file */
function refuseNewer(
  unknown: readonly Applied[],
  migrations: readonly Migration[],
  onLog: (message: string) => void,
): void {
  const newest = unknown.at(-1)
  if (newest === undefined) return
  const ours = migrations.at(-1)
  const known = ours?.name ?? 'none'
  const needed = unknown.find(({ virker_fra }) => virker_fra === null || virker_fra > (ours?.number ?? 0))
  if (needed === undefined) {
    onLog(
      `The database is newer than this program: it has ${newest.navn}. This one, of ${known}, works on it.`,
    )
    return
  }
  throw new ConfigurationError(
    `The database is newer than this program can use: it has ${needed.navn}, the newest known here is ${known}. ` +
      'Run the version that made it, or a newer one.',
  )
}

/** @throws MigrationError, also when its tables were in use all the while */
async function runInTurn(
  client: pg.Client,
  migration: Migration,
  { onLog, lockAgainMs }: Told,
): Promise<void> {
  const until = performance.now() + STATEMENT_TIMEOUT_MS
  for (let tries = 1; ; tries++) {
    try {
      return await run(client, migration)
    } catch (error) {
      if (!isInUse(error) || performance.now() > until) throw error
      if (tries === 1)
        onLog(
          `${migration.name}: waits for who uses its tables: a backup, or a transaction that was left open`,
        )
      await pause(lockAgainMs)
    }
  }
}

function isInUse(error: unknown): boolean {
  return error instanceof MigrationError && (error.cause as { code?: unknown } | null)?.code === '55P03'
}

/** It went away in the middle, and refused nothing. What a file takes too long for, or finds no room for, wants an operator. */
function isCutOff(error: unknown): boolean {
  if (!(error instanceof MigrationError)) return !(error instanceof OppslagError) && isUnavailability(error)
  const { cause } = error
  return cause instanceof pg.DatabaseError ? isGoingAway(cause) : isUnavailability(cause)
}

/** A disk that fails or has become read only may be mended while it is waited for. What a role was not granted wants an operator. */
function isOfItsFiles(error: unknown): boolean {
  return error instanceof pg.DatabaseError && isOfWhatItKeeps(error) && error.file !== 'aclchk.c'
}

async function run(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query('begin')
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await apply(client, migration)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error instanceof MigrationError ? error : new MigrationError(migration.name, error)
  }
}

async function apply(client: pg.Client, { name, sql, checksum, worksFrom }: Migration): Promise<void> {
  try {
    await client.query(sql)
    await client.query('insert into migrering (navn, sjekksum, virker_fra) values ($1, $2, $3)', [
      name,
      checksum,
      worksFrom,
    ])
  } catch (error) {
    throw new MigrationError(name, error)
  }
}

function numberOf(name: string): number {
  return Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1])
}

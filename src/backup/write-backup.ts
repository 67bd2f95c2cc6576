import { createHash, randomUUID } from 'node:crypto'
import { access, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import pg from 'pg'
import { to } from 'pg-copy-streams'
import { OppslagError } from '#src/core/errors.ts'
import { giveToOwner, makePrivate, refusePlantedOnTheWay } from '#src/core/private-folder.ts'
import { HOUR_MS } from '#src/core/units.ts'
import { tablesMadeBy } from '../storage/migrate.ts'
import { listTables, readSchema, readSequences } from './backed-up.ts'
import { withBackupConnection } from './connection.ts'
import {
  type BackedUpTable,
  type Beginning,
  END_OF_ROWS,
  type Ending,
  FORMAT,
  SETTINGS,
  statementsAfter,
  statementsAtEnd,
  statementsBefore,
} from './format.ts'
import type { BackupProgress } from './progress.ts'
import { readBackup } from './read-backup.ts'

export type Backup = {
  path: string
  /** Of the file. */
  bytes: number
  beginning: Beginning
  ending: Ending
  /** Tables that are not the service's, and could not be read in again. */
  leftOut: readonly string[]
}

/**
 * Writes all that is kept, as it is at one moment, into a file that is readable to this user alone. Whoever reads and writes in
 * the database meanwhile is not held up and not seen. The file has its name when it is whole, on disk, and read back.
 *
 * @throws OppslagError in one line for the operator; nothing is left behind
 */
export async function writeBackup({
  url,
  path,
  now,
  onProgress = () => {},
  signal,
}: {
  url: string
  path: string
  now: Date
  onProgress?: ((progress: BackupProgress) => void) | undefined
  signal?: AbortSignal | undefined
}): Promise<Backup> {
  const folder = dirname(path)
  // Of this writing alone: another to the same name is not in its way.
  const unfinished = `${path}.${randomUUID()}${UNFINISHED}`
  try {
    await makePrivate(folder)
    await refusePlantedOnTheWay(folder)
    await removeAbandoned(folder)
    await refuseExisting(path)
    const written = await withBackupConnection(url, signal, async (client) => {
      const { beginning, tables, leftOut } = await beginAtOneMoment(client, now)
      const ending: Ending = { tabeller: [], sekvenser: [] }
      const file = await open(unfinished, 'wx', 0o600)
      await giveToOwner(file, folder)
      await pipeline(
        contents(client, beginning, tables, ending, onProgress),
        createGzip(),
        file.createWriteStream({ flush: true }),
        { signal },
      )
      return { beginning, ending, leftOut }
    })
    const read = await readBackup(unfinished, {
      onProgress: (progress) => onProgress({ stage: 'kontrollerer', ...progress }),
      signal,
    })
    const { leftOut, ...whole } = written
    if (JSON.stringify(read) !== JSON.stringify(whole))
      throw new OppslagError(
        'skrevet_feil',
        'Det som ble skrevet, er ikke det som leses tilbake. Er disken i orden?',
      )
    const { size } = await stat(unfinished)
    await rename(unfinished, path)
    await flushFolder(folder)
    return { path, bytes: size, ...whole, leftOut }
  } catch (error) {
    // Where nothing can be written it may not be taken away either: what went wrong first is told.
    await rm(unfinished, { force: true }).catch(() => {})
    throw plain(error, folder)
  }
}

const UNFINISHED = '.ufullstendig'
/** Whoever writes one touches it all the time. */
const ABANDONED_AFTER_MS = HOUR_MS
/** A part of a year that is being replaced may go between our seeing it and our holding it. */
const TRIES = 5

/** From here on the connection sees the database as it is now, and nobody takes a table away. */
async function beginAtOneMoment(
  client: pg.Client,
  now: Date,
): Promise<{ beginning: Beginning; tables: BackedUpTable[]; leftOut: string[] }> {
  for (let tries = 1; ; tries++) {
    await client.query('begin isolation level repeatable read, read only')
    try {
      const skjema = await readSchema(client)
      if (skjema === null)
        throw new OppslagError('ingen_database', 'Databasen har ingenting av tjenesten i seg ennå.')
      const made = await tablesMadeBy(skjema)
      const isOurs = ({ tabell, del }: BackedUpTable) => made === null || made.has(del?.av ?? tabell)
      const all = await listTables(client)
      const tables = all.filter(isOurs)
      const leftOut = all.filter((table) => !isOurs(table)).map(({ tabell }) => tabell)
      await client.query(`lock table ${tables.map(({ tabell }) => tabell).join(', ')} in access share mode`)
      const { rows } = await client.query<{ postgres: string }>(
        `select current_setting('server_version') as postgres`,
      )
      const beginning = { format: FORMAT, tatt: now.toISOString(), postgres: rows[0]?.postgres ?? '', skjema }
      return { beginning, tables, leftOut }
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== UNDEFINED_TABLE || tries === TRIES)
        throw error
      await client.query('rollback')
    }
  }
}

const UNDEFINED_TABLE = '42P01'

/** @param ending what stands at the end, filled in on the way */
async function* contents(
  client: pg.Client,
  beginning: Beginning,
  tables: readonly BackedUpTable[],
  ending: Ending,
  onProgress: (progress: BackupProgress) => void,
): AsyncGenerator<string | Buffer> {
  yield described(beginning, SETTINGS)
  let bytes = 0
  for (const table of tables) {
    const { tabell, kolonner } = table
    yield described(table, statementsBefore(table))
    const hash = createHash('sha256')
    let rader = 0
    const rows = client.query(to(`copy ${tabell} (${kolonner.join(', ')}) to stdout`))
    // A second error finds nobody who waits for the end any more, and would end the process.
    rows.on('error', () => {})
    for await (const chunk of rows as AsyncIterable<Buffer>) {
      hash.update(chunk)
      for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) rader++
      bytes += chunk.length
      yield chunk
      onProgress({ stage: 'skriver', table: tabell, bytes })
    }
    yield `${END_OF_ROWS}\n`
    yield statementsAfter(table).map(asLine).join('')
    ending.tabeller.push({ tabell, rader, sha256: hash.digest('hex') })
  }
  ending.sekvenser.push(...(await readSequences(client, tables)))
  await client.query('commit')
  yield described(ending, statementsAtEnd(ending))
}

const LINE_END = 10

function described(what: object, statements: readonly string[]): string {
  return `-- ${JSON.stringify(what)}\n${statements.map(asLine).join('')}`
}

function asLine(statement: string): string {
  return `${statement};\n`
}

async function refuseExisting(path: string): Promise<void> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (isThere) throw new OppslagError('finnes_fra_for', `${path} finnes fra før, og blir ikke skrevet over.`)
}

/** What a process that was killed left behind. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(UNFINISHED)) continue
    const path = join(folder, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true })
  }
}

/** The name is on disk too. Windows has no such thing. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** What the system says of files, in a line that names the folder. */
function plain(error: unknown, folder: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (error instanceof OppslagError || syscall === undefined || code === undefined) return error
  const why = {
    ENOSPC: 'disken er full',
    EDQUOT: 'kvoten er brukt opp',
    EACCES: 'mappen er lukket',
    EROFS: 'disken kan bare leses',
    EEXIST: 'det er ingen mappe',
    ENOTDIR: 'det er ingen mappe',
  }[code]
  return new OppslagError(
    'kan_ikke_skrives',
    `Ingen sikkerhetskopi er laget i ${folder}: ${why ?? `${basename(folder)} kan ikke skrives (${code})`}.`,
    { cause: error },
  )
}

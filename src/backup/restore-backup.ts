import pg from 'pg'
import { OppslagError } from '#src/core/errors.ts'
import type { Queryable } from '../storage/database.ts'
import { buildSchema, completeSchema, knownMigrations, LOCK } from '../storage/migrate.ts'
import { copyIn } from '../storage/shareholders/copy-in.ts'
import { isTableOfDelivery, tableOf } from '../storage/shareholders/delivery-tables.ts'
import { listTables, readSequences } from './backed-up.ts'
import { withBackupConnection } from './connection.ts'
import {
  type BackedUpTable,
  BackupUnreadableError,
  type Beginning,
  type Ending,
  statementsAfter,
  statementsAtEnd,
  statementsBefore,
} from './format.ts'
import type { BackupProgress } from './progress.ts'
import { readBackup, type Taker } from './read-backup.ts'

/**
 * Reads a backup through, and says whether this program could read it in.
 *
 * @throws BackupUnreadableError, ConfigurationError when it is of a newer release
 */
export async function tryBackup(
  path: string,
  how: Pick<NonNullable<Parameters<typeof readBackup>[1]>, 'onProgress' | 'signal'> = {},
): ReturnType<typeof readBackup> {
  return readBackup(path, {
    ...how,
    async onBeginning({ skjema }) {
      await knownMigrations(skjema)
    },
  })
}

/**
 * Reads a backup into an empty database and brings the schema up to date: all of it or nothing, however it is interrupted.
 *
 * @param onRead what has to be there with it from the first moment, on the connection it is read in by
 * @throws BackupUnreadableError, OppslagError when the database is not empty, ConfigurationError when the backup is of a newer
 *   release, MigrationError, StorageUnavailableError
 */
export async function restoreBackup({
  url,
  path,
  onRead = async () => {},
  onProgress = () => {},
  signal,
}: {
  url: string
  path: string
  onRead?: ((connection: Queryable, beginning: Beginning) => Promise<void>) | undefined
  onProgress?: ((progress: BackupProgress) => void) | undefined
  signal?: AbortSignal | undefined
}): Promise<{ beginning: Beginning; ending: Ending }> {
  return withBackupConnection(url, signal, async (client) => {
    await client.query('begin')
    // Nobody migrates meanwhile.
    await client.query('select pg_advisory_xact_lock($1)', [LOCK])
    await refuseOccupied(client)
    let judge = refuseAll
    const read = await readBackup(path, {
      async onBeginning({ skjema }) {
        await buildSchema(client, skjema)
        judge = await judgeOf(client)
      },
      open(table) {
        judge.table(table)
        return openTable(client, table)
      },
      onProgress: (progress) => onProgress({ stage: 'leser_inn', ...progress }),
      signal,
    })
    judge.sequences(read.ending)
    for (const statement of statementsAtEnd(read.ending)) await client.query(statement)
    await completeSchema(client, read.beginning.skjema)
    const connection: Queryable = {
      query: async (text, values = []) => (await client.query(text, [...values])).rows,
    }
    await onRead(connection, read.beginning)
    // Until PostgreSQL knows how much there is, it looks for everything the long way.
    await client.query('analyze')
    await client.query('commit')
    return read
  })
}

/** PostgreSQL's own extensions aside, nothing may be there: not even empty tables, which somebody may be about to fill. */
async function refuseOccupied(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class c
     where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'S', 'v', 'm')
       and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
     order by relname limit 1`,
  )
  if (rows.length === 0) return
  throw new OppslagError(
    'ikke_tom',
    `Databasen er ikke tom (den har ${rows[0]?.name}). En sikkerhetskopi leses inn i en ny, tom database eller DATA_DIR.`,
  )
}

type Judge = { table(table: BackedUpTable): void; sequences(ending: Ending): void }

/** Before the schema is there nothing is known. */
const refuseAll: Judge = { table: notOurs, sequences: notOurs }

/**
 * What may be read in: the tables and sequences the schema has, by their own names, each once. A file that somebody else has made goes
 * together with itself too, and whoever reads it in may be allowed to write in PostgreSQL's own tables.
 */
async function judgeOf(client: pg.Client): Promise<Judge> {
  const made = await listTables(client)
  const tables = new Map(made.map(({ tabell, kolonner }) => [tabell, new Set(kolonner)]))
  const sequences = new Set((await readSequences(client, made)).map(({ sekvens }) => sekvens))
  const parts = new Set<string>()
  return {
    table({ tabell, kolonner, del }) {
      if (del === null) {
        const known = tables.get(tabell)
        if (known === undefined || !kolonner.every((each) => known.has(each))) notOurs()
        return void tables.delete(tabell)
      }
      if (!isTableOfDelivery(del.av) || tabell !== tableOf(del.av, del.verdi) || parts.has(tabell)) notOurs()
      parts.add(tabell)
    },
    sequences({ sekvenser }) {
      if (!sekvenser.every(({ sekvens }) => sequences.has(sekvens))) notOurs()
    },
  }
}

function notOurs(): never {
  throw new BackupUnreadableError('den har noe i seg som ikke er av tjenesten')
}

async function openTable(client: pg.Client, table: BackedUpTable): Promise<Taker> {
  const statements = statementsBefore(table)
  // What a migration puts into a table it makes is in the backup as it was by then. Parts are made here.
  if (table.del === null) await client.query(`delete from ${table.tabell}`)
  for (const statement of statements.slice(0, -1)) await client.query(statement)
  const copy = copyIn(client, statements.at(-1) ?? '')
  return {
    async take(rows) {
      copy.write(rows)
      await copy.drained().catch((error: unknown) => {
        throw refusal(error, table)
      })
    },
    async end() {
      await copy.finished().catch((error: unknown) => {
        throw refusal(error, table)
      })
      for (const statement of statementsAfter(table)) await client.query(statement)
    },
  }
}

/** Rows that are not what such a table holds: classes 22 (data) and 23 (constraints). */
function refusal(error: unknown, { tabell }: BackedUpTable): unknown {
  const isOfRows = error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '')
  return isOfRows ? new BackupUnreadableError(`radene i ${tabell} passer ikke i tabellen`, error) : error
}

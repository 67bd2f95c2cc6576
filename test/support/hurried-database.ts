import pg from 'pg'
import type { TestDatabase } from './database.ts'
import { eventually } from './eventually.ts'

const LIMITS = [
  'statement_timeout',
  'transaction_timeout',
  'idle_in_transaction_session_timeout',
  'idle_session_timeout',
]

/** Whoever connects from now on is ended by PostgreSQL when anything takes a second, as an operator may have told it, or whoever runs it. */
export async function hurry({ url, database }: TestDatabase): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  for (const limit of LIMITS) await database.query(`alter database ${name} set ${limit} = '1s'`)
}

/** Hurries the database, while somebody who was there before has done `statement`, and goes on holding what it holds. */
export async function holdAndHurry(
  storage: TestDatabase,
  statement: string,
): Promise<{ end(): Promise<void> }> {
  const client = new pg.Client({ connectionString: storage.url })
  await client.connect()
  await client.query(`begin; ${statement}`)
  await hurry(storage)
  return { end: () => client.end() }
}

/** Until somebody of this name has waited for a lock for longer than anything may take there. */
export function waitsTooLong({ database }: TestDatabase, applicationName: string): Promise<void> {
  return eventually('it has waited for longer than it may', async () => {
    const rows = await database.query(
      `select from pg_stat_activity where datname = current_database() and application_name = $1 and wait_event_type = 'Lock'
         and clock_timestamp() - query_start > interval '1.5 s'`,
      [applicationName],
    )
    return rows.length > 0
  })
}

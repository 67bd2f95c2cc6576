import type pg from 'pg'
import type { Database } from '../database.ts'
import { TABLE_NAMES, type TableName, tableOf } from './delivery-tables.ts'
import { leaveImportLock, takeImportLock } from './import-lock.ts'

/** So long after it was replaced a delivery may still be read by somebody who began before. */
const REPLACED_GRACE_MS = 60_000

type Connection = Pick<pg.ClientBase, 'query'>

/**
 * Drops the tables of deliveries that were replaced a while ago, and what killed imports left. Safe to run twice and at any
 * time: while somebody imports, or does the same, nothing is done. What is interrupted is taken up by the next.
 *
 * @returns the ids of the deliveries whose tables were dropped; null when somebody else was at it
 */
export async function dropReplacedDeliveries(
  db: Pick<Database, 'pool'>,
  { graceMs = REPLACED_GRACE_MS }: { graceMs?: number } = {},
): Promise<number[] | null> {
  const client = await db.pool.connect()
  let failure: Error | undefined
  try {
    if (!(await takeImportLock(client))) return null
    try {
      return await tidyDeliveries(client, graceMs)
    } finally {
      await leaveImportLock(client)
    }
  } catch (error) {
    failure = error as Error
    throw error
  } finally {
    // A connection that failed is thrown away, and its lock with it.
    client.release(failure)
  }
}

/** The same, for whoever holds the import's lock on this connection, which must be outside a transaction. */
export async function tidyDeliveries(connection: Connection, graceMs = REPLACED_GRACE_MS): Promise<number[]> {
  await finishDetaching(connection)
  const { rows } = await connection.query<{ id: number }>(
    `select id from aksjeleveranse
     where tilstand = 'lastes'
        or tilstand = 'erstattet' and erstattet_at < now() - $1::integer * interval '1 ms'
           and (${TABLE_NAMES.map((table) => `to_regclass('${table}_' || id) is not null`).join(' or ')})
     order by id`,
    [graceMs],
  )
  for (const { id } of rows) {
    for (const table of TABLE_NAMES) await dropTable(connection, table, id)
    await connection.query(`delete from aksjeleveranse where id = $1 and tilstand = 'lastes'`, [id])
  }
  return rows.map(({ id }) => id)
}

/** Whoever was interrupted between the two steps of leaving a parent holds up everybody after. */
async function finishDetaching(connection: Connection): Promise<void> {
  const { rows } = await connection.query<{ parent: string; part: string }>(
    `select inhparent::regclass::text as parent, inhrelid::regclass::text as part from pg_inherits
     where inhdetachpending and inhparent in (${TABLE_NAMES.map((table) => `'${table}'::regclass`).join(', ')})`,
  )
  for (const { parent, part } of rows) {
    await connection.query(`alter table ${parent} detach partition ${part} finalize`)
  }
}

/** Readers are not held up: the part leaves its parent beside them, and is dropped when nobody can meet it any more. */
async function dropTable(connection: Connection, table: TableName, leveranse: number): Promise<void> {
  const name = tableOf(table, leveranse)
  const { rows } = await connection.query(
    `select from pg_inherits where inhrelid = to_regclass($1) and inhparent = '${table}'::regclass`,
    [name],
  )
  if (rows.length > 0) await connection.query(`alter table ${table} detach partition ${name} concurrently`)
  await connection.query(`drop table if exists ${name}`)
}

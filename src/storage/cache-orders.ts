import type { Queryable } from './database.ts'

/** What is to be forgotten (`hard`) or made stale, of one company or of all whose number begins so; null is all sections. */
export type CacheOrder = { company: string; sections: string[] | null; isHard: boolean }

/** Orders are obeyed within seconds; a process that was away longer than this starts with an empty memory anyway. */
const KEPT_FOR = '1 day'

/**
 * Adds an order to the end, and forgets those nobody can be waiting for any more. Numbers become visible in their order, so
 * that whoever has read up to one misses none below it.
 */
export async function giveCacheOrder(
  db: Queryable,
  { company, sections, isHard }: CacheOrder,
): Promise<void> {
  await db.query(`delete from mellomlager_ordre where gitt_at < now() - interval '${KEPT_FOR}'`)
  // The lock comes before the number and ends with the transaction: the caller's, or the statement's own.
  await db.query(
    `insert into mellomlager_ordre (foretak, seksjoner, hard)
     select $1, $2, $3 from pg_advisory_xact_lock($4)`,
    [company, sections, isHard, ORDER],
  )
}

/** One order is given at a time. */
const ORDER = 7_202_511_210_004

/** The number of the newest order; 0 when there is none. A process that starts has nothing that older ones are about. */
export async function newestCacheOrder(db: Queryable): Promise<number> {
  const [row] = await db.query<{ nummer: string | null }>(
    'select max(nummer) as nummer from mellomlager_ordre',
  )
  return Number(row?.nummer ?? 0)
}

/**
 * Orders after a number, oldest first, at most `limit`; all there are where none has come so far: PostgreSQL was set back, and gives
 * numbers anew (P193).
 */
export async function cacheOrdersAfter(
  db: Queryable,
  number: number,
  limit: number,
): Promise<(CacheOrder & { number: number })[]> {
  const rows = await db.query<{ nummer: string; foretak: string; seksjoner: string[] | null; hard: boolean }>(
    `select nummer, foretak, seksjoner, hard from mellomlager_ordre
     where nummer > $1 or $1 > (select max(nummer) from mellomlager_ordre) order by nummer limit $2`,
    [number, limit],
  )
  return rows.map((row) => ({
    number: Number(row.nummer),
    company: row.foretak,
    sections: row.seksjoner,
    isHard: row.hard,
  }))
}

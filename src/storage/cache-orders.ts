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

/**
 * Which order somebody has come to: by when it was given as well, for a PostgreSQL that was set back gives numbers anew (P193). The
 * number is 0 before all.
 */
export type OrderPlace = { number: number; at: string }

/** The newest order, and the newest that nobody can be waiting for any more. */
export async function newestCacheOrders(
  db: Queryable,
): Promise<{ newest: OrderPlace; pastWaiting: OrderPlace }> {
  const newestOf = async (which: string) => {
    const [row] = await db.query<{ nummer: string; gitt: string }>(
      `select nummer, ${GIVEN} as gitt from mellomlager_ordre where ${which} order by nummer desc limit 1`,
    )
    return { number: Number(row?.nummer ?? 0), at: row?.gitt ?? '' }
  }
  return {
    newest: await newestOf('true'),
    pastWaiting: await newestOf(`gitt_at < now() - interval '${KEPT_FOR}'`),
  }
}

/**
 * Orders after one, oldest first, at most `limit`; all there are where that one is not there and others before it are: PostgreSQL was
 * set back (P193).
 */
export async function cacheOrdersAfter(
  db: Queryable,
  { number, at }: OrderPlace,
  limit: number,
): Promise<(CacheOrder & OrderPlace)[]> {
  const rows = await db.query<{
    nummer: string
    gitt: string
    foretak: string
    seksjoner: string[] | null
    hard: boolean
  }>(
    `select nummer, ${GIVEN} as gitt, foretak, seksjoner, hard from mellomlager_ordre
     where nummer > $1 or not exists (select 1 from mellomlager_ordre where nummer = $1 and ${GIVEN} = $2)
     order by nummer limit $3`,
    [number, at, limit],
  )
  return rows.map((row) => ({
    number: Number(row.nummer),
    at: row.gitt,
    company: row.foretak,
    sections: row.seksjoner,
    isHard: row.hard,
  }))
}

/** To the microsecond, whatever the zone. */
const GIVEN = `(extract(epoch from gitt_at) * 1000000)::bigint::text`

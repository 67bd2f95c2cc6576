import type { Queryable } from './database.ts'

export type StoredCanaryRun = { ferdig: Date; resultat: unknown }

/**
 * What the newest run that reached a register found to look at: against the schema, and since the run before. `sistSett` is when that
 * was; before any did, `nytt` is null, and it is since when there have been any.
 */
export type CanaryNews = { sistSett: Date; nytt: { skjema: number; siden: number } | null }

/** How many runs are remembered. */
const KEPT_MAX = 60

/**
 * Takes a night for whoever asks first; two processes never both have it. A night whose taker has not ended it within
 * `takenForMs` may be taken again.
 *
 * @param natt the day it belongs to, `YYYY-MM-DD`
 */
export async function takeNight(
  db: Queryable,
  { natt, now, takenForMs }: { natt: string; now: Date; takenForMs: number },
): Promise<boolean> {
  const rows = await db.query(
    `insert into kanari (natt, startet_at) values ($1, $2)
     on conflict (natt) do update set startet_at = $2
       where kanari.ferdig_at is null and kanari.startet_at < $2::timestamptz - $3::bigint * interval '1 ms'
     returning nummer`,
    [natt, now, takenForMs],
  )
  return rows.length > 0
}

/** @param natt the night that was taken; null for a run of its own */
export async function keepCanaryRun(
  db: Queryable,
  {
    natt,
    startet,
    ferdig,
    resultat,
    nytt,
  }: { natt: string | null; startet: Date; ferdig: Date; resultat: object; nytt: CanaryNews['nytt'] },
): Promise<void> {
  await db.query(
    `insert into kanari (natt, startet_at, ferdig_at, resultat, nytt) values ($1, $2, $3, $4, $5)
     on conflict (natt) do update set ferdig_at = $3, resultat = $4, nytt = $5`,
    [natt, startet, ferdig, JSON.stringify(resultat), nytt === null ? null : JSON.stringify(nytt)],
  )
  await db.query('delete from kanari where nummer <= (select max(nummer) from kanari) - $1::integer', [
    KEPT_MAX,
  ])
}

/** Those that have ended, the newest first. */
export async function newestCanaryRuns(db: Queryable, limit: number): Promise<StoredCanaryRun[]> {
  return db.query<StoredCanaryRun>(
    `select ferdig_at as ferdig, resultat from kanari where resultat is not null
     order by ferdig_at desc limit $1`,
    [limit],
  )
}

/** Null before any run has begun. */
export async function newestCanaryNews(db: Queryable): Promise<CanaryNews | null> {
  const [newest] = await db.query<CanaryNews>(
    `select case when nytt is null then startet_at else ferdig_at end as "sistSett", nytt from kanari
     order by nytt is null, case when nytt is not null then ferdig_at end desc, startet_at limit 1`,
  )
  return newest ?? null
}

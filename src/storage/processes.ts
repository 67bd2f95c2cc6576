import { Type } from 'typebox'
import type { Queryable } from './database.ts'
import { rowReader, Tid } from './read-rows.ts'

export type ProcessKind = 'front' | 'arbeider' | 'alt'

/** A process as it last reported itself. `sammendrag` may come from another release. */
export type StoredProcess = {
  id: string
  slag: ProcessKind
  versjon: string
  startet: Date
  sett: Date
  sammendrag: unknown
}

/**
 * A process says that it is alive, and hears who else is. Time is PostgreSQL's alone, so that clocks that differ make nobody
 * look dead; who has been silent for `forgetMs` is forgotten.
 *
 * @returns all that were heard within `aliveMs`, oldest first
 */
export async function reportProcess(
  db: Queryable,
  process: Omit<StoredProcess, 'sett'>,
  { aliveMs, forgetMs, limit }: { aliveMs: number; forgetMs: number; limit: number },
): Promise<StoredProcess[]> {
  await db.query(
    `insert into prosess (id, slag, versjon, startet_at, sett_at, sammendrag) values ($1, $2, $3, $4, now(), $5::jsonb)
     on conflict (id) do update set sett_at = now(), sammendrag = excluded.sammendrag`,
    [process.id, process.slag, process.versjon, process.startet, JSON.stringify(process.sammendrag)],
  )
  await db.query(`delete from prosess where sett_at < now() - $1::integer * interval '1 ms'`, [forgetMs])
  return aliveProcesses(db, { aliveMs, limit })
}

/** All that were heard within `aliveMs`, oldest first. */
export async function aliveProcesses(
  db: Queryable,
  { aliveMs, limit }: { aliveMs: number; limit: number },
): Promise<StoredProcess[]> {
  return db.query<StoredProcess>(
    `select id, slag, versjon, startet_at as startet, sett_at as sett, sammendrag from prosess
     where sett_at >= now() - $1::integer * interval '1 ms' order by startet_at, id limit $2`,
    [aliveMs, limit],
  )
}

/**
 * What PostgreSQL's clock says, in epoch milliseconds, at a moment of `performance.now()`, right to half the time the question took;
 * null when that was too long to say. No clock of this process is read: one that is set meanwhile changes nothing of it.
 */
export async function databaseTime(
  db: Queryable,
  { withinMs }: { withinMs: number },
): Promise<{ commonMs: number; atMs: number } | null> {
  const askedAtMs = performance.now()
  const [row] = await db.query<{ at: Date }>('select clock_timestamp() as at')
  const atMs = performance.now()
  const tookMs = atMs - askedAtMs
  return row === undefined || tookMs > withinMs ? null : { commonMs: row.at.getTime() + tookMs / 2, atMs }
}

/** Whether somebody counted nearly a day ago, by PostgreSQL's clock: one that was set ahead since by days has nothing of that time. */
export async function wasCountedADayAgo(db: Queryable): Promise<boolean> {
  const rows = await db.query(
    `select 1 from maaling where minutt between now() - interval '25 hours' and now() - interval '20 hours' limit 1`,
  )
  return rows.length > 0
}

/** A process that ends says so, and is not waited for. */
export async function forgetProcess(db: Queryable, id: string): Promise<void> {
  await db.query('delete from prosess where id = $1', [id])
}

/**
 * What a process counted in a minute; told twice it is the last that holds. Minutes older than a day are forgotten, and those to come:
 * they are of a clock that was ahead, which would be believed when it is so again (P194).
 */
export async function keepMinute(
  db: Queryable,
  minute: { at: Date; process: string; counted: unknown },
): Promise<void> {
  await db.query(
    `insert into maaling (minutt, prosess, verdier) values (date_trunc('minute', $1::timestamptz), $2, $3::jsonb)
     on conflict (minutt, prosess) do update set verdier = excluded.verdier`,
    [minute.at, minute.process, JSON.stringify(minute.counted)],
  )
  await db.query(
    `delete from maaling where minutt < now() - interval '25 hours' or minutt > now() + interval '1 hour'`,
  )
}

/** What all processes counted since then, oldest minute first. */
export async function minutesSince(
  db: Queryable,
  since: Date,
  limit: number,
): Promise<{ minutt: Date; verdier: unknown }[]> {
  const rows = await db.query(
    'select minutt, verdier from maaling where minutt >= $1 order by minutt, prosess limit $2',
    [since, limit],
  )
  return readMinutes(rows)
}

const readMinutes = rowReader('maaling', Type.Object({ minutt: Tid, verdier: Type.Unknown() }))

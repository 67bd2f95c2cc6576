import { nineDigits } from '#src/core/organisation-number.ts'
import type { Queryable } from '../database.ts'

/** What was done last to one company's place among those that an owner watches. */
export type WatchNote = { orgnr: string; hva: 'lagt_til' | 'endret' | 'tatt_bort'; at: Date }

/**
 * A part of a statement (`with`) that notes what it has done to what `$1` watches. So many stand of one owner, and no more are
 * written: that there are as many is what there is to tell then.
 *
 * @param done a query for `orgnr` and `hva`
 */
export function noting(done: string): string {
  return `insert into overvaking_endret (eier, orgnr, hva, endret_at)
    select $1, orgnr, hva, now() from (${done}) as gjort
    order by orgnr limit greatest(0, ${NOTES_MAX} - (select count(*) from overvaking_endret where eier = $1))
    on conflict (eier, orgnr) do update set hva = excluded.hva, endret_at = excluded.endret_at`
}

/** What was done in the last thirty days, the newest first, at most so many, and how much it was in all. */
export async function readWatchNotes(
  db: Queryable,
  eier: string,
  limit: number,
): Promise<{ newest: WatchNote[]; count: number; isMore: boolean }> {
  const rows = await db.query<{ orgnr: number; hva: WatchNote['hva']; endret_at: Date; antall: string }>(
    `select orgnr, hva, endret_at, count(*) over () as antall from overvaking_endret
     where eier = $1 and endret_at > now() - ${KEPT} order by endret_at desc, orgnr limit $2`,
    [eier, limit],
  )
  const count = Number(rows[0]?.antall ?? 0)
  return {
    newest: rows.map(({ orgnr, hva, endret_at }) => ({ orgnr: nineDigits(orgnr), hva, at: endret_at })),
    count,
    isMore: count >= NOTES_MAX,
  }
}

/** Takes away what is older. By PostgreSQL's own clock. */
export async function removeOldWatchNotes(db: Queryable): Promise<void> {
  await db.query(`delete from overvaking_endret where endret_at <= now() - ${KEPT}`)
}

const NOTES_MAX = 1000
const KEPT = `interval '30 days'`

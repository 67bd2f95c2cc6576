import type { Queryable } from './database.ts'
import { keyNotEnded } from './key-life.ts'
import { inStates } from './order-states.ts'

/**
 * Chains of keys that end within so many days, or ended within the last, and have not been reminded of just that; soonest
 * first; days of 24 hours, also where PostgreSQL's own clock is set in Norway's time. Renewed ones are left in peace. One key each: the newest that could be used.
 */
export async function dueReminders(
  db: Queryable,
  { at, days, limit }: { at: Date; days: number; limit: number },
): Promise<{ kjede: string; nokkel: string }[]> {
  return db.query<{ kjede: string; nokkel: string }>(
    `select * from (
       select distinct on (n.kjede) n.kjede, n.id as nokkel, n.utloper_at from api_nokkel n
       where n.epost is not null and ${keyNotEnded('$1', 'n')}
         and n.utloper_at <= $1::timestamptz + make_interval(hours => 24 * $2)
         and n.utloper_at > $1::timestamptz - interval '24 hours'
         and not exists (
           select 1 from utboks u where u.slag = 'paaminn' and u.gjelder = n.kjede and u.nr <= $2
         )
         and not exists (select 1 from ordre o where o.fornyer = n.kjede and ${inStates(({ leadsTo }) => leadsTo === 'key', 'o.tilstand')})
       order by n.kjede, n.utstedt_at desc
     ) as nokler order by utloper_at limit $3`,
    [at, days, limit],
  )
}

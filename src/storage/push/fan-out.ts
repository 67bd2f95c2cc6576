import { isOfTypes } from '../changes/read-watched.ts'
import type { Database, Queryable } from '../database.ts'
import { dueBehindOthers, type EndpointInLine, LINE } from './sending.ts'

/**
 * Goes on through the log: each change becomes a delivery to each endpoint of each who watches the company and wants its kind. The
 * place in the log moves in the same transaction, so a change is never passed over and never becomes two; numbers become
 * visible in their order, so nothing comes in behind the place. One process at a time; another that comes meanwhile leaves it. An
 * endpoint that is being taken away gets none, and the others have theirs.
 *
 * @returns the endpoints that have something to send, and whether there is more to go through at once
 */
export async function fanOut(
  db: Pick<Database, 'query' | 'transaction'>,
  { changesMax }: { changesMax: number },
): Promise<{ endpoints: EndpointInLine[]; hasMore: boolean }> {
  if (!(await isAnyBehind(db))) return { endpoints: [], hasMore: false }
  return db.transaction(async (connection) => {
    // The first time: from where the first endpoint begins, or from here while there is none.
    await connection.query(
      `insert into leveringspeker (nr)
       select coalesce((select min(fra_nr) from endepunkt), (select max(nr) from endring), 0)
       where not exists (select 1 from leveringspeker) on conflict do nothing`,
    )
    const [place] = await connection.query<{ nr: string }>(
      'select nr from leveringspeker for update skip locked',
    )
    if (place === undefined) return { endpoints: [], hasMore: false }
    const [seen] = await connection.query<{ last: string | null; count: number }>(
      `select max(nr) as last, count(*)::int as count
       from (select nr from endring where nr > $1 order by nr limit $2) as nye`,
      [place.nr, changesMax],
    )
    if (seen === undefined || seen.last === null) return { endpoints: [], hasMore: false }
    const endpoints = await connection.query<EndpointInLine>(
      `with nye as (select nr, orgnr, type, prove from endring where nr > $1 and nr <= $2),
       laget as (
         insert into levering (endepunkt, endring, orgnr, type, neste_at)
         select p.id, e.nr, e.orgnr, e.type, ${dueBehindOthers(NEW_DELIVERY)} from ${watchedBy('nye')}
         where p.av_at is null and p.hviler_fra is null and e.nr > p.fra_nr
         order by e.nr
         for key share of p
         on conflict (endepunkt, endring) do nothing returning endepunkt)
       select id, ${LINE} as line from endepunkt where id in (select endepunkt from laget)`,
      [place.nr, seen.last],
    )
    await connection.query('update leveringspeker set nr = $1', [seen.last])
    return { endpoints, hasMore: seen.count === changesMax }
  })
}

/** Of a change and an endpoint, as `watchedBy` has them. */
export const NEW_DELIVERY = { endepunkt: 'p.id', orgnr: 'e.orgnr', endring: 'e.nr' } as const

/** Whether the log goes on behind the place: one look, where nothing has changed nearly always. */
async function isAnyBehind(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ mer: boolean }>(
    `select coalesce((select max(nr) from endring), 0) > coalesce((select nr from leveringspeker), -1) as mer`,
  )
  return row?.mer === true
}

/**
 * Changes, `e`, with each endpoint, `p`, that is to have them: the owner watches the company (`o`), since before the change, and both
 * the watch and the endpoint want its kind.
 *
 * @param changes a table of changes
 */
export function watchedBy(changes: string): string {
  return `${changes} e
    join overvaking o on o.orgnr = e.orgnr and o.prove = e.prove and e.nr > o.fra_nr and ${isOfTypes('e.type', 'o.typer')}
    join endepunkt p on p.eier = o.eier and p.prove = o.prove and ${isOfTypes('e.type', 'p.typer')}`
}

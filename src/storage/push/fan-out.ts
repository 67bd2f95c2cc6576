import { isOfTypes } from '../changes/read-watched.ts'
import type { Database, Queryable } from '../database.ts'
import { dueInOrder, type EndpointInLine, LINE } from './sending.ts'

/**
 * Goes on through the log: each change becomes a delivery to each endpoint of each who watches the company and wants its kind. The
 * place in the log moves in the same transaction, so a change is never passed over and never becomes two; numbers become
 * visible in their order, so nothing comes in behind the place. One process at a time; another that comes meanwhile leaves it. An
 * endpoint that is being taken away gets none, and the others have theirs.
 *
 * @param bounds of one transaction: changes, and deliveries that are made of them, unless one change alone is more
 * @returns the endpoints that have something to send, and whether there is more to go through at once
 */
export async function fanOut(
  db: Pick<Database, 'query' | 'transaction'>,
  { changesMax, deliveriesMax }: { changesMax: number; deliveriesMax: number },
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
    const [seen] = await connection.query<{ first: string | null; last: string; count: number }>(
      `select min(nr) as first, max(nr) as last, count(*)::int as count
       from (select nr from endring where nr > $1 order by nr limit $2) as nye`,
      [place.nr, changesMax],
    )
    if (seen === undefined || seen.first === null) return { endpoints: [], hasMore: false }
    const [beyond] = await connection.query<{ before: string }>(
      `with ${NEW_CHANGES}
       select greatest(e.nr - 1, $4::bigint) as before from ${TO_BE_TOLD} order by e.nr offset $3 limit 1`,
      [place.nr, seen.last, deliveriesMax, seen.first],
    )
    const { before: last } = beyond ?? { before: seen.last }
    const endpoints = await connection.query<EndpointInLine>(
      `with ${NEW_CHANGES},
       ventet as (${DELIVERIES} from ${TO_BE_TOLD} for key share of p),
       laget as (
         insert into levering (endepunkt, endring, orgnr, type, neste_at) ${dueInOrder('ventet')}
         on conflict (endepunkt, endring) do nothing returning endepunkt)
       select id, ${LINE} as line from endepunkt where id in (select endepunkt from laget)`,
      [place.nr, last],
    )
    await connection.query('update leveringspeker set nr = $1', [last])
    return { endpoints, hasMore: seen.count === changesMax || last !== seen.last }
  })
}

/** Whether the log goes on behind the place: one look, where nothing has changed nearly always. */
async function isAnyBehind(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ mer: boolean }>(
    `select coalesce((select max(nr) from endring), 0) > coalesce((select nr from leveringspeker), -1) as mer`,
  )
  return row?.mer === true
}

/** As `dueInOrder` wants them, of what `watchedBy` has. */
export const DELIVERIES = 'select p.id as endepunkt, e.nr as endring, e.orgnr, e.type'

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

const NEW_CHANGES =
  'nye as materialized (select nr, orgnr, type, prove from endring where nr > $1 and nr <= $2)'
const TO_BE_TOLD = `${watchedBy('nye')} where p.av_at is null and p.hviler_fra is null and e.nr > p.fra_nr`

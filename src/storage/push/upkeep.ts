import type { Queryable } from '../database.ts'
import { keyInUse } from '../key-life.ts'

/** Endpoints whose owner has no valid key any more rest, and go on when there is one again. */
export async function restWithoutKey(db: Queryable, at: Date): Promise<void> {
  await db.query(
    `with recursive rekke (eier, kjede, dybde) as (
       select distinct eier, eier, 0 from endepunkt where not prove
       union all
       select r.eier, o.id, r.dybde + 1 from rekke r join ordre o on o.fornyer = r.kjede where r.dybde < 100
     ), gyldige as (
       select distinct r.eier from rekke r join api_nokkel n on n.kjede = r.kjede where ${keyInUse('$1', 'n')}
     )
     update endepunkt set hviler_fra = case when ${HAS_KEY} then null else now() end
     where (hviler_fra is null) <> (${HAS_KEY})`,
    [at],
  )
}

/** A test key of one's own tells of no end but its date, and of one that its holder has chosen. */
const HAS_KEY = `case when prove then eier_slutter_at > $1 and not exists (
    select 1 from avsluttet_testnokkel where avsluttet_testnokkel.id = eier) else eier in (select eier from gyldige) end`

/**
 * Takes away what is old: deliveries that are done, tests and deliveries of changes that are no more. To an endpoint of a test key the
 * newest are kept, and no more: whoever asks is mailed one. Some of those are looked at each time.
 */
export async function removeOldDeliveries(
  db: Queryable,
  {
    deliveriesKeptMs,
    deliveriesOfTestMax,
    testEndpointsAtOnce,
    atOnce,
  }: Record<'deliveriesKeptMs' | 'deliveriesOfTestMax' | 'testEndpointsAtOnce' | 'atOnce', number>,
): Promise<number> {
  const rows = await db.query(
    `delete from levering where id in (
       select id from levering where ferdig_at < now() - $1 * interval '1 ms' order by ferdig_at limit $2) returning id`,
    [deliveriesKeptMs, atOnce],
  )
  await db.query(
    `delete from levering where id in (
       select eldre.id from (select id from endepunkt where prove order by random() limit $3) as p cross join lateral (
         select id from levering where endepunkt = p.id order by id desc offset $1 limit $2) as eldre
       limit $2)`,
    [deliveriesOfTestMax, atOnce, testEndpointsAtOnce],
  )
  await db.query(`delete from endepunktbruk where fra < now() - interval '1 hour'`)
  return rows.length
}

/**
 * Takes away endpoints that have rested for so long, after what was to be sent to them, of which there may be more than one statement
 * has time for: it is taken so many at a time.
 */
export async function removeRested(
  db: Queryable,
  { endpointsRestMs, removedAtOnce }: Record<'endpointsRestMs' | 'removedAtOnce', number>,
): Promise<void> {
  const isOver = `hviler_fra < now() - $1 * interval '1 ms'`
  await db.query(
    `delete from levering where id in (
       select l.id from endepunkt p join levering l on l.endepunkt = p.id where ${isOver} limit $2)`,
    [endpointsRestMs, removedAtOnce],
  )
  await db.query(
    `delete from endepunkt p where ${isOver} and not exists (select 1 from levering where endepunkt = p.id)`,
    [endpointsRestMs],
  )
}

/** How it stands, for operators. Ages in seconds, by PostgreSQL's clock. */
export type PushState = {
  endpoints: number
  /** Of them: switched off by us, and where the last attempt failed. */
  off: number
  failing: number
  waiting: number
  /**
   * How long a delivery has waited, and its endpoint for whoever sends there, where nothing has failed, or a change for whoever goes
   * through the log, however few there are; 0 when none does. Who takes what comes slowly waits for themselves, and of test keys, which
   * anybody may have, any number may: neither says that customers' are late.
   */
  oldestSeconds: number
  /** Changes that were not gone through yet. */
  notGoneThrough: number
}

export async function readPushState(db: Queryable): Promise<PushState> {
  const [row] = await db.query<Record<keyof PushState, string | null>>(
    `select (select count(*) from endepunkt) as endpoints,
       (select count(*) from endepunkt where av_grunn in ('borte', 'feilet')) as off,
       (select count(*) from endepunkt where av_at is null and feilet_fra is not null) as failing,
       (select count(*) from levering where tilstand = 'venter') as waiting,
       extract(epoch from now() - least(
         (select min(greatest(l.neste_at, p.levert_at))
          from levering l join endepunkt p on p.id = l.endepunkt
          where l.tilstand = 'venter' and l.forsok = 0 and not p.prove and p.av_at is null and p.hviler_fra is null
            and p.feilet_fra is null),
         (select skrevet_at from endring where nr > (select nr from leveringspeker) order by nr limit 1)
       )) as "oldestSeconds",
       (select count(*) from (select 1 from endring where nr > (select nr from leveringspeker) limit 100000) as nye)
         as "notGoneThrough"`,
  )
  const number = (name: keyof PushState) => Math.max(0, Number(row?.[name] ?? 0))
  return {
    endpoints: number('endpoints'),
    off: number('off'),
    failing: number('failing'),
    waiting: number('waiting'),
    oldestSeconds: number('oldestSeconds'),
    notGoneThrough: number('notGoneThrough'),
  }
}

import type { Queryable } from './database.ts'

/**
 * How far a feed has been followed: the work of the event `id`, published `at`, and of all before it is durable.
 * Without an id the feed is to be read from the time `at` on.
 */
export type FeedPosition = { id: string | null; at: Date }

/** The right to follow a feed. `number` is the fencing number: a later holder's is higher. */
export type FeedLease = { readonly feed: string; readonly number: number }

/**
 * Takes the lease on a feed when nobody holds it or its holder's time is up; null when somebody does. One statement, so of
 * two who try at once one gets it. Time is PostgreSQL's alone; a lease longer than any was written before its clock was set back.
 *
 * @returns the lease and the position it starts from, which is null when the feed has never been followed
 */
export async function takeFeed(
  db: Queryable,
  feed: string,
  { holder, leaseMs }: { holder: string; leaseMs: number },
): Promise<{ lease: FeedLease; position: FeedPosition | null } | null> {
  const [row] = await db.query<{ leienummer: number; siste_id: string | null; siste_at: Date | null }>(
    `insert into feed_posisjon as f (feed, leienummer, leid_av, leid_til)
     values ($1, 1, $2, now() + $3::integer * interval '1 ms')
     on conflict (feed) do update
     set leienummer = f.leienummer + 1, leid_av = excluded.leid_av, leid_til = excluded.leid_til
     where f.leid_til <= now() or f.leid_til > now() + 2 * $3::integer * interval '1 ms'
     returning leienummer, siste_id, siste_at`,
    [feed, holder, leaseMs],
  )
  if (row === undefined) return null
  const position = row.siste_at === null ? null : { id: row.siste_id, at: row.siste_at }
  return { lease: { feed, number: row.leienummer }, position }
}

/** Keeps the lease for another `leaseMs`. False when somebody else has taken it since: then it is lost for good. */
export async function keepFeed(
  db: Queryable,
  { feed, number }: FeedLease,
  leaseMs: number,
): Promise<boolean> {
  const rows = await db.query(
    `update feed_posisjon set leid_til = now() + $3::integer * interval '1 ms'
     where feed = $1 and leienummer = $2
     returning feed`,
    [feed, number, leaseMs],
  )
  return rows.length === 1
}

/** Lets the next one take the lease at once. Nothing happens when somebody already has. */
export async function leaveFeed(db: Queryable, { feed, number }: FeedLease): Promise<void> {
  await db.query('update feed_posisjon set leid_til = now() where feed = $1 and leienummer = $2', [
    feed,
    number,
  ])
}

/**
 * Moves the position, to be done when the work of all events up to it is durable. False, and nothing is moved, when
 * somebody else has taken the lease: a follower that was away too long can not undo its successor's progress. Nor is it where
 * the position is another than `from`: PostgreSQL was set back, and what was done of the events since is not there (P193).
 *
 * @param from where whoever holds the lease has followed it to; null: nowhere yet
 */
export async function moveFeed(
  db: Queryable,
  { feed, number }: FeedLease,
  from: FeedPosition | null,
  { id, at }: FeedPosition,
): Promise<boolean> {
  const rows = await db.query(
    `update feed_posisjon set siste_id = $3, siste_at = $4, flyttet_at = now()
     where feed = $1 and leienummer = $2
       and (siste_id, date_trunc('milliseconds', siste_at)) is not distinct from ($5::text, $6::timestamptz)
     returning feed`,
    [feed, number, id, at, from?.id ?? null, from?.at ?? null],
  )
  return rows.length === 1
}

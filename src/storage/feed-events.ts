import type { Queryable } from './database.ts'

export type FeedEvent = { seksjoner: string[]; lest: Date }

/** Remembers which held companies a page of a feed touched, and forgets all but the newest `keep`. */
export async function keepFeedEvents(
  db: Queryable,
  touched: readonly { foretak: string; seksjoner: readonly string[] }[],
  keep: number,
): Promise<void> {
  if (touched.length === 0) return
  await db.query(
    `insert into feed_hendelse (foretak, seksjoner, lest_at)
     select t.foretak, string_to_array(t.seksjoner, ','), now()
     from unnest($1::text[], $2::text[]) as t (foretak, seksjoner)`,
    [touched.map(({ foretak }) => foretak), touched.map(({ seksjoner }) => seksjoner.join(','))],
  )
  await db.query('delete from feed_hendelse where nummer <= (select max(nummer) from feed_hendelse) - $1', [
    keep,
  ])
}

/** Those that touched one company, newest first. */
export async function feedEventsOf(db: Queryable, foretak: string, limit: number): Promise<FeedEvent[]> {
  return db.query<FeedEvent>(
    'select seksjoner, lest_at as lest from feed_hendelse where foretak = $1 order by nummer desc limit $2',
    [foretak, limit],
  )
}

/** Nothing of a removed company is kept. */
export async function eraseFeedEvents(db: Queryable, foretak: string): Promise<void> {
  await db.query('delete from feed_hendelse where foretak = $1', [foretak])
}

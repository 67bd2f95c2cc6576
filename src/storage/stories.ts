import type { Queryable } from './database.ts'
import type { ProcessKind } from './processes.ts'

/** What became of one request, and who answered it. `historie` may come from another release. */
export type StoredStory = {
  id: string
  at: Date
  prosess: string
  slag: ProcessKind
  versjon: string
  historie: unknown
}

/** Of all processes together: a hundred megabytes or so. */
const KEPT_MAX = 100_000
const KEPT_FOR = '3 days'

/** Keeps them all or none; the oldest go. */
export async function keepStories(
  db: Queryable,
  by: Pick<StoredStory, 'prosess' | 'slag' | 'versjon'>,
  stories: readonly { id: string; tid: string }[],
): Promise<void> {
  await db.query(
    `insert into forespoersel (id, at, prosess, slag, versjon, historie)
     select historie ->> 'id', (historie ->> 'tid')::timestamptz, $1, $2, $3, historie
     from jsonb_array_elements($4::jsonb) as historie`,
    [by.prosess, by.slag, by.versjon, JSON.stringify(stories)],
  )
  await db.query(
    `delete from forespoersel
     where at < now() - interval '${KEPT_FOR}' or nummer <= (select max(nummer) from forespoersel) - $1::integer`,
    [KEPT_MAX],
  )
}

/** Null for one that was not kept, or is so no longer. */
export async function findStory(db: Queryable, id: string): Promise<StoredStory | null> {
  const [row] = await db.query<StoredStory>(
    'select id, at, prosess, slag, versjon, historie from forespoersel where id = $1 order by nummer desc limit 1',
    [id],
  )
  return row ?? null
}

import type { Queryable } from './database.ts'

/** Writes down that a test key is over, for ever. Told again it is the same. */
export async function insertEndedTestKey(
  db: Queryable,
  { id, utloper }: { id: string; utloper: Date },
  at: Date,
): Promise<void> {
  await db.query(
    `insert into avsluttet_testnokkel (id, avsluttet_at, utloper_at) values ($1, $2, $3) on conflict do nothing`,
    [id, at, utloper],
  )
}

/** Those with a number above this one, in their order. A number may become visible after a higher one. */
export async function endedTestKeysSince(
  db: Queryable,
  after: number,
  limit: number,
): Promise<{ id: string; nr: number }[]> {
  const rows = await db.query<{ id: string; nr: string }>(
    'select id, nr from avsluttet_testnokkel where nr > $1 order by nr limit $2',
    [after, limit],
  )
  return rows.map(({ id, nr }) => ({ id, nr: Number(nr) }))
}

/** What would have expired by now. */
export async function forgetEndedTestKeys(db: Queryable, at: Date): Promise<void> {
  await db.query('delete from avsluttet_testnokkel where utloper_at <= $1', [at])
}

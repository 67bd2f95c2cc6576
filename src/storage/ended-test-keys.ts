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

/** The ids of those that would not have expired yet. What would have is forgotten. */
export async function readEndedTestKeys(db: Queryable, at: Date): Promise<ReadonlySet<string>> {
  await db.query('delete from avsluttet_testnokkel where utloper_at <= $1', [at])
  const rows = await db.query<{ id: string }>('select id from avsluttet_testnokkel')
  return new Set(rows.map(({ id }) => id))
}

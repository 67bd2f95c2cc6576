import type { Queryable } from './database.ts'

/** That these keys were proved, by id, as it was noted. */
export async function findKeyProofs(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ nokkel: string; bevis: string }>(
    'select nokkel, bevis from nokkelbevis where nokkel = any($1)',
    [ids],
  )
  return new Map(rows.map(({ nokkel, bevis }) => [nokkel, bevis]))
}

/** By id, in one order wherever it is done at the same time. Of a key that is gone nothing is noted. */
export async function noteKeyProofs(db: Queryable, proofs: ReadonlyMap<string, string>): Promise<void> {
  await db.query(
    `insert into nokkelbevis (nokkel, bevis)
     select id, proved.bevis from unnest($1::text[], $2::text[]) as proved (nokkel, bevis)
       join api_nokkel on id = proved.nokkel where hash is not null order by id
     on conflict (nokkel) do update set bevis = excluded.bevis`,
    [[...proofs.keys()], [...proofs.values()]],
  )
}

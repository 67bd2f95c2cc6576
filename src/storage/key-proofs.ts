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

/** Of a key that is gone nothing is noted. */
export async function noteKeyProof(db: Queryable, id: string, proof: string): Promise<void> {
  await db.query(
    `insert into nokkelbevis (nokkel, bevis) select id, $2 from api_nokkel where id = $1 and hash is not null
     on conflict (nokkel) do update set bevis = excluded.bevis`,
    [id, proof],
  )
}

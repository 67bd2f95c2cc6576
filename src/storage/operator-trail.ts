import type { Queryable } from './database.ts'

/** Something an operator did. `gjelder`: the id, number or name it was done to; `utfall`: a code. */
export type Deed = {
  at: Date
  hvem: string
  handling: string
  gjelder: string | null
  hvorfor: string
  utfall: string
}

/** Adds to the end. Rows are never changed and never deleted by the service. */
export async function recordDeed(db: Queryable, deed: Deed): Promise<void> {
  await db.query(
    'insert into operator_spor (gjort_at, hvem, handling, gjelder, hvorfor, utfall) values ($1, $2, $3, $4, $5, $6)',
    [deed.at, deed.hvem, deed.handling, deed.gjelder, deed.hvorfor, deed.utfall],
  )
}

/** Newest first, at most `limit`: all, or those that were done to one of these. */
export async function listDeeds(
  db: Queryable,
  { gjelder = null, limit }: { gjelder?: readonly string[] | null; limit: number },
): Promise<Deed[]> {
  return db.query<Deed>(
    `select gjort_at as at, hvem, handling, gjelder, hvorfor, utfall from operator_spor
     where $1::text[] is null or gjelder = any($1) order by nummer desc limit $2`,
    [gjelder, limit],
  )
}

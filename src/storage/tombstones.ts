import type { Database, Queryable } from './database.ts'

/** `at`: when it was published, or heard, that the company is removed. `slettedato` (yyyy-mm-dd) when it was told. */
type Removal = { organisasjonsnummer: string; slettedato: string | null; at: Date }

/** `number` rises with every removal; a company removed anew gets a new one. */
type Tombstone = Removal & { number: number }

/** A removal that is not erased everywhere yet: `erasedFrom` are the places that are done. */
type UnfinishedErasure = { organisasjonsnummer: string; number: number; erasedFrom: string[] }

/**
 * Remembers for ever that these companies are removed, and that they are to be erased everywhere. All of them or none.
 * The same removal told again changes nothing; a later one starts its erasure anew. Numbers become visible in their order,
 * so that whoever has read up to one misses none below it.
 */
export async function buryCompanies(
  db: Pick<Database, 'transaction'>,
  removals: readonly Removal[],
): Promise<void> {
  if (removals.length === 0) return
  await db.transaction(async (connection) => {
    // One burial at a time; readers are not held up by this mode.
    await connection.query('lock table fjernet in share row exclusive mode')
    await connection.query(
      `insert into fjernet as f (organisasjonsnummer, nummer, slettedato, fjernet_at)
       select organisasjonsnummer, nextval('fjernet_nummer'), slettedato, fjernet_at
       from (
         select organisasjonsnummer, max(slettedato) as slettedato, max(fjernet_at) as fjernet_at
         from unnest($1::text[], $2::date[], $3::timestamptz[]) as ny (organisasjonsnummer, slettedato, fjernet_at)
         group by organisasjonsnummer
       ) as ny
       on conflict (organisasjonsnummer) do update
       set slettedato = coalesce(excluded.slettedato, f.slettedato),
           nummer = case when excluded.fjernet_at > f.fjernet_at then excluded.nummer else f.nummer end,
           utvisket_fra = case when excluded.fjernet_at > f.fjernet_at then '{}' else f.utvisket_fra end,
           fjernet_at = greatest(excluded.fjernet_at, f.fjernet_at)`,
      [
        removals.map(({ organisasjonsnummer }) => organisasjonsnummer),
        removals.map(({ slettedato }) => slettedato),
        removals.map(({ at }) => at),
      ],
    )
  })
}

/** Removals after a number, 0 for all, by rising number, at most `limit`. A company is there once, with its latest. */
export async function listTombstonesSince(
  db: Queryable,
  number: number,
  limit: number,
): Promise<Tombstone[]> {
  const rows = await db.query<{
    organisasjonsnummer: string
    nummer: string
    slettedato: string | null
    fjernet_at: Date
  }>(
    `select organisasjonsnummer, nummer, slettedato::text, fjernet_at
     from fjernet where nummer > $1 order by nummer limit $2`,
    [number, limit],
  )
  return rows.map((row) => ({
    organisasjonsnummer: row.organisasjonsnummer,
    number: Number(row.nummer),
    slettedato: row.slettedato,
    at: row.fjernet_at,
  }))
}

/**
 * Removals that are not erased from all of `places`, by rising number after `after`, at most `limit`. A place that is new
 * to the service makes every removal unfinished again, until it has been through them all.
 */
export async function unfinishedErasures(
  db: Queryable,
  places: readonly string[],
  { after = 0, limit }: { after?: number; limit: number },
): Promise<UnfinishedErasure[]> {
  const rows = await db.query<ErasureRow>(
    `select organisasjonsnummer, nummer, utvisket_fra
     from fjernet where not utvisket_fra @> $1::text[] and nummer > $2 order by nummer limit $3`,
    [places, after, limit],
  )
  return rows.map(erasureOf)
}

/** How far the erasure of one company has come; null when it was never removed. */
export async function findErasure(
  db: Queryable,
  organisasjonsnummer: string,
): Promise<UnfinishedErasure | null> {
  const [row] = await db.query<ErasureRow>(
    'select organisasjonsnummer, nummer, utvisket_fra from fjernet where organisasjonsnummer = $1',
    [organisasjonsnummer],
  )
  return row === undefined ? null : erasureOf(row)
}

/** Notes that a place is done with this removal. A company removed anew meanwhile is not: that erasure is still to come. */
export async function markErased(
  db: Queryable,
  { organisasjonsnummer, number }: Pick<UnfinishedErasure, 'organisasjonsnummer' | 'number'>,
  place: string,
): Promise<void> {
  await db.query(
    `update fjernet set utvisket_fra = array_append(utvisket_fra, $3)
     where organisasjonsnummer = $1 and nummer = $2 and not utvisket_fra @> array[$3]`,
    [organisasjonsnummer, number, place],
  )
}

/** All removals up to this number are erased from a place; 0 where the first of them is not, and where there is none. */
export async function erasedUpTo(db: Queryable, place: string): Promise<number> {
  const [row] = await db.query<{ nummer: string | null }>(
    `select coalesce(
       (select min(nummer) - 1 from fjernet where not utvisket_fra @> array[$1]),
       (select max(nummer) from fjernet)
     ) as nummer`,
    [place],
  )
  return Number(row?.nummer ?? 0)
}

/**
 * A place may have again what was erased from it after this removal: it is to be erased once more.
 *
 * @returns how many companies
 */
export async function eraseAgainAfter(db: Queryable, place: string, number: number): Promise<number> {
  const rows = await db.query(
    `update fjernet set utvisket_fra = array_remove(utvisket_fra, $1)
     where nummer > $2 and utvisket_fra @> array[$1] returning nummer`,
    [place, number],
  )
  return rows.length
}

/** Changes whenever another removal has been erased from this place. */
export async function erasuresMark(db: Queryable, place: string): Promise<string> {
  const [row] = await db.query<{ mark: string }>(
    `select count(*) || '-' || coalesce(max(nummer), 0) as mark from fjernet where utvisket_fra @> array[$1]`,
    [place],
  )
  return row?.mark ?? '0-0'
}

type ErasureRow = { organisasjonsnummer: string; nummer: string; utvisket_fra: string[] }

function erasureOf(row: ErasureRow): UnfinishedErasure {
  return {
    organisasjonsnummer: row.organisasjonsnummer,
    number: Number(row.nummer),
    erasedFrom: row.utvisket_fra,
  }
}

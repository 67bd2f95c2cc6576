import type { Database, Queryable } from './database.ts'

type Correspondence = { sn2025: string; sn2025Navn: string; sn2007: string; sn2007Navn: string }
type IndustryCode = { kode: string; navn: string }

/** What was loaded of SSB KLASS in one go; a code list that was not to be had is null, which is not an empty one. */
export type StoredIndustryCodes = {
  loadedAt: Date
  correspondences: Correspondence[]
  sn2025Codes: IndustryCode[] | null
  sn2007Codes: IndustryCode[] | null
}

/**
 * Puts these in place of all that was stored. A reader sees all of the old or all of the new. Two who replace at once
 * come after each other, and the later stays. A pair or code given twice is stored once.
 */
export async function replaceIndustryCodes(
  db: Pick<Database, 'transaction'>,
  { loadedAt, correspondences, sn2025Codes, sn2007Codes }: StoredIndustryCodes,
): Promise<void> {
  await db.transaction(async (connection) => {
    // Readers are not held up by this mode.
    await connection.query('lock table naeringskode_lasting in share row exclusive mode')
    await connection.query('delete from naeringskode_korrespondanse')
    await connection.query('delete from naeringskode')
    await connection.query(
      `insert into naeringskode_korrespondanse (sn2025, sn2025_navn, sn2007, sn2007_navn)
       select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])
       on conflict do nothing`,
      [
        correspondences.map((row) => row.sn2025),
        correspondences.map((row) => row.sn2025Navn),
        correspondences.map((row) => row.sn2007),
        correspondences.map((row) => row.sn2007Navn),
      ],
    )
    await insertCodes(connection, 'sn2025', sn2025Codes ?? [])
    await insertCodes(connection, 'sn2007', sn2007Codes ?? [])
    await connection.query(
      `insert into naeringskode_lasting (lastet_at, har_sn2025, har_sn2007) values ($1, $2, $3)
       on conflict (eneste) do update
       set lastet_at = excluded.lastet_at, har_sn2025 = excluded.har_sn2025, har_sn2007 = excluded.har_sn2007`,
      [loadedAt, sn2025Codes !== null, sn2007Codes !== null],
    )
  })
}

/** All of what was loaded last, ordered by code; null before the first load. One statement, so of one load alone. */
export async function readIndustryCodes(db: Queryable): Promise<StoredIndustryCodes | null> {
  const [row] = await db.query<{
    lastet_at: Date
    korrespondanser: Correspondence[]
    sn2025: IndustryCode[] | null
    sn2007: IndustryCode[] | null
  }>(
    `select lastet_at,
       (select coalesce(json_agg(json_build_object(
            'sn2025', sn2025, 'sn2025Navn', sn2025_navn, 'sn2007', sn2007, 'sn2007Navn', sn2007_navn
          ) order by sn2025, sn2007), '[]')
        from naeringskode_korrespondanse) as korrespondanser,
       case when har_sn2025 then ${codesOf('sn2025')} end as sn2025,
       case when har_sn2007 then ${codesOf('sn2007')} end as sn2007
     from naeringskode_lasting`,
  )
  if (row === undefined) return null
  return {
    loadedAt: row.lastet_at,
    correspondences: row.korrespondanser,
    sn2025Codes: row.sn2025,
    sn2007Codes: row.sn2007,
  }
}

type Kodeverk = 'sn2025' | 'sn2007'

async function insertCodes(db: Queryable, kodeverk: Kodeverk, codes: readonly IndustryCode[]): Promise<void> {
  await db.query(
    `insert into naeringskode (kodeverk, kode, navn)
     select $1, kode, navn from unnest($2::text[], $3::text[]) as rad (kode, navn)
     on conflict do nothing`,
    [kodeverk, codes.map(({ kode }) => kode), codes.map(({ navn }) => navn)],
  )
}

function codesOf(kodeverk: Kodeverk): string {
  return `(select coalesce(json_agg(json_build_object('kode', kode, 'navn', navn) order by kode), '[]')
           from naeringskode where kodeverk = '${kodeverk}')`
}

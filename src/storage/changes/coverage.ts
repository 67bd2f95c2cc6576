import type { Queryable } from '../database.ts'
import type { LookLine } from './looks.ts'

/** Where a company stands in a line: from when its turn has come or comes, and how many whose turn has come are before it. */
export type PlaceInLine = { dueAt: Date; before: number }

/** Since when what of a company can be compared with, and where it stands in the lines; null: it is looked at by no line. */
export type Coverage = {
  seen: ReadonlyMap<string, Date>
  lines: Record<LookLine, PlaceInLine> | null
}

/** What is known of one company that is watched. */
export async function readCoverage(
  db: Queryable,
  { orgnr, prove }: { orgnr: string; prove: boolean },
  at: Date,
): Promise<Coverage> {
  const [seen, [place]] = await Promise.all([
    db.query<{ kilde: string; fra: Date }>(
      'select kilde, coalesce(fra_at, sett_at) as fra from grunnlag where orgnr = $1 and prove = $2',
      [Number(orgnr), prove],
    ),
    db.query<Record<LookLine, Date> & { foran: string; foran_sene: string }>(
      `select neste_at, sene_at,
         (select count(*) from blikk f where f.neste_at <= $2 and (f.neste_at, f.orgnr) < (b.neste_at, b.orgnr)) as foran,
         (select count(*) from blikk f where f.sene_at <= $2 and (f.sene_at, f.orgnr) < (b.sene_at, b.orgnr)) as foran_sene
       from blikk b where orgnr = $1 and not $3`,
      [Number(orgnr), at, prove],
    ),
  ])
  return {
    seen: new Map(seen.map(({ kilde, fra }) => [kilde, fra])),
    lines:
      place === undefined
        ? null
        : {
            neste_at: { dueAt: place.neste_at, before: Number(place.foran) },
            sene_at: { dueAt: place.sene_at, before: Number(place.foran_sene) },
          },
  }
}

/** How many stand in each line whose turn has come. */
export async function countDue(db: Queryable, at: Date): Promise<Record<LookLine, number>> {
  const [row] = await db.query<Record<LookLine, string>>(
    `select (select count(*) from blikk where neste_at <= $1) as neste_at,
       (select count(*) from blikk where sene_at <= $1) as sene_at`,
    [at],
  )
  return { neste_at: Number(row?.neste_at ?? 0), sene_at: Number(row?.sene_at ?? 0) }
}

/** How long who has waited longest in each line has waited beyond its time, in seconds; 0 where nobody does. */
export async function looksBehind(db: Queryable): Promise<Record<LookLine, number>> {
  const [row] = await db.query<Record<LookLine, string | null>>(
    `select extract(epoch from now() - (select min(neste_at) from blikk)) as neste_at,
       extract(epoch from now() - (select min(sene_at) from blikk)) as sene_at`,
  )
  const seconds = (text: string | null | undefined) => Math.max(0, Number(text ?? 0))
  return { neste_at: seconds(row?.neste_at), sene_at: seconds(row?.sene_at) }
}

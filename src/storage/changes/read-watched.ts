import type { Queryable } from '../database.ts'
import { type Change, COLUMNS, changeOf, namesNoneRemoved, readChanges } from './change-log.ts'

/** A change, and what whoever watches the company calls it. */
export type WatchedChange = Change & { navn: string | null }

/** A line's place in the log, and what tells it from another that had its number in another life of the log. */
export type LogPlace = { nr: number; sett: Date }

/** Whose: what an owner watches, or these invented companies. */
export type WhoseWatches = { eier: string; prove: boolean } | { invented: readonly number[] }

/**
 * What changed after a line, the oldest first, and how the log stood at that very moment: whoever has read up to `newest` has read
 * all there is up to it, since numbers become visible in their order.
 *
 * - `newest`: the last line there is; null: there is none
 * - `last`: the last line that was read, also where it could not be understood; `isFull`: there may be more, since as many were
 *   found as were wished for, or as many gone through as may be
 * - `here`: the line the reader comes from; null: it was taken away, or never was
 * - `given`: the highest number that was ever given, and `goneTo` up to which lines were taken away for their age
 *
 * @param wish `types`: beginnings of the types wanted; null: all. `throughMax`: lines of what is watched that are gone through,
 *   whatever the types of them: for one who wants what hardly ever happens, of ten thousand companies, all there are took seconds
 */
export async function watchedChangesAfter(
  db: Queryable,
  whose: WhoseWatches,
  wish: {
    after: number
    orgnr: string | null
    types: readonly string[] | null
    limit: number
    throughMax: number
  },
): Promise<{
  changes: WatchedChange[]
  last: LogPlace | null
  isFull: boolean
  newest: LogPlace | null
  here: LogPlace | null
  given: number
  goneTo: number
}> {
  const asked = [
    wish.after,
    wish.orgnr === null ? null : Number(wish.orgnr),
    wish.types,
    wish.limit,
    wish.throughMax,
  ]
  const rows =
    'eier' in whose
      ? await db.query<Row>(
          inOneLook(
            `select e.*, o.navn, o.typer from overvaking o join endring e on e.orgnr = o.orgnr and e.prove = o.prove
             where o.eier = $6 and o.prove = $7 and e.nr > o.fra_nr`,
          ),
          [...asked, whose.eier, whose.prove],
        )
      : await db.query<Row>(
          inOneLook(
            'select e.*, null as navn, null::text[] as typer from endring e where e.orgnr = any($6::integer[]) and e.prove',
          ),
          [...asked, whose.invented],
        )
  const [first] = rows
  const lines = rows.filter(({ nr }) => nr !== null)
  const last = lines.at(-1)
  return {
    changes: readChanges(lines.filter(({ er_med }) => er_med)).map((row) => ({
      ...changeOf(row),
      navn: (row as { navn?: string | null }).navn ?? null,
    })),
    last: placeOf(last?.nr, last?.sett_at),
    isFull: lines.length === wish.limit || last?.plass === wish.throughMax,
    newest: placeOf(first?.nyeste_nr, first?.nyeste_at),
    here: placeOf(first?.her_nr, first?.her_at),
    given: Number(first?.gitt ?? 0),
    goneTo: Number(first?.borte ?? 0),
  }
}

/** The last so many, the newest first, among the last `throughMax` there are. */
export async function latestWatched(
  db: Queryable,
  { eier, prove }: { eier: string; prove: boolean },
  { limit, throughMax }: { limit: number; throughMax: number },
): Promise<WatchedChange[]> {
  const rows = await db.query<{ navn: string | null }>(
    `select ${COLUMNS}, navn from (
       select e.*, o.navn, o.typer from overvaking o join endring e on e.orgnr = o.orgnr and e.prove = o.prove
       where o.eier = $1 and o.prove = $2 and e.nr > o.fra_nr order by e.nr desc limit $4
     ) as linje where ${isOfTypes('type', 'typer')} and ${namesNoneRemoved('linje')} order by nr desc limit $3`,
    [eier, prove, limit, throughMax],
  )
  return readChanges(rows).map((row) => ({
    ...changeOf(row),
    navn: (row as { navn?: string | null }).navn ?? null,
  }))
}

/**
 * Which of these owners watch something that changed after a line, and which line is the last. Each company counts once, however often
 * it changed: a process that had stood still comes back to a log that has gone on for hours, and line by line there was more than
 * PostgreSQL has time for, each time anew.
 */
export async function ownersWithChanges(
  db: Queryable,
  after: number,
  owners: readonly string[],
): Promise<{ newest: number; owners: ReadonlySet<string>; anyInvented: boolean }> {
  const [row] = await db.query<{ nyeste: string; eiere: string[]; oppdiktet: boolean }>(
    `with nye as materialized (select distinct orgnr, prove from endring where nr > $1)
     select (select coalesce(max(nr), 0) from endring) as nyeste,
       array(select distinct o.eier from nye join overvaking o on o.orgnr = nye.orgnr and o.prove = nye.prove
        where o.eier = any($2)) as eiere,
       exists (select 1 from nye where prove) as oppdiktet`,
    [after, owners],
  )
  return {
    newest: Number(row?.nyeste),
    owners: new Set(row?.eiere),
    anyInvented: row?.oppdiktet === true,
  }
}

/**
 * Whether a type is one of these or below one, as a condition: null wants all.
 *
 * @param type an expression of a type
 * @param types one of an array of them, or of null
 */
export function isOfTypes(type: string, types: string): string {
  return `(${types} is null or exists (
    select 1 from unnest(${types}) t where ${type} = t or starts_with(${type}, t || '.')))`
}

/** One statement, and so one moment. The last line that may be gone through comes along whatever its type: there it goes on. */
function inOneLook(from: string): string {
  return `select nyeste.nr as nyeste_nr, nyeste.sett_at as nyeste_at, her.nr as her_nr, her.sett_at as her_at,
      pg_sequence_last_value(pg_get_serial_sequence('endring', 'nr')) as gitt,
      (select til_nr from endring_borte) as borte, linje.*
    from (select 1) as en
    left join (select nr, sett_at from endring order by nr desc limit 1) nyeste on true
    left join (select nr, sett_at from endring where nr = $1) her on true
    left join lateral (
      select * from (
        select ${COLUMNS}, navn, row_number() over (order by nr)::integer as plass,
          ${isOfTypes('type', 'typer')} and ${isOfTypes('type', '$3::text[]')} and ${namesNoneRemoved('sett')} as er_med
        from (${from} and e.nr > $1 and ($2::integer is null or e.orgnr = $2) order by e.nr limit $5) as sett
      ) as gjennomgatt
      where er_med or plass = $5 order by nr limit $4
    ) linje on true
    order by linje.nr`
}

type Row = {
  nyeste_nr: string | null
  nyeste_at: Date | null
  her_nr: string | null
  her_at: Date | null
  gitt: string | null
  borte: string | null
  nr: string | null
  sett_at: Date | null
  navn: string | null
  plass: number | null
  er_med: boolean | null
}

function placeOf(nr: string | null | undefined, sett: Date | null | undefined): LogPlace | null {
  return nr === null || nr === undefined || !sett ? null : { nr: Number(nr), sett }
}

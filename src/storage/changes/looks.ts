import { nineDigits } from '#src/core/organisation-number.ts'
import type { Database, Queryable } from '../database.ts'
import type { WatchedAnswer } from './known-answers.ts'

/** A watched company that is to be looked at, and when each of its answers was last seen. */
export type DueLook = { orgnr: string; seen: ReadonlyMap<string, Date> }

/** The times at which companies are looked at: for most of what they are, and for what may be asked for slowly, by itself. */
export type LookLine = 'neste_at' | 'sene_at'

/**
 * Watched companies whose time in a line has come, longest waiting first, each taken by one; they are due again at the time `nextAt` says,
 * whatever becomes of this look. One that nobody watches any more is left out, and what it was is kept for a while only.
 */
export async function takeDueLooks(
  db: Pick<Database, 'query' | 'transaction'>,
  at: Date,
  {
    line,
    limit,
    nextAt,
    keptUntil,
  }: { line: LookLine; limit: number; nextAt: (due: DueLook) => Date; keptUntil: Date },
): Promise<DueLook[]> {
  if (!(await isAnyDue(db, line, at))) return []
  return db.transaction(async (connection) => {
    const rows = await connection.query<{ orgnr: number; overvaket: boolean }>(
      `select orgnr, exists (select 1 from overvaking o where o.orgnr = b.orgnr and not o.prove) as overvaket
       from blikk b where ${line} <= $1 order by ${line}, orgnr limit $2 for update skip locked`,
      [at, limit],
    )
    await forgetUnwatched(
      connection,
      rows.flatMap(({ orgnr, overvaket }) => (overvaket ? [] : [orgnr])),
      keptUntil,
    )
    const watched = rows.flatMap(({ orgnr, overvaket }) => (overvaket ? [orgnr] : []))
    const seen = await connection.query<{ orgnr: number; kilde: string; sett_at: Date }>(
      'select orgnr, kilde, sett_at from grunnlag where not prove and orgnr = any($1::integer[])',
      [watched],
    )
    const byCompany = Map.groupBy(seen, ({ orgnr }) => orgnr)
    const due = watched.map((orgnr) => ({
      orgnr: nineDigits(orgnr),
      seen: new Map((byCompany.get(orgnr) ?? []).map(({ kilde, sett_at: sett }) => [kilde, sett])),
    }))
    await connection.query(
      `update blikk b set ${line} = ny.at from unnest($1::integer[], $2::timestamptz[]) as ny (orgnr, at)
       where b.orgnr = ny.orgnr`,
      [watched, due.map(nextAt)],
    )
    return due
  })
}

/** One look, where nothing is due nearly always. */
async function isAnyDue(db: Queryable, line: LookLine, at: Date): Promise<boolean> {
  const rows = await db.query(`select 1 from blikk where ${line} <= $1 limit 1`, [at])
  return rows.length > 0
}

/**
 * Of these, what nobody watches any more and whose time has come, or comes soon, is out of the lines. For whoever has just ended to watch them.
 *
 * @returns how many stay in each line, for others
 */
export async function giveUpTurns(
  connection: Queryable,
  orgnrs: readonly number[],
  { soon, keptUntil }: { soon: Date; keptUntil: Date },
): Promise<Record<LookLine, number>> {
  const rows = await connection.query<{ orgnr: number }>(
    `select orgnr from blikk where orgnr = any($1::integer[]) and least(neste_at, sene_at) <= $2 order by orgnr for update`,
    [orgnrs, soon],
  )
  await forgetUnwatched(
    connection,
    rows.map(({ orgnr }) => orgnr),
    keptUntil,
  )
  const [stay] = await connection.query<Record<LookLine, string>>(
    `select count(*) filter (where neste_at <= $2) as neste_at, count(*) filter (where sene_at <= $2) as sene_at
     from blikk where orgnr = any($1::integer[])`,
    [orgnrs, soon],
  )
  return { neste_at: Number(stay?.neste_at ?? 0), sene_at: Number(stay?.sene_at ?? 0) }
}

async function forgetUnwatched(connection: Queryable, orgnrs: readonly number[], until: Date): Promise<void> {
  if (orgnrs.length === 0) return
  // Whoever begins to watch meanwhile waits for this, and puts it in line again.
  await connection.query(
    `with borte as (
       delete from blikk where orgnr = any($1::integer[])
         and not exists (select 1 from overvaking o where o.orgnr = blikk.orgnr and not o.prove) returning orgnr
     ) update grunnlag g set gjelder_til = $2 from borte where g.orgnr = borte.orgnr and not g.prove`,
    [orgnrs, until],
  )
}

/** These are to be looked at now, if they are watched. */
export async function lookSoon(db: Queryable, orgnrs: readonly string[], at: Date): Promise<void> {
  await db.query(
    // Held by number, as whoever begins to watch does.
    `with holdt as (select orgnr from blikk where orgnr = any($1::integer[]) order by orgnr for update)
     update blikk b set neste_at = least(neste_at, $2), sene_at = least(sene_at, $2) from holdt where b.orgnr = holdt.orgnr`,
    [orgnrs.map(Number), at],
  )
}

/** Which of these companies somebody watches: of each one who does is found, however many do. */
export async function watchedAmong(db: Queryable, orgnrs: readonly string[]): Promise<Set<string>> {
  return new Set((await watchersOf(db, orgnrs, 1)).keys())
}

/** Who watches each of these; of many some, of whom one has a short line. */
export async function watchersOf(
  db: Queryable,
  orgnrs: readonly string[],
  ofEachMax = WATCHERS_MAX,
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (orgnrs.length === 0) return new Map()
  const rows = await db.query<{ orgnr: number; eiere: string[] }>(
    `select orgnr, array_agg(eier) as eiere
     from unnest($1::integer[]) as orgnr
       cross join lateral (select eier from overvaking o where o.orgnr = orgnr.orgnr and not o.prove limit $2) as deres
     group by orgnr`,
    [orgnrs.map(Number), ofEachMax],
  )
  return new Map(rows.map(({ orgnr, eiere }) => [nineDigits(orgnr), eiere]))
}

/** Of each company, so that a page of what everybody watches is some ten thousand names at most. */
const WATCHERS_MAX = 20

/** Remembers what the register said of these answers, until they have been fetched anew. The last word of each is kept. */
export async function rememberEvents(
  db: Queryable,
  events: readonly (WatchedAnswer & { event: string; at: Date })[],
): Promise<void> {
  if (events.length === 0) return
  await db.query(
    `insert into registerhendelse as h (orgnr, kilde, hendelse, hendelse_at, lest_at)
     select distinct on (orgnr, kilde) orgnr, kilde, hendelse, hendelse_at, now()
     from unnest($1::integer[], $2::text[], $3::text[], $4::timestamptz[]) with ordinality
       as ny (orgnr, kilde, hendelse, hendelse_at, plass)
     where not exists (select 1 from fjernet where organisasjonsnummer = lpad(ny.orgnr::text, 9, '0'))
     order by orgnr, kilde, plass desc
     on conflict (orgnr, kilde) do update
     set hendelse = excluded.hendelse, hendelse_at = excluded.hendelse_at, lest_at = excluded.lest_at`,
    [
      events.map(({ orgnr }) => Number(orgnr)),
      events.map(({ source }) => source),
      events.map(({ event }) => event),
      events.map(({ at }) => at),
    ],
  )
}

/** What a register told of these is due to be asked for again: whatever took the word of it has lost it. */
export async function askSoon(
  db: Queryable,
  answers: readonly WatchedAnswer[],
  { afterMs }: { afterMs: number },
): Promise<void> {
  await db.query(
    // Held by number, as whoever remembers more of them does.
    `with holdt as (
       select orgnr, kilde from registerhendelse
       where (orgnr, kilde) in (select * from unnest($1::integer[], $2::text[])) order by orgnr, kilde for update
     )
     update registerhendelse h set lest_at = least(lest_at, now() - ($3 + 1) * interval '1 ms')
     from holdt where h.orgnr = holdt.orgnr and h.kilde = holdt.kilde`,
    [answers.map(({ orgnr }) => Number(orgnr)), answers.map(({ source }) => source), afterMs],
  )
}

/**
 * Answers of watched companies that a register told of, and that nobody has looked after since: the word of it was lost with the
 * queue, or the register was away for longer than a job tries. Each is taken by one, and not again for as long.
 *
 * @param span `afterMs`: it was told, or taken, so long ago; `untilMs`: what the register says happened before is left to the looks
 *   of each day
 */
export async function takeUnanswered(
  db: Queryable,
  { afterMs, untilMs, limit }: { afterMs: number; untilMs: number; limit: number },
): Promise<WatchedAnswer[]> {
  const rows = await db.query<{ orgnr: number; kilde: string }>(
    `with tatt as (
       select orgnr, kilde from registerhendelse h
       where lest_at < now() - $1 * interval '1 ms' and hendelse_at > now() - $2 * interval '1 ms'
         and exists (select 1 from overvaking o where o.orgnr = h.orgnr and not o.prove)
       order by lest_at limit $3 for update skip locked
     )
     update registerhendelse h set lest_at = now() from tatt where h.orgnr = tatt.orgnr and h.kilde = tatt.kilde
     returning h.orgnr, h.kilde`,
    [afterMs, untilMs, limit],
  )
  return rows.map(({ orgnr, kilde }) => ({ orgnr: nineDigits(orgnr), source: kilde }))
}

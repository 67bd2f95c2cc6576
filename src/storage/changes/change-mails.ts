import type { Database, Queryable } from '../database.ts'
import { COLUMNS, changeOf, namesNoneRemoved, readChanges } from './change-log.ts'
import { isOfTypes, type WatchedChange } from './read-watched.ts'
import type { Mailing } from './watches.ts'

/** One owner's mail of one kind that is due. `tilNr`: how far it goes. */
export type DueMail = { eier: string; slag: Mailing; tilNr: number; forsok: number; avvist: number }

/**
 * Goes on through the log and writes down which lines are to be mailed, to whom and how, as it is wanted now. Each line once: how
 * far it has come moves in the same transaction, by one at a time.
 *
 * @param due when a mail is sent of what is written down now, on this day in Norway; who had `perDayMax` of them today waits for the
 *   daily one's time
 * @param bounds `linesMax` of the log, and `mailedMax` that are written down of them, unless one alone is more, in one transaction
 * @returns whether there is more to go through
 */
export async function writeDownMails(
  db: Pick<Database, 'transaction'>,
  due: Record<Mailing, Date> & { day: string },
  { linesMax, mailedMax, perDayMax }: { linesMax: number; mailedMax: number; perDayMax: number },
): Promise<boolean> {
  return db.transaction(async (connection) => {
    await connection.query('insert into varsel_stilling (nr) values (0) on conflict do nothing')
    const [place] = await connection.query<{ nr: string }>(
      'select nr from varsel_stilling for update skip locked',
    )
    // Somebody else is at it.
    if (place === undefined) return false
    const [part] = await connection.query<{ fra: string | null; til: string; antall: number }>(
      `select min(nr) as fra, max(nr) as til, count(*)::int as antall
       from (select nr from endring where nr > $1 order by nr limit $2) as del`,
      [place.nr, linesMax],
    )
    if (part === undefined || part.fra === null) return false
    const [beyond] = await connection.query<{ til: string }>(
      `select greatest(e.nr - 1, $4::bigint) as til ${TO_BE_MAILED} order by e.nr offset $3 limit 1`,
      [place.nr, part.til, mailedMax, part.fra],
    )
    const { til } = beyond ?? part
    await connection.query(
      `with nye as (
         insert into varsel_linje (eier, slag, nr)
         select o.eier, o.epost, e.nr ${TO_BE_MAILED}
         on conflict do nothing
         returning eier, slag
       )
       insert into varsel (eier, slag, neste_at)
       select distinct eier, slag, case slag when 'straks' then $3::timestamptz else $4::timestamptz end from nye
       on conflict (eier, slag) do update set neste_at = coalesce(varsel.neste_at,
         case when varsel.dag = $5::date and varsel.antall >= $6 then $4::timestamptz else excluded.neste_at end)`,
      [place.nr, til, due.straks, due.daglig, due.day, perDayMax],
    )
    await connection.query('update varsel_stilling set nr = $1', [til])
    return part.antall === linesMax || til !== part.til
  })
}

const TO_BE_MAILED = `from endring e join overvaking o on o.orgnr = e.orgnr and o.prove = e.prove
  where e.nr > $1 and e.nr <= $2 and not e.prove and o.epost is not null and e.nr > o.fra_nr
    and ${isOfTypes('e.type', 'o.typer')}`

/** Whether the log is longer than it has been gone through. Two looks at the end of an index. */
export async function hasUnwritten(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ mer: boolean }>(
    'select coalesce((select max(nr) from endring) > coalesce((select nr from varsel_stilling), 0), false) as mer',
  )
  return row?.mer === true
}

/** Takes on the mail that is due first; nobody else does until `until`. One that may have gone is taken on as it was. */
export async function claimMail(
  db: Queryable,
  { at, until }: { at: Date; until: Date },
): Promise<DueMail | null> {
  const [row] = await db.query<{
    eier: string
    slag: Mailing
    til_nr: string | null
    forsok: number
    avvist: number
  }>(
    `update varsel v set neste_at = $2, forsok = forsok + 1,
       til_nr = coalesce(til_nr, (select max(nr) from varsel_linje l where l.eier = v.eier and l.slag = v.slag))
     where (eier, slag) in (
       select eier, slag from varsel where neste_at <= $1 order by neste_at, eier limit 1 for update skip locked
     ) returning eier, slag, til_nr, forsok, avvist`,
    [at, until],
  )
  if (row === undefined) return null
  const { til_nr, ...mail } = row
  return { ...mail, tilNr: Number(til_nr ?? 0) }
}

/**
 * What the mail tells: the lines written down up to its end, of what is still watched by mail, oldest first. `antall`: how many
 * there are in all. Nothing of a removed company.
 */
export async function linesOfMail(
  db: Queryable,
  { eier, slag, tilNr }: Pick<DueMail, 'eier' | 'slag' | 'tilNr'>,
  limit: number,
): Promise<{ changes: WatchedChange[]; antall: number }> {
  const from = `from varsel_linje l join endring e on e.nr = l.nr
    join overvaking o on o.eier = l.eier and o.orgnr = e.orgnr and o.prove = e.prove
    where l.eier = $1 and l.slag = $2 and l.nr <= $3 and o.epost is not null
      and ${namesNoneRemoved('e')}`
  const rows = await db.query<{ navn: string | null }>(
    `select ${COLUMNS}, navn from (select e.*, o.navn ${from}) as linje order by nr limit $4`,
    [eier, slag, tilNr, limit],
  )
  const [count] = await db.query<{ antall: string }>(`select count(*) as antall ${from}`, [eier, slag, tilNr])
  return {
    changes: readChanges(rows).map((row) => ({
      ...changeOf(row),
      navn: (row as { navn?: string | null }).navn ?? null,
    })),
    antall: Number(count?.antall ?? 0),
  }
}

/**
 * The mail is done with. What was written down meanwhile is due then.
 *
 * @param sent the day it counts for, when a mail has gone
 * @param next when what is left is due, by how many have gone today
 */
export async function finishMail(
  db: Pick<Database, 'transaction'>,
  { eier, slag, tilNr }: DueMail,
  {
    day,
    isSent,
    isRefused,
    next,
  }: { day: string; isSent: boolean; isRefused: boolean; next: (sentToday: number) => Date },
): Promise<void> {
  await db.transaction(async (connection) => {
    const [row] = await connection.query<{ antall: number }>(
      `update varsel set til_nr = null, forsok = 0, dag = $3::date,
         antall = case when dag = $3::date then antall else 0 end + $4,
         avvist = case when $5 then avvist + 1 when $4 = 1 then 0 else avvist end
       where eier = $1 and slag = $2 returning antall`,
      [eier, slag, day, isSent ? 1 : 0, isRefused],
    )
    await connection.query('delete from varsel_linje where eier = $1 and slag = $2 and nr <= $3', [
      eier,
      slag,
      tilNr,
    ])
    await connection.query(
      `update varsel v set neste_at = case when exists (
         select 1 from varsel_linje l where l.eier = v.eier and l.slag = v.slag) then $3::timestamptz end
       where eier = $1 and slag = $2`,
      [eier, slag, next(row?.antall ?? 0)],
    )
  })
}

/** It did not go, and is tried again then. @param mayHaveGone it is sent again as it was */
export async function postponeMail(
  db: Queryable,
  { eier, slag }: DueMail,
  { until, mayHaveGone }: { until: Date; mayHaveGone: boolean },
): Promise<void> {
  await db.query(
    `update varsel set neste_at = $3, til_nr = case when $4 then til_nr end where eier = $1 and slag = $2`,
    [eier, slag, until, mayHaveGone],
  )
}

/** No more mails of changes to this owner, whatever waits. What is watched is watched on. */
export async function stopMails(db: Pick<Database, 'transaction'>, eier: string): Promise<void> {
  await db.transaction(async (connection) => {
    await connection.query('update overvaking set epost = null where eier = $1 and epost is not null', [eier])
    // The mail before its lines, as whoever sends it does.
    await connection.query('delete from varsel where eier = $1', [eier])
    await connection.query('delete from varsel_linje where eier = $1', [eier])
  })
}

/**
 * Watches of chains whose last key ended before `ended`, and of test keys put up before `tests`; and, of whatever was stored while
 * a company was being removed, its own. With them what was to be mailed of them. An owner's at a time: of all that ended in an hour there
 * may be more than one statement has time for. @returns how many
 */
export async function removeOverWatches(db: Database, before: { ended: Date; tests: Date }): Promise<number> {
  const over = await db.query<{ eier: string }>(`${OVER} select eier from eiere where ${IS_OVER}`, [
    before.ended,
    null,
  ])
  let removed = 0
  for (const { eier } of over) {
    // Whoever has renewed meanwhile keeps them.
    const rows = await db.query(
      `${OVER} delete from overvaking o using eiere where o.eier = eiere.eier and not o.prove and ${IS_OVER} returning o.orgnr`,
      [before.ended, eier],
    )
    removed += rows.length
  }
  const rest = await db.query(
    `delete from overvaking o where (prove and opprettet_at <= $1)
       or orgnr in (select organisasjonsnummer::integer from fjernet) returning orgnr`,
    [before.tests],
  )
  await db.query(
    `delete from varsel v where neste_at is null and not exists (select 1 from overvaking o where o.eier = v.eier)`,
  )
  return removed + rest.length
}

/** `eiere`: who watches, all or the one in `$2`; `lever`: those of them with a key that had not ended at `$1`. */
const OVER = `with recursive eiere as (
    select distinct eier from overvaking where not prove and ($2::text is null or eier = $2)
  ), rekke (eier, kjede, dybde) as (
    select eier, eier, 0 from eiere
    union all
    select r.eier, o.id, r.dybde + 1 from rekke r join ordre o on o.fornyer = r.kjede where r.dybde < 100
  ), lever as (
    select r.eier from rekke r join api_nokkel n on n.kjede = r.kjede
    where least(n.utloper_at, n.tilbakekalt_at, n.slutter_at) > $1
  )`
const IS_OVER = 'not exists (select 1 from lever l where l.eier = eiere.eier)'

import type { Queryable } from '../database.ts'
import type { LookLine } from './looks.ts'

/** How many of one owner's are to be looked at now, in each line. */
export async function waitingInLines(
  connection: Queryable,
  eier: string,
  at: Date,
): Promise<Record<LookLine, number>> {
  const [row] = await connection.query<Record<LookLine, string>>(
    `select count(*) filter (where neste_at <= $2) as neste_at, count(*) filter (where sene_at <= $2) as sene_at
     from overvaking join blikk using (orgnr) where eier = $1 and (neste_at <= $2 or sene_at <= $2)`,
    [eier, at],
  )
  return { neste_at: Number(row?.neste_at ?? 0), sene_at: Number(row?.sene_at ?? 0) }
}

/**
 * These of one owner's are to be looked at now, so that there is something to compare with: owners in turns, or whoever begins with a
 * whole list would be an hour before all others. The time of each is what fair turns would be worked off by: the first of an owner's
 * comes with whatever comes first in the line, each further one a look later, behind what of theirs waits already. All are in the past,
 * by a whole list at least: nobody waits where the line is empty. What stands in line for another comes as early as for the first of
 * the two, and is held, so that nobody takes it out meanwhile.
 *
 * @param begun those of them that the owner has just begun to watch
 * @param waiting how many of the owner's waited before
 * @param listMax so many has an owner, at most
 * @param lookMs how long each look takes of a line
 */
export async function standInLines(
  connection: Queryable,
  {
    eier,
    orgnrs,
    begun,
    waiting,
    listMax,
    lookMs,
    at,
  }: {
    eier: string
    orgnrs: readonly number[]
    begun: readonly number[]
    waiting: Readonly<Record<LookLine, number>>
    listMax: number
    lookMs: Readonly<Record<LookLine, number>>
    at: Date
  },
): Promise<void> {
  const linesOf = (line: LookLine) => {
    const listMs = listMax * lookMs[line]
    const agoMs = (ms: number) => new Date(at.getTime() - ms)
    return [waiting[line], lookMs[line], agoMs(listMs), agoMs(LISTS_IN_TURNS * listMs)]
  }
  await connection.query(
    `insert into blikk as b (orgnr, neste_at, sene_at)
     select orgnr, ${turnOf('neste_at', 5)}, ${turnOf('sene_at', 9)}
     from (select distinct orgnr from overvaking where eier = $1 and orgnr = any($2::integer[])) as deres
       left join (select orgnr, row_number() over (order by orgnr) as plass from unnest($3::integer[]) as orgnr) as ny using (orgnr)
     order by orgnr
     on conflict (orgnr) do update set neste_at = ${earlier('neste_at')}, sene_at = ${earlier('sene_at')}
       where excluded.neste_at < b.neste_at and b.neste_at <= $4 or excluded.sene_at < b.sene_at and b.sene_at <= $4`,
    [eier, orgnrs, begun, at, ...linesOf('neste_at'), ...linesOf('sene_at')],
  )
}

/** So many whole lists are gone through in turns. Of more the looks of the day would come later and later, and they come by time. */
const LISTS_IN_TURNS = 4

/** From four values on: how many wait, a look in milliseconds, and the latest and the earliest time to count from. */
function turnOf(line: LookLine, first: number): string {
  const [waiting, lookMs, latest, earliest] = [0, 1, 2, 3].map((offset) => `$${first + offset}`)
  return `least($4::timestamptz, coalesce(
    greatest(least((select min(${line}) from blikk), ${latest}::timestamptz), ${earliest}::timestamptz)
      + (${waiting}::float8 + plass) * ${lookMs}::float8 * interval '1 ms', $4::timestamptz))`
}

/** What is not to be looked at now keeps its time of the day. */
function earlier(line: LookLine): string {
  return `case when b.${line} <= $4 then least(b.${line}, excluded.${line}) else b.${line} end`
}

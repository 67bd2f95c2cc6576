import type { Database, Queryable } from '../database.ts'
import { lockAllLooks } from './known-answers.ts'

/**
 * Nothing of a removed company is left in what tells of changes: no line of its own, none of another company in which it is named,
 * nothing of what it was, and nobody watches it. Looks under way are waited for, and those that come after write nothing.
 */
export async function eraseFromChanges(
  db: Pick<Database, 'transaction'>,
  organisasjonsnummer: string,
): Promise<void> {
  const orgnr = Number(organisasjonsnummer)
  await db.transaction(async (connection) => {
    await lockAllLooks(connection)
    for (const table of ['endring', 'grunnlag', 'registerhendelse'])
      await connection.query(`delete from ${table} where orgnr = $1`, [orgnr])
    await removeMentions(connection, orgnr)
    await connection.query('delete from grunnlag where nevner @> array[$1::integer]', [orgnr])
  })
  await db.transaction(async (connection) => {
    // Whoever puts watches reads who is removed: those who read it before this are waited for.
    await connection.query('lock table overvaking in share row exclusive mode')
    for (const table of ['overvaking', 'overvaking_endret', 'blikk'])
      await connection.query(`delete from ${table} where orgnr = $1`, [orgnr])
  })
}

/**
 * Lines of others in which it is named. What is to be sent of one is come to now: it is taken away then, and what waits behind it has
 * nothing to wait for, however long the receiver had been left alone.
 */
async function removeMentions(connection: Queryable, orgnr: number): Promise<void> {
  await connection.query(
    `with borte as (delete from endring where nevner @> array[$1::integer] returning nr, orgnr)
     update levering l set neste_at = now() from borte
     where l.orgnr = borte.orgnr and l.endring = borte.nr and l.tilstand = 'venter' and l.neste_at > now()`,
    [orgnr],
  )
}

/**
 * Takes away, some at a time, what may no longer be kept: the oldest lines of the log, what unwatched companies were, and events of
 * the register that brought nothing. By PostgreSQL's own clock.
 *
 * @param atOnce lines, and the rest, in one statement
 * @returns true when there may be more
 */
export async function tidyChanges(
  db: Pick<Database, 'transaction' | 'query'>,
  { keptMs, eventsKeptMs, atOnce }: { keptMs: number; eventsKeptMs: number; atOnce: number },
): Promise<boolean> {
  const seconds = (ms: number) => ms / 1000
  const lines = await db.transaction((connection) => removeLines(connection, seconds(keptMs), atOnce))
  const grounds = await db.query(
    `delete from grunnlag where ctid in (
       select ctid from grunnlag where gjelder_til < now() limit $1) and gjelder_til < now() returning orgnr`,
    [atOnce],
  )
  const events = await db.query(
    `delete from registerhendelse where ctid in (
       select ctid from registerhendelse where lest_at < now() - make_interval(secs => $1) limit $2) returning orgnr`,
    [seconds(eventsKeptMs), atOnce],
  )
  return [lines, grounds.length, events.length].some((count) => count >= atOnce)
}

/** From the beginning of the log on, so that what is left has no hole, and how far is remembered with it. */
async function removeLines(connection: Queryable, keptSeconds: number, atOnce: number): Promise<number> {
  const [row] = await connection.query<{ til: string | null; antall: string }>(
    `with eldste as (select nr, skrevet_at from endring order by nr limit $2),
       ferske as (select min(nr) as nr from eldste where skrevet_at >= now() - make_interval(secs => $1)),
       borte as (
         delete from endring where nr in (
           select nr from eldste where nr < coalesce((select nr from ferske), 9223372036854775807)
         ) returning nr)
     select max(nr) as til, count(*) as antall from borte`,
    [keptSeconds, atOnce],
  )
  if (row === undefined || row.til === null) return 0
  await connection.query(
    `insert into endring_borte as b (til_nr) values ($1)
     on conflict (en) do update set til_nr = greatest(b.til_nr, excluded.til_nr)`,
    [row.til],
  )
  return Number(row.antall)
}

import { foldName } from '#src/core/person-name.ts'
import { type CacheOrder, giveCacheOrder } from '../cache-orders.ts'
import type { Database, Queryable } from '../database.ts'
import type { HiddenPerson, Hiding } from './hiding-journal.ts'

/** What holders are shown in; a process drops what it holds of these when somebody is hidden. */
export const HOLDER_SECTIONS = ['aksjonaerer', 'eierskap']

/** Told of what is about to be done, at which time: it is done when this returns, and not when it throws. */
export type OnHiding = (at: Date) => Promise<void>

/**
 * Hides a person in every year, also in those imported later. Every process forgets what it holds of holders, since any
 * company may be among them. Hiding twice is hiding once. Who waited for another who did something about the same
 * person is dated after him: the last of what is noted is what holds (`replayHidings`).
 *
 * @returns false when the person was hidden already; the processes are told again all the same
 */
export async function hidePerson(
  db: Pick<Database, 'transaction'>,
  person: HiddenPerson,
  onHiding: OnHiding = async () => {},
): Promise<boolean> {
  return db.transaction(async (connection) => {
    const [row] = await connection.query<{ at: Date }>(
      `insert into skjult_person (navn, fodselsaar, orgnr) values ($1, $2, $3)
       on conflict (navn, fodselsaar, orgnr) do update set vist_at = null, skjult_at = clock_timestamp()
       where skjult_person.vist_at is not null
       returning skjult_at as at`,
      [foldName(person.navn), person.fodselsaar, person.orgnr],
    )
    await giveCacheOrder(connection, FORGET_HOLDERS)
    if (row !== undefined) await onHiding(row.at)
    return row !== undefined
  })
}

/** Takes one entry back. Another that hides the same person stays. @returns false when there was none */
export async function showPerson(
  db: Pick<Database, 'transaction'>,
  person: HiddenPerson,
  onHiding: OnHiding = async () => {},
): Promise<boolean> {
  return db.transaction(async (connection) => {
    const [row] = await connection.query<{ at: Date }>(
      `update skjult_person set vist_at = clock_timestamp()
       where navn = $1 and fodselsaar = $2 and orgnr is not distinct from $3 and vist_at is null
       returning vist_at as at`,
      [foldName(person.navn), person.fodselsaar, person.orgnr],
    )
    await giveCacheOrder(connection, FORGET_HOLDERS)
    if (row !== undefined) await onHiding(row.at)
    return row !== undefined
  })
}

/**
 * Does again what a database that was restored does not know of, each where it is the last that was done about the person.
 * Safe to run whenever, with journals of several machines in any order: of what the database knows nothing changes.
 *
 * @returns how many were done again
 */
export async function replayHidings(
  db: Pick<Database, 'transaction'>,
  hidings: readonly Hiding[],
): Promise<number> {
  if (hidings.length === 0) return 0
  return db.transaction(async (connection) => {
    let done = 0
    for (const { at, hva, navn, fodselsaar, orgnr } of hidings) {
      const rows = await connection.query(hva === 'skjul' ? HIDE_AGAIN : SHOW_AGAIN, [
        foldName(navn),
        fodselsaar,
        orgnr,
        at,
      ])
      done += rows.length
    }
    if (done > 0) await giveCacheOrder(connection, FORGET_HOLDERS)
    return done
  })
}

const HIDE_AGAIN = `
  insert into skjult_person (navn, fodselsaar, orgnr, skjult_at) values ($1, $2, $3, $4)
  on conflict (navn, fodselsaar, orgnr) do update set vist_at = null, skjult_at = excluded.skjult_at
  where skjult_person.vist_at < excluded.skjult_at
  returning id`

/** Also of whom the database has never heard: an earlier hiding may come from another journal. */
const SHOW_AGAIN = `
  insert into skjult_person (navn, fodselsaar, orgnr, skjult_at, vist_at) values ($1, $2, $3, $4, $4)
  on conflict (navn, fodselsaar, orgnr) do update set vist_at = excluded.vist_at
  where skjult_person.vist_at is null and skjult_person.skjult_at < excluded.vist_at
  returning id`

/** Newest first, at most `limit`. */
export async function listHiddenPersons(
  db: Queryable,
  limit: number,
): Promise<(HiddenPerson & { skjultAt: Date })[]> {
  const rows = await db.query<{ navn: string; fodselsaar: number; orgnr: number | null; skjult_at: Date }>(
    'select navn, fodselsaar, orgnr, skjult_at from skjult_person where vist_at is null order by id desc limit $1',
    [limit],
  )
  return rows.map(({ orgnr, skjult_at, ...row }) => ({
    ...row,
    orgnr: orgnr === null ? null : String(orgnr),
    skjultAt: skjult_at,
  }))
}

/** Makes processes forget what they hold of holders. Of all companies: who owns whom reaches further than one. */
export const FORGET_HOLDERS: CacheOrder = { company: '', sections: HOLDER_SECTIONS, isHard: true }

import { foldName } from '#src/core/person-name.ts'
import { type CacheOrder, giveCacheOrder } from '../cache-orders.ts'
import type { Database, Queryable } from '../database.ts'

/** Who is not to be shown as a holder: everywhere, or in one company. `navn` in any spelling. */
export type HiddenPerson = { navn: string; fodselsaar: number; orgnr: string | null }

/** What holders are shown in; a process drops what it holds of these when somebody is hidden. */
export const HOLDER_SECTIONS = ['aksjonaerer', 'eierskap']

/**
 * Hides a person in every year, also in those imported later. Every process forgets what it holds of holders, since any
 * company may be among them. Hiding twice is hiding once.
 *
 * @returns false when the person was hidden already; the processes are told again all the same
 */
export async function hidePerson(db: Pick<Database, 'transaction'>, person: HiddenPerson): Promise<boolean> {
  return db.transaction(async (connection) => {
    const rows = await connection.query(
      `insert into skjult_person (navn, fodselsaar, orgnr) values ($1, $2, $3)
       on conflict (navn, fodselsaar, orgnr) do nothing returning id`,
      [foldName(person.navn), person.fodselsaar, person.orgnr],
    )
    await giveCacheOrder(connection, FORGET_HOLDERS)
    return rows.length === 1
  })
}

/** Takes one entry back. Another that hides the same person stays. @returns false when there was none */
export async function showPerson(db: Pick<Database, 'transaction'>, person: HiddenPerson): Promise<boolean> {
  return db.transaction(async (connection) => {
    const rows = await connection.query(
      `delete from skjult_person where navn = $1 and fodselsaar = $2 and orgnr is not distinct from $3 returning id`,
      [foldName(person.navn), person.fodselsaar, person.orgnr],
    )
    await giveCacheOrder(connection, FORGET_HOLDERS)
    return rows.length === 1
  })
}

/** Newest first, at most `limit`. */
export async function listHiddenPersons(
  db: Queryable,
  limit: number,
): Promise<(HiddenPerson & { skjultAt: Date })[]> {
  const rows = await db.query<{ navn: string; fodselsaar: number; orgnr: number | null; skjult_at: Date }>(
    'select navn, fodselsaar, orgnr, skjult_at from skjult_person order by id desc limit $1',
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

import { nineDigits } from '#src/core/organisation-number.ts'
import type { Database, Queryable } from '../database.ts'
import { type NewChange, writeChanges } from './change-log.ts'

/** An answer about one company. */
export type GroundPlace = { orgnr: string; kilde: string }

/** What is known of a place before it is looked at: whether anybody watches, and what it was when it was last seen. */
export type Ground = {
  isWatched: boolean
  /** The hash of what was last seen, and when that was; null: it has not been seen. */
  seen: { avtrykk: Buffer; sett: Date } | null
  /** The register's event that nobody has looked after yet. */
  hendelse: { id: string; at: Date } | null
}

/** What was seen last, as it was packed. */
export type Seen = { fakta: Buffer; sett: Date }

/** What a look comes to: what is to be remembered, and what changed. */
export type Moved = {
  sett: Date
  fakta: Buffer
  avtrykk: Buffer
  nevner: readonly number[]
  changes: readonly Pick<NewChange, 'seksjon' | 'type' | 'felt' | 'nevner' | 'forrige'>[]
}

/** The name of a place in `findGround`. */
export const placeName = ({ orgnr, kilde }: GroundPlace) => `${orgnr}/${kilde}`

/** What is known of these places, by their names. Of real companies. */
export async function findGround(db: Queryable, names: readonly string[]): Promise<Map<string, Ground>> {
  const places = names.map((name) => name.split('/'))
  const rows = await db.query<{
    navn: string
    overvaket: boolean
    avtrykk: Buffer | null
    sett_at: Date | null
    hendelse: string | null
    hendelse_at: Date | null
  }>(
    `select navn, exists (select 1 from overvaking o where o.orgnr = sporsmal.orgnr and not o.prove) as overvaket,
       g.avtrykk, g.sett_at, h.hendelse, h.hendelse_at
     from unnest($1::text[], $2::integer[], $3::text[]) as sporsmal (navn, orgnr, kilde)
     left join grunnlag g on not g.prove and g.orgnr = sporsmal.orgnr and g.kilde = sporsmal.kilde
     left join registerhendelse h on h.orgnr = sporsmal.orgnr and h.kilde = sporsmal.kilde`,
    [names, places.map(([orgnr]) => Number(orgnr)), places.map(([, kilde]) => kilde)],
  )
  return new Map(
    rows.map(({ navn, overvaket, avtrykk, sett_at: sett, hendelse, hendelse_at: at }) => [
      navn,
      {
        isWatched: overvaket,
        seen: avtrykk === null || sett === null ? null : { avtrykk, sett },
        hendelse: hendelse === null || at === null ? null : { id: hendelse, at },
      },
    ]),
  )
}

/**
 * A look at a place that may be otherwise than it was: what is remembered moves, and the changes are written, in one transaction,
 * one look at a company at a time. So a change is written once, whoever sees it, how often, and whoever dies when. Nothing is
 * written of a company that was removed, also while this was under way: whoever erases it waits for this.
 *
 * @param decide what the look comes to against what was seen last (null: nothing was); null: it comes to nothing
 */
export async function moveGround(
  db: Pick<Database, 'transaction'>,
  { orgnr, kilde }: GroundPlace,
  look: { prove: boolean; hendelse: { id: string; at: Date } | null; keptUntil: Date },
  decide: (seen: Seen | null) => Moved | null,
): Promise<void> {
  const { prove, hendelse, keptUntil } = look
  await db.transaction(async (connection) => {
    await lockGround(connection, orgnr)
    const [row] = await connection.query<{
      borte: boolean
      overvaket: boolean
      fakta: Buffer | null
      sett_at: Date | null
    }>(
      `select exists (select 1 from fjernet where organisasjonsnummer = $4) as borte,
         exists (select 1 from overvaking o where o.orgnr = $1 and o.prove = $3) as overvaket, g.fakta, g.sett_at
       from (select) as ett left join grunnlag g on g.orgnr = $1 and g.kilde = $2 and g.prove = $3`,
      [Number(orgnr), kilde, prove, nineDigits(Number(orgnr))],
    )
    if (row === undefined || row.borte) return
    const { fakta, sett_at: sett } = row
    const moved = decide(fakta === null || sett === null ? null : { fakta, sett })
    if (moved === null || (await namesRemoved(connection, moved))) return
    await connection.query(
      `insert into grunnlag (prove, orgnr, kilde, fakta, avtrykk, nevner, sett_at, gjelder_til, fra_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $7)
       on conflict (prove, orgnr, kilde) do update
       set fra_at = coalesce(grunnlag.fra_at, grunnlag.sett_at), fakta = excluded.fakta, avtrykk = excluded.avtrykk, nevner = excluded.nevner, sett_at = excluded.sett_at,
         gjelder_til = excluded.gjelder_til`,
      [
        prove,
        Number(orgnr),
        kilde,
        moved.fakta,
        moved.avtrykk,
        moved.nevner.length === 0 ? null : moved.nevner,
        moved.sett,
        row.overvaket || prove ? null : keptUntil,
      ],
    )
    if (hendelse !== null) await forgetEvents(connection, [{ orgnr, kilde, hendelse: hendelse.id }])
    await writeChanges(
      connection,
      moved.changes.map((change) => ({ ...change, sett: moved.sett, orgnr, prove, hendelse })),
    )
  })
}

/** It tells of a company that was removed: whoever looks next has heard of that. */
async function namesRemoved(connection: Queryable, { nevner, changes }: Moved): Promise<boolean> {
  const named = new Set([...nevner, ...changes.flatMap((change) => change.nevner)])
  if (named.size === 0) return false
  const [removed] = await connection.query(
    'select 1 from fjernet where organisasjonsnummer = any($1::text[]) limit 1',
    [[...named].map(nineDigits)],
  )
  return removed !== undefined
}

/** Places that were looked at and are as they were; what is found at a place that was seen later is left. */
export async function noteSeen(
  db: Queryable,
  places: readonly (GroundPlace & { sett: Date; hendelse: string | null })[],
): Promise<void> {
  await db.query(
    `update grunnlag g set sett_at = ny.sett, fra_at = coalesce(g.fra_at, g.sett_at) from (
       select orgnr, kilde, max(sett) as sett from unnest($1::integer[], $2::text[], $3::timestamptz[]) as ny (orgnr, kilde, sett)
       group by orgnr, kilde
     ) as ny
     where not g.prove and g.orgnr = ny.orgnr and g.kilde = ny.kilde and g.sett_at < ny.sett`,
    [
      places.map(({ orgnr }) => Number(orgnr)),
      places.map(({ kilde }) => kilde),
      places.map(({ sett }) => sett),
    ],
  )
  await forgetEvents(
    db,
    places.flatMap(({ hendelse, ...place }) => (hendelse === null ? [] : [{ ...place, hendelse }])),
  )
}

/** These events of the register have been looked after; one that came since stays. */
async function forgetEvents(
  db: Queryable,
  events: readonly (GroundPlace & { hendelse: string })[],
): Promise<void> {
  if (events.length === 0) return
  await db.query(
    `delete from registerhendelse h using unnest($1::integer[], $2::text[], $3::text[]) as sett (orgnr, kilde, hendelse)
     where h.orgnr = sett.orgnr and h.kilde = sett.kilde and h.hendelse = sett.hendelse`,
    [
      events.map(({ orgnr }) => Number(orgnr)),
      events.map(({ kilde }) => kilde),
      events.map(({ hendelse }) => hendelse),
    ],
  )
}

/** Holds what is known of a company until the transaction ends, beside others' but not while one is erased. */
async function lockGround(connection: Queryable, orgnr: string): Promise<void> {
  await connection.query('select pg_advisory_xact_lock_shared($1)', [LOOKS_LOCK])
  await connection.query('select pg_advisory_xact_lock($1, $2)', [GROUND_LOCK, Number(orgnr)])
}

/** Waits for all looks under way, and holds those that come up until the transaction ends: they see what it has done. */
export async function lockAllGround(connection: Queryable): Promise<void> {
  await connection.query('select pg_advisory_xact_lock($1)', [LOOKS_LOCK])
}

/** The spaces of advisory locks that are ours for companies that are looked at, and for all of them. */
const GROUND_LOCK = 720_256
const LOOKS_LOCK = 720_257

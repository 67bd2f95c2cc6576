import { nineDigits } from '#src/core/organisation-number.ts'
import type { Database, Queryable } from '../database.ts'
import { type NewChange, writeChanges } from './change-log.ts'

/** An answer about one company, by whom it is of and who gives it. */
export type WatchedAnswer = { orgnr: string; source: string }

/** What a register told of one, by its own number and time. */
type RegisterEvent = { id: string; at: Date }

/** What is known of one before it is looked at: whether anybody watches, and what it was when it was last seen. */
export type KnownAnswer = {
  isWatched: boolean
  /** The print of what was last seen, and when that was; null: it has not been seen. */
  seen: { print: Buffer; at: Date } | null
  /** The one that nobody has looked after yet. */
  event: RegisterEvent | null
}

/** What was seen of one, as it is remembered. */
export type PackedLook = { packed: Buffer; at: Date }

/** What a look comes to: what is to be remembered, the other companies that are named in it, and what changed. */
export type LookResult = PackedLook & {
  print: Buffer
  named: readonly number[]
  changes: readonly Pick<NewChange, 'seksjon' | 'type' | 'felt' | 'nevner' | 'forrige'>[]
}

/** Its name in `findKnownAnswers`. */
export const answerName = ({ orgnr, source }: WatchedAnswer) => `${orgnr}/${source}`

/** What is known of these answers, by their names. Of real companies. */
export async function findKnownAnswers(
  db: Queryable,
  names: readonly string[],
): Promise<Map<string, KnownAnswer>> {
  const asked = names.map((name) => name.split('/'))
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
    [names, asked.map(([orgnr]) => Number(orgnr)), asked.map(([, source]) => source)],
  )
  return new Map(
    rows.map((row) => [
      row.navn,
      {
        isWatched: row.overvaket,
        seen: row.avtrykk === null || row.sett_at === null ? null : { print: row.avtrykk, at: row.sett_at },
        event:
          row.hendelse === null || row.hendelse_at === null
            ? null
            : { id: row.hendelse, at: row.hendelse_at },
      },
    ]),
  )
}

/**
 * A look at an answer that may be otherwise than it was: what is remembered moves, and the changes are written, in one transaction,
 * one look at a company at a time. So a change is written once, whoever sees it, how often, and whoever dies when. Nothing is
 * written of a company that was removed, also while this was under way: whoever erases it waits for this.
 *
 * @param decide what the look comes to against what was seen last (null: nothing was); null: it comes to nothing
 */
export async function writeLook(
  db: Pick<Database, 'transaction'>,
  { orgnr, source }: WatchedAnswer,
  look: { isInvented: boolean; event: RegisterEvent | null; keptUntil: Date },
  decide: (seen: PackedLook | null) => LookResult | null,
): Promise<void> {
  const { isInvented, event, keptUntil } = look
  await db.transaction(async (connection) => {
    await lockCompany(connection, orgnr)
    const [row] = await connection.query<{
      borte: boolean
      overvaket: boolean
      fakta: Buffer | null
      sett_at: Date | null
    }>(
      `select exists (select 1 from fjernet where organisasjonsnummer = $4) as borte,
         exists (select 1 from overvaking o where o.orgnr = $1 and o.prove = $3) as overvaket, g.fakta, g.sett_at
       from (select) as ett left join grunnlag g on g.orgnr = $1 and g.kilde = $2 and g.prove = $3`,
      [Number(orgnr), source, isInvented, nineDigits(Number(orgnr))],
    )
    if (row === undefined || row.borte) return
    const { fakta: packed, sett_at: at } = row
    const result = decide(packed === null || at === null ? null : { packed, at })
    if (result === null || (await namesRemoved(connection, result))) return
    await connection.query(
      `insert into grunnlag (prove, orgnr, kilde, fakta, avtrykk, nevner, sett_at, gjelder_til, fra_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $7)
       on conflict (prove, orgnr, kilde) do update
       set fra_at = coalesce(grunnlag.fra_at, grunnlag.sett_at), fakta = excluded.fakta, avtrykk = excluded.avtrykk, nevner = excluded.nevner, sett_at = excluded.sett_at,
         gjelder_til = excluded.gjelder_til`,
      [
        isInvented,
        Number(orgnr),
        source,
        result.packed,
        result.print,
        result.named.length === 0 ? null : result.named,
        result.at,
        row.overvaket || isInvented ? null : keptUntil,
      ],
    )
    if (event !== null) await forgetEvents(connection, [{ orgnr, source, event: event.id }])
    await writeChanges(
      connection,
      result.changes.map((change) => ({
        ...change,
        sett: result.at,
        orgnr,
        prove: isInvented,
        hendelse: event,
      })),
    )
  })
}

/** It tells of a company that was removed: whoever looks next has heard of that. */
async function namesRemoved(connection: Queryable, { named, changes }: LookResult): Promise<boolean> {
  const all = new Set([...named, ...changes.flatMap((change) => change.nevner)])
  if (all.size === 0) return false
  const [removed] = await connection.query(
    'select 1 from fjernet where organisasjonsnummer = any($1::text[]) limit 1',
    [[...all].map(nineDigits)],
  )
  return removed !== undefined
}

/** One that was seen again as it was, and the event that had it looked at. */
export type SeenAnswer = WatchedAnswer & { at: Date; event: string | null }

/** Answers that were looked at and are as they were; what is known of one that was seen later is left. */
export async function noteSeen(db: Queryable, answers: readonly SeenAnswer[]): Promise<void> {
  await db.query(
    `update grunnlag g set sett_at = ny.sett, fra_at = coalesce(g.fra_at, g.sett_at) from (
       select orgnr, kilde, max(sett) as sett from unnest($1::integer[], $2::text[], $3::timestamptz[]) as ny (orgnr, kilde, sett)
       group by orgnr, kilde
     ) as ny
     where not g.prove and g.orgnr = ny.orgnr and g.kilde = ny.kilde and g.sett_at < ny.sett`,
    [
      answers.map(({ orgnr }) => Number(orgnr)),
      answers.map(({ source }) => source),
      answers.map(({ at }) => at),
    ],
  )
  await forgetEvents(
    db,
    answers.flatMap(({ orgnr, source, event }) => (event === null ? [] : [{ orgnr, source, event }])),
  )
}

/** These events of the register have been looked after; one that came since stays. */
async function forgetEvents(
  db: Queryable,
  events: readonly (WatchedAnswer & { event: string })[],
): Promise<void> {
  if (events.length === 0) return
  await db.query(
    `delete from registerhendelse h using unnest($1::integer[], $2::text[], $3::text[]) as sett (orgnr, kilde, hendelse)
     where h.orgnr = sett.orgnr and h.kilde = sett.kilde and h.hendelse = sett.hendelse`,
    [
      events.map(({ orgnr }) => Number(orgnr)),
      events.map(({ source }) => source),
      events.map(({ event }) => event),
    ],
  )
}

/** Holds what is known of a company until the transaction ends, beside others' but not while one is erased. */
async function lockCompany(connection: Queryable, orgnr: string): Promise<void> {
  await connection.query('select pg_advisory_xact_lock_shared($1)', [LOOKS_LOCK])
  await connection.query('select pg_advisory_xact_lock($1, $2)', [COMPANY_LOCK, Number(orgnr)])
}

/** Waits for all looks under way, and holds those that come up until the transaction ends: they see what it has done. */
export async function lockAllLooks(connection: Queryable): Promise<void> {
  await connection.query('select pg_advisory_xact_lock($1)', [LOOKS_LOCK])
}

/** The spaces of advisory locks that are ours for companies that are looked at, and for all of them. */
const COMPANY_LOCK = 720_256
const LOOKS_LOCK = 720_257

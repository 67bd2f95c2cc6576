import { type Static, Type } from 'typebox'
import { nineDigits } from '#src/core/organisation-number.ts'
import type { Queryable } from '../database.ts'
import { nullable, rowReader, Tid } from '../read-rows.ts'

/**
 * One address in the record, and what stood there before and after. Of an item in a list the address is the list's and the
 * values are the whole item; null: it was not there.
 */
const Felt = Type.Object({ felt: Type.String(), for: Type.Unknown(), etter: Type.Unknown() })
export type ChangedField = { felt: string; for: unknown; etter: unknown }

/** What is written of one kind of change in one company. */
export type NewChange = {
  orgnr: string
  seksjon: string
  type: string
  felt: readonly ChangedField[]
  /** Other companies that are named in it. */
  nevner: readonly number[]
  /** The register's own event it came from; null: found by looking. */
  hendelse: { id: string; at: Date } | null
  /** The last look at which it was as before, and the first at which it was not. */
  forrige: Date
  sett: Date
  /** Of an invented company. */
  prove: boolean
}

/** One line of the log. `nr` rises in the order they became visible. */
export type Change = {
  nr: number
  orgnr: string
  seksjon: string
  type: string
  felt: readonly ChangedField[]
  /** The other companies that are named in it, by number as that of the line. */
  nevner: readonly string[]
  hendelse: { id: string; at: Date } | null
  forrige: Date
  sett: Date
  prove: boolean
}

/**
 * Writes changes at the end of the log. For a transaction that does little else and ends soon: one at a time, until its commit,
 * so that the numbers become visible in their order (whoever has read up to one misses none below it). Whoever listens to
 * `endring_skrevet` hears of it at the commit.
 */
export async function writeChanges(connection: Queryable, changes: readonly NewChange[]): Promise<void> {
  if (changes.length === 0) return
  await connection.query('select pg_advisory_xact_lock($1)', [LOG_LOCK])
  await connection.query(
    `insert into endring (orgnr, seksjon, type, felt, nevner, hendelse, hendelse_at, forrige_at, sett_at, prove)
     select orgnr, seksjon, type, felt, case when nevner = '{}' then null else nevner::integer[] end,
       hendelse, hendelse_at, forrige_at, sett_at, prove
     from unnest($1::integer[], $2::text[], $3::text[], $4::jsonb[], $5::text[], $6::text[], $7::timestamptz[],
       $8::timestamptz[], $9::timestamptz[], $10::boolean[])
       with ordinality as ny (orgnr, seksjon, type, felt, nevner, hendelse, hendelse_at, forrige_at, sett_at, prove, plass)
     order by plass`,
    [
      changes.map(({ orgnr }) => Number(orgnr)),
      changes.map(({ seksjon }) => seksjon),
      changes.map(({ type }) => type),
      changes.map(({ felt }) => JSON.stringify(felt)),
      changes.map(({ nevner }) => `{${nevner.join(',')}}`),
      changes.map(({ hendelse }) => hendelse?.id ?? null),
      changes.map(({ hendelse }) => hendelse?.at ?? null),
      changes.map(({ forrige }) => forrige),
      changes.map(({ sett }) => sett),
      changes.map(({ prove }) => prove),
    ],
  )
  await connection.query(`select pg_notify('endring_skrevet', '')`)
}

/** The lines after `after`, oldest first, of real companies or of invented ones. */
export async function changesAfter(
  db: Queryable,
  { after, prove, limit }: { after: number; prove: boolean; limit: number },
): Promise<Change[]> {
  const rows = await db.query(
    `select ${COLUMNS} from endring where nr > $1 and prove = $2 order by nr limit $3`,
    [after, prove, limit],
  )
  return readChanges(rows).map(changeOf)
}

/**
 * One company's lines, newest first.
 *
 * @param before lines below this number; null: from the newest
 */
export async function changesOf(
  db: Queryable,
  orgnr: string,
  { before, prove, limit }: { before: number | null; prove: boolean; limit: number },
): Promise<Change[]> {
  const rows = await db.query(
    `select ${COLUMNS} from endring e
     where orgnr = $1 and prove = $2 and ($3::bigint is null or nr < $3) and ${namesNoneRemoved('e')}
     order by nr desc limit $4`,
    [Number(orgnr), prove, before, limit],
  )
  return readChanges(rows).map(changeOf)
}

/**
 * Neither about a company that was removed nor one that names it, as a condition: such a line is told to nobody from the burial on (and
 * by a process that knows of the removal before), and goes when the erasure comes to it.
 *
 * @param line the name of a row with all of a line's columns
 */
export function namesNoneRemoved(line: string): string {
  return `not exists (
    select 1 from unnest(array_append(${line}.nevner, ${line}.orgnr)) as nevnt (foretak)
    join fjernet f on f.organisasjonsnummer = lpad(nevnt.foretak::text, 9, '0'))`
}

/** The number of the newest line, and up to which they are taken away for their age: 0 when there are none. */
export async function logEnds(db: Queryable): Promise<{ newest: number; goneTo: number }> {
  const [row] = await db.query<{ newest: string; gone: string }>(
    `select greatest((select coalesce(max(nr), 0) from endring), (select coalesce(max(til_nr), 0) from endring_borte)) as newest,
       (select coalesce(max(til_nr), 0) from endring_borte) as gone`,
  )
  return { newest: Number(row?.newest ?? 0), goneTo: Number(row?.gone ?? 0) }
}

export const COLUMNS =
  'nr, orgnr, seksjon, type, felt, nevner, hendelse, hendelse_at, forrige_at, sett_at, prove'

const Row = Type.Object({
  nr: Type.String(),
  orgnr: Type.Integer(),
  seksjon: Type.String(),
  type: Type.String(),
  felt: Type.Array(Felt),
  nevner: nullable(Type.Array(Type.Integer())),
  hendelse: nullable(Type.String()),
  hendelse_at: nullable(Tid),
  forrige_at: Tid,
  sett_at: Tid,
  prove: Type.Boolean(),
})

/** Rows of `COLUMNS`, from a query of one's own. */
export const readChanges = rowReader('endring', Row)

export function changeOf(row: Static<typeof Row>): Change {
  const { seksjon, type, felt, hendelse, hendelse_at: at, prove } = row
  return {
    nr: Number(row.nr),
    orgnr: nineDigits(row.orgnr),
    seksjon,
    type,
    felt: felt.map((each) => ({ felt: each.felt, for: each.for ?? null, etter: each.etter ?? null })),
    nevner: row.nevner?.map(nineDigits) ?? [],
    hendelse: hendelse === null || at === null ? null : { id: hendelse, at },
    forrige: row.forrige_at,
    sett: row.sett_at,
    prove,
  }
}

/** The space of advisory locks that is ours for the log. */
const LOG_LOCK = 720_254

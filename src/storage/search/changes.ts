import { nineDigits } from '#src/core/organisation-number.ts'
import type { Database, Queryable } from '../database.ts'
import { columnsOf } from './columns.ts'
import { forgetIn } from './forget.ts'
import type { UnitRows } from './rows.ts'
import { keepTexts } from './texts.ts'

/** A unit that is to be read and indexed anew. */
export type PendingChange = { orgnr: number; isSubUnit: boolean; changedAt: Date }

/** Remembers that these changed. One that waits already waits on. */
export async function noteChanges(
  db: Queryable,
  changes: readonly { orgnr: number; isSubUnit: boolean }[],
  at: Date,
): Promise<void> {
  if (changes.length === 0) return
  await db.query(
    `insert into sok_endring as e (orgnr, er_underenhet, endret_at)
     select distinct on (orgnr) orgnr, er_underenhet, $3::timestamptz
     from unnest($1::integer[], $2::boolean[]) as ny (orgnr, er_underenhet)
     on conflict (orgnr) do update
     set er_underenhet = excluded.er_underenhet, lest_at = null,
         endret_at = greatest(e.endret_at, excluded.endret_at)`,
    [changes.map(({ orgnr }) => orgnr), changes.map(({ isSubUnit }) => isSubUnit), at],
  )
}

/** The same of what a build finds out about for itself: what was read since is left as it is. */
export async function noteEarlierChanges(
  db: Queryable,
  changes: readonly { orgnr: number; isSubUnit: boolean; at: Date }[],
): Promise<void> {
  if (changes.length === 0) return
  await db.query(
    `insert into sok_endring as e (orgnr, er_underenhet, endret_at)
     select distinct on (orgnr) orgnr, er_underenhet, endret_at
     from unnest($1::integer[], $2::boolean[], $3::timestamptz[]) as ny (orgnr, er_underenhet, endret_at)
     order by orgnr, endret_at desc
     on conflict (orgnr) do update
     set endret_at = excluded.endret_at, lest_at = null
     where e.lest_at is not null and e.lest_at < excluded.endret_at`,
    [
      changes.map(({ orgnr }) => orgnr),
      changes.map(({ isSubUnit }) => isSubUnit),
      changes.map(({ at }) => at),
    ],
  )
}

/** Those that wait, the first to change first. */
export async function pendingChanges(db: Queryable, limit: number): Promise<PendingChange[]> {
  const rows = await db.query<{ orgnr: number; er_underenhet: boolean; endret_at: Date }>(
    'select orgnr, er_underenhet, endret_at from sok_endring where lest_at is null order by endret_at, orgnr limit $1',
    [limit],
  )
  return rows.map((row) => ({ orgnr: row.orgnr, isSubUnit: row.er_underenhet, changedAt: row.endret_at }))
}

export async function countPending(db: Queryable): Promise<{ waiting: number; oldest: Date | null }> {
  const [row] = await db.query<{ antall: number; eldste: Date | null }>(
    'select count(*)::integer as antall, min(endret_at) as eldste from sok_endring where lest_at is null',
  )
  return { waiting: row?.antall ?? 0, oldest: row?.eldste ?? null }
}

/** Sub-units of each of these in the index that is read. */
export async function countSubUnits(db: Queryable, orgnrs: readonly number[]): Promise<Map<number, number>> {
  const rows = await db.query<{ orgnr: number; antall: number }>(
    `select overordnet as orgnr, count(*)::integer as antall from sok_foretak
     where overordnet = any($1::integer[]) group by overordnet`,
    [orgnrs],
  )
  return new Map(rows.map(({ orgnr, antall }) => [orgnr, antall]))
}

/**
 * Puts units as they now are in the place of what the index had of them, and notes that they were read: all of it or nothing.
 * One that was removed is not put back (P11), and one that changed again meanwhile waits on. `gone`: those the register does
 * not have.
 */
export async function applyChanges(
  db: Pick<Database, 'transaction'>,
  asked: readonly PendingChange[],
  found: readonly UnitRows[],
): Promise<void> {
  await db.transaction(async (connection) => {
    await connection.query('lock table fjernet in share mode')
    const orgnrs = asked.map(({ orgnr }) => orgnr)
    const removed = await connection.query<{ orgnr: number }>(
      'select organisasjonsnummer::integer as orgnr from fjernet where organisasjonsnummer = any($1::text[])',
      [orgnrs.map((orgnr) => nineDigits(orgnr))],
    )
    const isRemoved = new Set(removed.map(({ orgnr }) => orgnr))
    await forgetIn(connection, (table) => table, orgnrs)
    const left = found.filter(({ company }) => !isRemoved.has(company.orgnr))
    await keepTexts(connection, left)
    const units = left.map(columnsOf)
    for (const table of ['sok_foretak', 'sok_navn', 'sok_kontakt'] as const) {
      const rows = units.flatMap((unit) => unit[table])
      await connection.query(
        `insert into ${table} select * from json_populate_recordset(null::${table}, $1)`,
        [JSON.stringify(rows).replaceAll('\\u0000', '')],
      )
    }
    await connection.query(
      `insert into sok_ord as o (ord, bakfra, antall, tyngde)
       select ord, reverse(ord), count(*), max(tyngde)
       from (select unnest(ord) as ord, tyngde from sok_navn where orgnr = any($1::integer[])) as each
       group by ord order by ord
       on conflict (ord) do update
       set antall = o.antall + excluded.antall, tyngde = greatest(o.tyngde, excluded.tyngde)`,
      [orgnrs],
    )
    await connection.query(
      `update sok_endring e set lest_at = now()
       from unnest($1::integer[], $2::timestamptz[]) as lest (orgnr, endret_at)
       where e.orgnr = lest.orgnr and e.endret_at <= lest.endret_at + interval '1 ms'`,
      [orgnrs, asked.map(({ changedAt }) => changedAt)],
    )
  })
}

import { DAY_MS, HOUR_MS } from '#src/core/units.ts'
import type { Queryable } from './database.ts'

/**
 * What is due at a time so far ahead that nobody puts off anything for so long: PostgreSQL's clock was ahead when it was written. It is
 * due now; what it is not yet time for says so itself, and is put off anew.
 *
 * @returns how many of each table
 */
export async function bringBack(db: Queryable): Promise<Record<string, number>> {
  const brought: Record<string, number> = {}
  for (const { table, column, mostMs, which } of putOff) {
    const rows = await db.query(
      `update ${table} set ${column} = now() where ${column} > now() + $1 * interval '1 ms' and ${which} returning 1`,
      [mostMs],
    )
    if (rows.length > 0) brought[table] = (brought[table] ?? 0) + rows.length
  }
  return brought
}

/** Every time that is waited for, and the longest it is ever put ahead, with room. */
export const putOff = [
  { table: 'ordre', column: 'neste_sjekk_at', mostMs: HOUR_MS, which: 'true' },
  { table: 'utboks', column: 'neste_at', mostMs: 2 * DAY_MS, which: 'ferdig_at is null' },
  { table: 'testnokkelonske', column: 'neste_at', mostMs: HOUR_MS, which: 'epost is not null' },
  { table: 'vipps_webhook_sjekk', column: 'neste_at', mostMs: 2 * DAY_MS, which: 'true' },
  { table: 'endepunkt', column: 'laas_til', mostMs: HOUR_MS, which: 'true' },
  { table: 'endepunkt', column: 'neste_at', mostMs: 2 * DAY_MS, which: 'true' },
  { table: 'levering', column: 'neste_at', mostMs: 2 * DAY_MS, which: `tilstand = 'venter'` },
  { table: 'blikk', column: 'neste_at', mostMs: 2 * DAY_MS, which: 'true' },
  { table: 'blikk', column: 'sene_at', mostMs: 2 * DAY_MS, which: 'true' },
  { table: 'varsel', column: 'neste_at', mostMs: 2 * DAY_MS, which: 'true' },
  { table: 'bestilling', column: 'neste_at', mostMs: HOUR_MS, which: 'ferdig_at is null' },
]

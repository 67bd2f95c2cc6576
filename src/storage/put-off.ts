import { DAY_MS, HOUR_MS } from '#src/core/units.ts'
import type { Queryable } from './database.ts'

/**
 * What is due at a time so far ahead that nobody puts off anything for so long: PostgreSQL's clock was ahead when it was written. It is
 * due now; what it is not yet time for says so itself, and is put off anew. In steps that PostgreSQL has time for: of a million
 * deliveries at once it gives up, the next time as well. What somebody is at just now is left to the next time.
 *
 * @returns how many of each table
 */
export async function bringBack(db: Queryable): Promise<Record<string, number>> {
  const brought: Record<string, number> = {}
  for (const { table, column, mostMs, which } of putOff) {
    let count: number
    do {
      const rows = await db.query(
        `update ${table} set ${column} = now() where ctid = any(array(
           select ctid from ${table} where ${column} > now() + $1 * interval '1 ms' and ${which}
           limit $2 for update skip locked)) returning 1`,
        [mostMs, AT_ONCE],
      )
      count = rows.length
      if (count > 0) brought[table] = (brought[table] ?? 0) + count
    } while (count === AT_ONCE)
  }
  return brought
}

/** A tenth of a second. */
const AT_ONCE = 5000

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

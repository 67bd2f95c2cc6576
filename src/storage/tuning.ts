import pg from 'pg'
import { Type } from 'typebox'
import type { Queryable } from './database.ts'
import { rowReader, Tid } from './read-rows.ts'

/** One version as it is stored. `verdier` may be anything: whoever uses it reads it as if it came from outside. */
type StoredTuning = { versjon: number; verdier: unknown; hvem: string; hvorfor: string; satt: Date }

/** Newest first, at most `limit`. */
export async function listTunings(db: Queryable, limit: number): Promise<StoredTuning[]> {
  return readTunings(
    await db.query(
      `select versjon, verdier, hvem, hvorfor, satt_at as satt from stilling order by versjon desc limit $1`,
      [limit],
    ),
  )
}

/**
 * Adds the version after `base`. False when there is one already: of two who both saw `base` one is stored.
 *
 * @param base the newest version the change was made from; 0 when there was none
 */
export async function addTuning(
  db: Queryable,
  base: number,
  tuning: Omit<StoredTuning, 'versjon'>,
): Promise<boolean> {
  try {
    const rows = await db.query(
      `insert into stilling (versjon, verdier, hvem, hvorfor, satt_at)
       select $1::integer + 1, $2::jsonb, $3, $4, $5
       where coalesce((select max(versjon) from stilling), 0) = $1::integer
       returning versjon`,
      [base, JSON.stringify(tuning.verdier), tuning.hvem, tuning.hvorfor, tuning.satt],
    )
    return rows.length > 0
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) return false
    throw error
  }
}

const UNIQUE_VIOLATION = '23505'

const readTunings = rowReader(
  'stilling',
  Type.Object({
    versjon: Type.Integer(),
    verdier: Type.Unknown(),
    hvem: Type.String(),
    hvorfor: Type.String(),
    satt: Tid,
  }),
)

import { OppslagError } from '#src/core/errors.ts'
import type { Queryable } from '../database.ts'
import { tableOf } from './delivery-tables.ts'
import type { Written } from './import-year.ts'

/** What is in the tables is not what was written. Nothing has been made the year's. */
class ImportCheckError extends OppslagError {
  constructor(what: string, expected: number | bigint, found: string) {
    super(
      'kontroll_feilet',
      `Kontrollen av det innleste feilet: ${what} skulle vært ${expected}, men er ${found}.`,
    )
  }
}

/**
 * Counts what was loaded in PostgreSQL itself: companies, holders, shares and stakes are as many as were written, and the
 * lists hold as many holders as their books say. That nothing is there twice is what the keys have seen to.
 *
 * @throws ImportCheckError
 */
export async function checkYear(db: Queryable, leveranse: number, written: Written): Promise<void> {
  const [found] = await db.query<Record<string, string>>(
    `select b.books, b.holders, b.shares, b.listed + p.listed as listed, p.parts, e.stakes
     from (select count(*) as books, coalesce(sum(innehavere), 0) as holders, coalesce(sum(aksjer_sum), 0) as shares,
             coalesce(sum(json_array_length(storste)), 0) as listed
           from ${tableOf('aksjebok', leveranse)}) as b,
          (select count(*) as parts, coalesce(sum(json_array_length(innehavere)), 0) as listed
           from ${tableOf('aksjebok_del', leveranse)}) as p,
          (select count(*) as stakes from ${tableOf('eierandel', leveranse)}) as e`,
  )
  const expected: Record<string, number | bigint> = { ...written, listed: written.holders }
  for (const [what, number] of Object.entries(expected)) {
    const counted = found?.[what] ?? ''
    if (counted !== String(number)) throw new ImportCheckError(NAMES[what] ?? what, number, counted)
  }
}

const NAMES: Record<string, string> = {
  books: 'antall selskaper',
  holders: 'antall eierforhold',
  shares: 'antall aksjer',
  listed: 'antall eiere i listene',
  parts: 'antall deler',
  stakes: 'antall eierandeler',
}

import { OppslagError } from '#src/core/errors.ts'
import type { Queryable } from '../database.ts'
import { type TableName, tableOf } from './delivery-tables.ts'

/** What is in the tables is not what was written. Nothing has been made the year's. */
class ImportCheckError extends OppslagError {
  constructor(what: string, expected: number | bigint, found: string) {
    super(
      'kontroll_feilet',
      `Kontrollen av det innleste feilet: ${what} skulle vært ${expected}, men er ${found}.`,
    )
  }
}

/** What was written, as it is to be found again. */
export type WrittenYear = {
  books: number
  /** Holders in all books. */
  holders: number
  /** Shares in all books. */
  shares: bigint
  parts: number
  stakes: number
}

/** What PostgreSQL finds in a delivery's tables: whole numbers as text, by what they count. */
export type CountedYear = Partial<Record<string, string>>

const COUNTS: Record<TableName, string> = {
  aksjebok: `count(*) as books, coalesce(sum(innehavere), 0) as holders, coalesce(sum(aksjer_sum), 0) as shares,
             coalesce(sum(json_array_length(storste)), 0) as in_books`,
  aksjebok_del: 'count(*) as parts, coalesce(sum(json_array_length(innehavere)), 0) as in_parts',
  eierandel: 'count(*) as stakes',
}

/** Counts in PostgreSQL itself what has been loaded into one of a delivery's tables. */
export async function countTable(db: Queryable, table: TableName, leveranse: number): Promise<CountedYear> {
  const [found] = await db.query<Record<string, string>>(
    `select ${COUNTS[table]} from ${tableOf(table, leveranse)}`,
  )
  return found ?? {}
}

/**
 * Holds what was counted in the tables against what was written: companies, holders, shares and stakes are as many, and the
 * lists hold as many holders as their books say. That nothing is there twice is what the keys have seen to.
 *
 * @throws ImportCheckError
 */
export function checkYear({ in_books, in_parts, ...counted }: CountedYear, written: WrittenYear): void {
  const found: CountedYear = { ...counted, listed: String(Number(in_books) + Number(in_parts)) }
  const expected: Record<string, number | bigint> = { ...written, listed: written.holders }
  for (const [what, number] of Object.entries(expected)) {
    const counted = found[what] ?? ''
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

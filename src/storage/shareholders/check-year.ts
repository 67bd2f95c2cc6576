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
  /** All lists of holders, in UTF-8. */
  listBytes: number
}

/** What PostgreSQL finds in a delivery's tables: whole numbers as text, by what they count. */
export type CountedYear = Partial<Record<string, string>>

const COUNTS: Record<TableName, string> = {
  aksjebok: `count(*) as books, coalesce(sum(innehavere), 0) as holders, coalesce(sum(aksjer_sum), 0) as shares,
             ${bytesOf('storste')} as in_books`,
  aksjebok_del: `count(*) as parts, ${bytesOf('innehavere')} as in_parts`,
  eierandel: 'count(*) as stakes',
}

/** That it is JSON was seen when it was taken: taking it apart once more would cost as much as all the rest of the counting. */
function bytesOf(list: string): string {
  return `coalesce(sum(octet_length(convert_to(${list}::text, 'UTF8'))), 0)`
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
 * lists of holders as long, to the byte. That nothing is there twice is what the keys have seen to.
 *
 * @throws ImportCheckError
 */
export function checkYear({ in_books, in_parts, ...counted }: CountedYear, written: WrittenYear): void {
  const found: CountedYear = { ...counted, listBytes: String(Number(in_books) + Number(in_parts)) }
  for (const [what, number] of Object.entries(written)) {
    const counted = found[what] ?? ''
    if (counted !== String(number)) throw new ImportCheckError(NAMES[what] ?? what, number, counted)
  }
}

const NAMES: Record<string, string> = {
  books: 'antall selskaper',
  holders: 'antall eierforhold',
  shares: 'antall aksjer',
  listBytes: 'lengden av listene over eiere',
  parts: 'antall deler',
  stakes: 'antall eierandeler',
}

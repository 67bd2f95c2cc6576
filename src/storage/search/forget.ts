import type { Queryable } from '../database.ts'
import { nextOf, type SearchTable } from './tables.ts'

type Of = (table: SearchTable) => string

/** Nothing of these companies is left in the index that is read, nor in the one that is being built, nor a word of theirs alone. */
export async function forgetCompanies(db: Queryable, orgnrs: readonly number[]): Promise<void> {
  await forgetIn(db, (table) => table, orgnrs)
  const [next] = await db.query<{ is_there: boolean }>(
    `select to_regclass('sok_navn_ny') is not null as is_there`,
  )
  if (next?.is_there === true) await forgetIn(db, nextOf, orgnrs)
  await db.query('delete from sok_endring where orgnr = any($1::integer[])', [orgnrs])
}

/** The same in one of the two. */
export async function forgetIn(db: Queryable, of: Of, orgnrs: readonly number[]): Promise<void> {
  await forgetWordsIn(db, of, await forgetRowsIn(db, of, orgnrs))
}

/** @returns the words of their names, which others may have as well */
export async function forgetRowsIn(db: Queryable, of: Of, orgnrs: readonly number[]): Promise<Set<string>> {
  if (orgnrs.length === 0) return new Set()
  await db.query(`delete from ${of('sok_foretak')} where orgnr = any($1::integer[])`, [orgnrs])
  await db.query(`delete from ${of('sok_kontakt')} where orgnr = any($1::integer[])`, [orgnrs])
  const rows = await db.query<{ ord: string[] }>(
    `delete from ${of('sok_navn')} where orgnr = any($1::integer[]) returning ord`,
    [orgnrs],
  )
  return new Set(rows.flatMap(({ ord }) => ord))
}

/** Those of these words that nobody has. */
export async function forgetWordsIn(db: Queryable, of: Of, words: ReadonlySet<string>): Promise<void> {
  if (words.size === 0) return
  await db.query(
    `delete from ${of('sok_ord')} o where ord = any($1::text[])
       and not exists (select from ${of('sok_navn')} n where n.ord @> array[o.ord])`,
    [[...words]],
  )
}

import type { Queryable } from '../database.ts'
import type { UnitRows } from './rows.ts'

/**
 * Keeps what the register calls the codes of these units: some thousand texts for two million of them.
 *
 * @param known those that are kept already, to which these are added
 */
export async function keepTexts(
  db: Queryable,
  units: readonly UnitRows[],
  known: Set<string> = new Set(),
): Promise<void> {
  const texts = new Map<string, [kind: 'form' | 'naering', code: string, text: string]>()
  const add = (kind: 'form' | 'naering', code: string | null | undefined, text: string | null) => {
    const key = `${kind} ${code} ${text}`
    if (code && text && !known.has(key)) texts.set(key, [kind, code, text])
  }
  for (const { company } of units) {
    add('form', company.form, company.formText)
    add('naering', company.industries[0], company.industryText)
  }
  if (texts.size === 0) return
  // One after the other: of two texts for one code the later stands.
  for (const [key, row] of texts) {
    await db.query(
      `insert into sok_tekst (art, kode, tekst) values ($1, $2, $3)
       on conflict (art, kode) do update set tekst = excluded.tekst where sok_tekst.tekst <> excluded.tekst`,
      row.map((text) => text.replaceAll('\0', '')),
    )
    known.add(key)
  }
}

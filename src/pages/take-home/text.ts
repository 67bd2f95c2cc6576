import type { Language } from '#src/core/language.ts'
import { plainLine } from '#src/core/plain-line.ts'
import type { Cell, Sheet } from '../../http/sheets/sheet.ts'
import { numberText } from '../record-view/wording.ts'

/** To be pasted into a mail: each table under its title, a line for each row. */
export function textFormOf(tables: readonly Sheet[], language: Language): string {
  // A year is no amount.
  const numberOf = (value: number) =>
    Number.isInteger(value) && value > 1900 && value < 2200
      ? String(value)
      : numberText(value, language, Number.isInteger(value) ? 0 : 1)
  return `${tables
    .map(({ name, columns, rows }) => {
      const lines = rows.map((row) => lineOf(columns, row, numberOf))
      return [name.toUpperCase(), ...lines].join('\n')
    })
    .join('\n\n')}\n`
}

/** Two columns are a name and its value; of more, each but the first is named. */
function lineOf(
  columns: readonly string[],
  row: readonly Cell[],
  numberOf: (value: number) => string,
): string {
  const told = row.map((cell) =>
    cell === null ? '' : typeof cell === 'number' ? numberOf(cell) : plainLine(String(cell)),
  )
  if (columns.length === 2) return `${told[0]}: ${told[1]}`
  const [first = '', ...rest] = told
  const named = rest.flatMap((text, index) => (text === '' ? [] : [`${columns[index + 1]}: ${text}`]))
  return [first, ...named].join(', ')
}

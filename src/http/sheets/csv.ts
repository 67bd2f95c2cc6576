import { type Cell, fileText, type Sheet } from './sheet.ts'

/**
 * A table as Norwegian Excel opens it: semicolons, UTF-8 with a mark, CRLF, decimal comma. What would be taken for a formula
 * begins with an apostrophe (OWASP, "CSV Injection"): a name is whatever somebody registered.
 */
export function csvOf({ columns, rows }: Pick<Sheet, 'columns' | 'rows'>): Buffer {
  return bytesOf([columns, ...rows])
}

/** The same piece by piece: this first, then the rows. */
export function csvHead(columns: readonly string[]): Buffer {
  return bytesOf([columns])
}

export function csvRows(rows: readonly (readonly Cell[])[]): Buffer {
  return Buffer.from(textOf(rows))
}

/** Several tables in one file: each under its name, with an empty line between. */
export function csvOfAll(sheets: readonly Sheet[]): Buffer {
  return bytesOf(
    sheets.flatMap(({ name, columns, rows }, index) => [
      ...(index === 0 ? [] : [[]]),
      [name],
      columns,
      ...rows,
    ]),
  )
}

function bytesOf(lines: readonly (readonly Cell[])[]): Buffer {
  return Buffer.from(`\uFEFF${textOf(lines)}`)
}

function textOf(lines: readonly (readonly Cell[])[]): string {
  return lines.map((line) => `${line.map(field).join(';')}\r\n`).join('')
}

function field(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell).replace('.', ',')
  if (typeof cell === 'boolean') return cell ? 'ja' : 'nei'
  const text = defused(cell)
  return /[;"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Looked at as it came and as it is written: what hides a sign before it is taken away between. */
function defused(cell: string): string {
  const text = fileText(cell).replace(WITHIN, "$1'")
  return /^[\t\r]/.test(cell) || SIGN.test(cell) || SIGN.test(text.trimStart()) ? `'${text}` : text
}

/** Also as wide as a letter of Chinese, which Excel takes for the same. */
const SIGN = /^[=+\-@\uff1d\uff0b\uff0d\uff20]/
/** What a formula would be where lines are taken apart at commas or tabs, as elsewhere: the rest of a cell is one of its own there, and
 * what quotes it there is the quotation mark it begins with. A price ends with `,-`: a sign begins one where a term follows it, or behind
 * a blank something that is called or lies in another file. Few blanks are looked past, and letters: of thousands each would be looked
 * past by all before it. */
const WITHIN =
  /([,\t\r\n])(?=(?:[^\S\t\r\n]|"){0,8}(?:[=@\uff1d\uff20]|[+\-\uff0b\uff0d](?:[\p{L}\p{N}("'$@=+\-\uff0b\uff0d{[#_\\]|\.\p{N}|[^\S\t\r\n][^,\t\r\n]{0,200}[(!|])))/gu

import { Parser } from 'htmlparser2'

export type TableRow = { isWhite: boolean; cells: TableCell[] }
/** What stands in one cell, without the tables inside it: their rows are rows of their own. */
export type TableCell = { text: string; links: Link[] }
type Link = { href: string; title: string }

/**
 * The table rows of an HTML page in document order, and the page's whole text; white space is tidied. Tag soup is read
 * as browsers read it where tables are concerned: a cell or row that is not closed ends where the next begins.
 *
 * Read as a stream, so that nesting can be bounded on the way: parsers that build a tree take time by the square of it
 * (measured on Node 24: 1 MB of nested tables held the process for 26 s with cheerio and parse5, 14 s with htmlparser2).
 *
 * @throws RangeError when tags are nested deeper than 500, or more than 50,000
 */
export function readRows(html: string): { rows: TableRow[]; text: string } {
  const page: Page = {
    rows: [],
    text: [],
    tables: [{ row: null, cell: null, link: null }],
    depth: 0,
    tags: 0,
    silent: 0,
  }
  const parser = new Parser({
    onopentag: (name, attributes) => open(page, name, attributes),
    ontext: (text) => write(page, text),
    onclosetag: (name) => close(page, name),
  })
  parser.end(html)
  for (const { cells } of page.rows) for (const cell of cells) tidyCell(cell)
  return { rows: page.rows, text: tidy(page.text.join('')) }
}

/** Where reading stands: the tables that are open, the innermost last; the first stands for "in no table". */
type Page = {
  rows: TableRow[]
  text: string[]
  tables: Table[]
  depth: number
  tags: number
  silent: number
}
type Table = { row: TableRow | null; cell: TableCell | null; link: Link | null }

const DEPTH_MAX = 500
/** An announcement has some ten. A page of half a million, which is 4 MB, held the process for 0.4 s. */
const TAGS_MAX = 50_000

function open(page: Page, name: string, attributes: Record<string, string>): void {
  page.depth += 1
  page.tags += 1
  if (page.tags > TAGS_MAX) throw new RangeError(`there are more than ${TAGS_MAX} tags`)
  if (page.depth > DEPTH_MAX) throw new RangeError(`tags are nested deeper than ${DEPTH_MAX}`)
  const table = innermost(page)
  if (name === 'table') page.tables.push({ row: null, cell: null, link: null })
  if (name === 'script' || name === 'style') page.silent += 1
  if (name === 'tr') {
    const row = { isWhite: attributes.bgcolor?.toLowerCase() === '#ffffff', cells: [] }
    table.row = row
    table.cell = null
    page.rows.push(row)
  }
  if (name === 'td' && table.row !== null) {
    table.cell = { text: '', links: [] }
    table.row.cells.push(table.cell)
  }
  if (name === 'a' && table.cell !== null) {
    table.link = { href: attributes.href ?? '', title: '' }
    table.cell.links.push(table.link)
  }
}

function write(page: Page, text: string): void {
  if (page.silent > 0) return
  page.text.push(text)
  const { cell, link } = innermost(page)
  if (cell !== null) cell.text += text
  if (link !== null) link.title += text
}

/** The parser closes what it opened, in order, also where the page forgot to. */
function close(page: Page, name: string): void {
  page.depth -= 1
  if (name === 'table') page.tables.pop()
  if (name === 'script' || name === 'style') page.silent -= 1
  const table = innermost(page)
  if (name === 'a' || name === 'td' || name === 'tr') table.link = null
  if (name === 'td' || name === 'tr') table.cell = null
  if (name === 'tr') table.row = null
}

function innermost(page: Page): Table {
  const table = page.tables.at(-1)
  if (table === undefined) throw new RangeError('more tables were closed than opened')
  return table
}

function tidyCell(cell: TableCell): void {
  cell.text = tidy(cell.text)
  for (const link of cell.links) link.title = tidy(link.title)
}

function tidy(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

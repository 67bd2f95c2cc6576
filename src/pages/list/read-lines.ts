import { findOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { cleanName } from '../lookup/read-query.ts'

/** What somebody has in a line: a number or a name, and where the company is, when it stands beside it. */
export type GivenLine = { given: string; place: string | null }

/**
 * The lines of what was pasted or of a file, as sheets write them: cells between semicolons or tabs, of which the first number
 * counts, else the first text with the second as its place. Empty lines and a heading are left out.
 *
 * @param most so many are read: those behind them are counted alone, whatever many there are (`leftOut`)
 */
export function readTypedLines(text: string, most: number): { lines: GivenLine[]; leftOut: number } {
  const lines: GivenLine[] = []
  let isFirst = true
  let lookedAt = 0
  for (const { 0: line, index } of text.replace(/^\ufeff/, ' ').matchAll(/[^\r\n]+/g)) {
    lookedAt += 1
    if (lines.length >= most || lookedAt > LOOKED_AT_MAX) return { lines, leftOut: countLines(text, index) }
    const cells = line
      .split(/[;\t]/, CELLS_MAX)
      .map((cell) => cleanName(cell.trim().replace(/^"(.*)"$/, '$1')))
      .filter((cell) => cell !== '')
    const [first, place = null] = cells
    if (first === undefined) continue
    const number = cells.find((cell) => findOrganisasjonsnummer(cell) !== null)
    if (number !== undefined) lines.push({ given: number, place: null })
    else if (!isFirst || !HEADING.test(first)) lines.push({ given: first, place })
    isFirst = false
  }
  return { lines, leftOut: 0 }
}

/** From there on, but for empty ones: looked at letter by letter, and nothing is made of them. */
function countLines(text: string, from: number): number {
  let count = 0
  let isIn = false
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at] ?? ''
    if (letter === '\n' || letter === '\r') isIn = false
    else if (!isIn && letter > ' ') {
      isIn = true
      count += 1
    }
  }
  return count
}

/** Of lines with nothing in them half a megabyte has a quarter of a million: a tenth of a second (P148). */
const LOOKED_AT_MAX = 10_000

/** More columns than this have no number that anybody looks for. */
const CELLS_MAX = 100

const HEADING =
  /^(?:navn|foretak|bedrift|firma|selskap|kunde|org\.? ?-?nr\.?|organisasjonsnummer|name|company)$/i

/** The text of a file, also of one that a Norwegian Excel wrote in its own letters (Windows-1252). */
export function textOfFile(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

import { findOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { cleanName } from '../lookup/read-query.ts'

/** What somebody has in a line: a number or a name, and where the company is, when it stands beside it. */
export type Line = { given: string; place: string | null }

/**
 * The lines of what was pasted or of a file, as sheets write them: cells between semicolons or tabs, of which the first number
 * counts, else the first text with the second as its place. Empty lines and a heading are left out.
 */
export function readLines(text: string): Line[] {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r\n?|\n/)
    .map((line) => line.split(/[;\t]/).map((cell) => cleanName(cell.trim().replace(/^"(.*)"$/, '$1'))))
    .filter((cells) => cells.some((cell) => cell !== ''))
  return lines.flatMap((cells, index) => {
    const number = cells.find((cell) => findOrganisasjonsnummer(cell) !== null)
    if (number !== undefined) return [{ given: number, place: null }]
    const [given = '', place = null] = cells.filter((cell) => cell !== '')
    return index === 0 && HEADING.test(given) ? [] : [{ given, place }]
  })
}

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

import { parse } from 'csv-parse/sync'
import { InputError } from '#src/core/errors.ts'
import { type Organisasjonsnummer, parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'

/** What stood in one place of a list: a number, or what was wrong with it. One that is wrong costs no other its answer. */
export type Asked =
  | { orgnr: Organisasjonsnummer; given: null; wrong: null }
  | { orgnr: null; given: string; wrong: InputError }

/**
 * The numbers of a list, in its order, each once.
 *
 * - JSON: an array of texts or numbers, or `{ "organisasjonsnumre": […] }`
 * - text: separated by line breaks, commas, semicolons or tabs
 * - CSV: the column called `organisasjonsnummer` or `orgnr` of any list with headings, otherwise its first column
 *
 * @throws InputError when it is no list, is empty, or is longer than `most`
 */
export function readNumbers(
  body: unknown,
  type: 'json' | 'text' | 'csv',
  most: number,
): { asked: Asked[]; doubles: number } {
  const texts = type === 'json' ? ofJson(body) : type === 'csv' ? ofCsv(String(body)) : ofText(String(body))
  const given = texts.map((text) => text.trim()).filter((text) => text !== '')
  const seen = new Map<string, Asked>()
  for (const text of given) {
    const asked = readOne(text)
    seen.set(asked.orgnr ?? asked.given, asked)
    if (seen.size > most) throw tooMany(most)
  }
  if (seen.size === 0) throw noList()
  return { asked: [...seen.values()], doubles: given.length - seen.size }
}

function readOne(text: string): Asked {
  try {
    return { orgnr: parseOrganisasjonsnummer(text), given: null, wrong: null }
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return { orgnr: null, given: text.slice(0, GIVEN_LETTERS_MAX), wrong: error }
  }
}

/** Enough to find it again in the list. */
const GIVEN_LETTERS_MAX = 40

function ofJson(body: unknown): string[] {
  const list =
    typeof body === 'object' && body !== null && 'organisasjonsnumre' in body ? body.organisasjonsnumre : body
  if (!Array.isArray(list)) throw noList()
  return list.map((each) => {
    if (typeof each !== 'string' && typeof each !== 'number') throw noList()
    return String(each)
  })
}

function ofText(body: string): string[] {
  return body.replace(/^\uFEFF/, '').split(/[\r\n,;\t]+/)
}

function ofCsv(body: string): string[] {
  const [first = ''] = body.split('\n', 1)
  const delimiter = [';', '\t', ','].find((each) => first.includes(each)) ?? ';'
  let rows: string[][]
  try {
    rows = parse(body, { bom: true, delimiter, relax_column_count: true, skip_empty_lines: true, trim: true })
  } catch {
    throw noList()
  }
  const [head = []] = rows
  const column = head.findIndex((name) => /^(organisasjonsnummer|orgnr|org\.?\s?nr\.?)$/i.test(name))
  return (column === -1 ? rows : rows.slice(1)).map((row) => row[Math.max(column, 0)] ?? '')
}

function noList(): InputError {
  return new InputError('ugyldig_parameter', 'body', {
    norsk:
      'Send en liste med organisasjonsnumre: JSON ["923609016", …], tekst med ett på hver linje, eller CSV.',
    english:
      'Send a list of organisation numbers: JSON ["923609016", …], text with one on each line, or CSV.',
  })
}

function tooMany(most: number): InputError {
  return new InputError('ugyldig_parameter', 'body', {
    norsk: `Høyst ${most} organisasjonsnumre i én forespørsel. Del listen.`,
    english: `At most ${most} organisation numbers in a request. Divide the list.`,
  })
}

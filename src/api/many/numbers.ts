import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { Type } from 'typebox'
import { InputError } from '#src/core/errors.ts'
import { createLoopTurns } from '#src/core/loop-turns.ts'
import {
  noOrganisasjonsnummer,
  type Organisasjonsnummer,
  readOrganisasjonsnummer,
} from '#src/core/organisation-number.ts'
import { textsOfJson } from './json-texts.ts'

/** The forms a list of numbers may be sent in, as the document has them. `bodyBytesMax` bytes at most. */
export function numbersBody({ numbersMax, bodyBytesMax }: { numbersMax: number; bodyBytesMax: number }) {
  return {
    content: {
      'application/json': {
        schema: Type.Array(Type.String({ maxLength: 40 }), { minItems: 1, maxItems: numbersMax }),
      },
      'text/plain': {
        schema: Type.String({ maxLength: bodyBytesMax, description: 'Ett nummer på hver linje.' }),
      },
      'text/csv': {
        schema: Type.String({
          maxLength: bodyBytesMax,
          description: 'Kolonnen organisasjonsnummer, ellers den første.',
        }),
      },
    },
  }
}

/**
 * What stood in one place of a list: a number, or what was wrong with it. One that is wrong costs no other its answer. Where
 * neither is left it was a number, of a company that was removed from the registers since.
 */
export type AskedNumber =
  | { orgnr: Organisasjonsnummer; given: null; wrong: null }
  | { orgnr: null; given: string; wrong: InputError }
  | { orgnr: null; given: null; wrong: null }

/**
 * The numbers of a list, in its order, each once. A long one is read in pieces, and others are answered between them.
 *
 * - JSON: an array of texts or numbers, or `{ "organisasjonsnumre": […] }`
 * - text: separated by line breaks, commas, semicolons or tabs
 * - CSV: the column called `organisasjonsnummer` or `orgnr` of any list with headings, otherwise its first column
 *
 * @throws InputError when it is no list, is empty, or is longer than `most`
 */
export async function readNumbers(
  body: string,
  type: 'json' | 'text' | 'csv',
  most: number,
): Promise<{ asked: AskedNumber[]; doubles: number }> {
  const seen = new Map<string, AskedNumber>()
  // Each text is read once: tens of thousands of the same that is wrong would be as many errors (P99).
  const read = new Set<string>()
  const wrongs = new Map<string, InputError>()
  let count = 0
  for await (const texts of runsOf(body, type)) {
    for (const each of texts) {
      const text = each.trim()
      if (text === '') continue
      count += 1
      if (read.has(text)) continue
      read.add(text)
      const asked = readOne(text, wrongs)
      seen.set(asked.orgnr ?? asked.given ?? '', asked)
      if (seen.size > most) throw tooMany(most)
    }
    if (turns.isOver()) await turns.next()
  }
  if (seen.size === 0) throw noList()
  return { asked: [...seen.values()], doubles: count - seen.size }
}

/** All lists that are read together keep nobody else waiting for longer than these milliseconds. */
const turns = createLoopTurns(4)

/**
 * A list's line as it was stored.
 *
 * @param wrongs what was wrong with others of the list
 */
export function askedAgain(
  { orgnr, given }: { orgnr: string | null; given: string | null },
  wrongs: Map<string, InputError>,
): AskedNumber {
  if (orgnr !== null) return { orgnr: orgnr as Organisasjonsnummer, given: null, wrong: null }
  if (given === null) return { orgnr, given, wrong: null }
  const asked = readOne(given, wrongs)
  // What was cut off of it was wrong.
  return asked.wrong === null ? { orgnr, given, wrong: noNumber() } : { ...asked, given }
}

/** @param wrongs what was wrong with others, by its words: one of each is enough for a hundred thousand */
function readOne(
  text: string,
  wrongs: Map<string, InputError>,
): Exclude<AskedNumber, { given: null; orgnr: null }> {
  const read = readOrganisasjonsnummer(text)
  if (typeof read === 'string') return { orgnr: read, given: null, wrong: null }
  const wrong = wrongs.get(read.norsk) ?? noOrganisasjonsnummer(read)
  wrongs.set(read.norsk, wrong)
  return { orgnr: null, given: text.slice(0, GIVEN_LETTERS_MAX), wrong }
}

/** Enough to find it again in the list. */
const GIVEN_LETTERS_MAX = 40

async function* runsOf(body: string, type: 'json' | 'text' | 'csv'): AsyncGenerator<string[]> {
  const plain = body.replace(/^\uFEFF/, '')
  try {
    if (type === 'csv') yield* ofCsv(plain)
    else if (type === 'json') yield* textsOfJson(plain, RUN_TEXTS)
    else yield* ofText(plain)
  } catch (error) {
    // Of what reads JSON, and of what reads CSV.
    if (error instanceof SyntaxError || error instanceof CsvError) throw noList()
    throw error
  }
}

const RUN_TEXTS = 200

function* ofText(body: string): Generator<string[]> {
  let some: string[] = []
  for (const [text] of body.matchAll(/[^\r\n,;\t]+/g)) {
    some.push(text)
    if (some.length < RUN_TEXTS) continue
    yield some
    some = []
  }
  yield some
}

async function* ofCsv(body: string): AsyncGenerator<string[]> {
  const [first = ''] = body.split('\n', 1)
  const delimiter = [';', '\t', ','].find((each) => first.includes(each)) ?? ';'
  const parser = parse({
    delimiter,
    max_record_size: ROW_LETTERS_MAX,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
    cast(cell, { index }) {
      if (index >= COLUMNS_MAX) throw noList()
      return cell
    },
  })
  let column: number | null = null
  for await (const row of Readable.from(pieces(Buffer.from(body))).pipe(parser)) {
    const cells = row as string[]
    if (column === null) {
      column = cells.findIndex((name) => /^(organisasjonsnummer|orgnr|org\.?\s?nr\.?)$/i.test(name))
      if (column !== -1) continue
      column = 0
    }
    yield [cells[column] ?? '']
  }
}

/**
 * No list that people have has rows as long, or as wide as a sheet may be. One that is all one row would be a million columns, which
 * are one piece once they are taken apart; where all of them are empty it has no letters.
 */
const ROW_LETTERS_MAX = 32 * 1024
const COLUMNS_MAX = 16_384

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    if (turns.isOver()) await turns.next()
    yield bytes.subarray(from, from + PIECE_BYTES)
  }
}

/** Of nothing but separators it takes two milliseconds. */
const PIECE_BYTES = 1024

function noNumber(): InputError {
  return new InputError('ugyldig_organisasjonsnummer', 'orgnr', {
    norsk: 'Dette er ikke et organisasjonsnummer.',
    english: 'This is no organisation number.',
  })
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
    norsk: `Høyst ${most} organisasjonsnumre i én forespørsel. Del listen, eller send den som en bestilling.`,
    english: `At most ${most} organisation numbers in a request. Divide the list, or send it to bestillinger.`,
  })
}

import { type CsvError, parse } from 'csv-parse/sync'
import { OppslagError } from '#src/core/errors.ts'
import {
  maskIdentityNumbers,
  mayHoldIdentityNumber,
} from '#src/sources/aksjonaerregisteret/identity-number.ts'
import { readFilings } from '#src/sources/regnskap/accounts.ts'
import { FIGURE_PATHS, nest } from '#src/sources/regnskap/figures.ts'
import type { RegisterRegnskap } from '#src/sources/regnskap/schema.ts'
import { SourceError } from '#src/sources/source.ts'
import { RefusedLineError } from './refused-line.ts'

/** The first line does not say what the columns are. `header` is that line, without what may be an identity number. */
class UnknownHeaderError extends OppslagError {
  readonly header: string

  constructor(why: string, header: string) {
    const shown = maskIdentityNumbers(header.slice(0, 500))
    super('ukjent_overskrift', `Overskriften er ikke forstått: ${why}. Den er: ${shown}`)
    this.header = shown
  }
}

const REQUIRED = ['organisasjonsnummer', 'regnskapstype', 'fraDato', 'tilDato', 'valuta'] as const
const WORDS = ['journalnr', 'organisasjonsform', 'oppstillingsplan', 'regnskapsregler'] as const
const FLAGS = [
  'avviklingsregnskap',
  'smaaForetak',
  'morselskap',
  'ikkeRevidertAarsregnskap',
  'fravalgRevisjon',
] as const
const COLUMNS: ReadonlySet<string> = new Set([...REQUIRED, 'id', ...WORDS, ...FLAGS, ...FIGURE_PATHS.keys()])

/**
 * Reads the header of a CSV file of accounts, one set of accounts a line, and gives what reads its lines. Columns may stand in
 * any order and are named as the register names the same thing; the separator is `;`, or `,` where the header has no `;`.
 *
 * @throws UnknownHeaderError for an unknown, missing or repeated column
 */
export function readCsvHeader(header: string) {
  const delimiter = header.includes(';') ? ';' : ','
  const columns = cells(header, delimiter)?.map((name) => name.trim()) ?? []
  const unknown = columns.filter((name) => !COLUMNS.has(name))
  const missing = REQUIRED.filter((name) => !columns.includes(name))
  const felt = columns.filter((name) => FIGURE_PATHS.has(name))
  if (unknown.length > 0) throw new UnknownHeaderError(`ukjente kolonner: ${mask(unknown)}`, header)
  if (missing.length > 0) throw new UnknownHeaderError(`mangler ${missing.join(', ')}`, header)
  if (new Set(columns).size < columns.length)
    throw new UnknownHeaderError('en kolonne står to ganger', header)
  if (felt.length === 0) throw new UnknownHeaderError('ingen kolonne med tall', header)

  return {
    /** The figures the file has columns for. An empty cell in one says that the accounts do not have it. */
    felt,

    /** @throws RefusedLineError */
    readLine(text: string): RegisterRegnskap {
      const values = cells(text, delimiter)
      if (values?.length !== columns.length) throw new RefusedLineError('feil_antall_felt')
      const row = new Map(columns.map((name, index) => [name, (values[index] ?? '').trim()]))
      return filingOf(row)
    },
  }
}

/** Null when the quotes do not match. */
function cells(line: string, delimiter: string): string[] | null {
  if (!line.includes('"')) return line.split(delimiter)
  try {
    return parse(line, { delimiter, relax_column_count: true })[0] ?? null
  } catch (error) {
    if ((error as CsvError).code?.startsWith('CSV_')) return null
    throw error
  }
}

function filingOf(row: ReadonlyMap<string, string>): RegisterRegnskap {
  const word = (name: string) => {
    const text = row.get(name) ?? ''
    if (mayHoldIdentityNumber(text)) throw new RefusedLineError('identitetsnummer', name)
    return text === '' ? undefined : text
  }
  const id = word('id')
  if (id !== undefined && !/^[1-9]\d{0,8}$/.test(id)) throw new RefusedLineError('ugyldig_felt', 'id')
  const flags = Object.fromEntries(FLAGS.map((name) => [name, flag(name, word(name))]))
  const valuta = word('valuta')
  if (valuta === undefined) throw new RefusedLineError('ugyldig_valuta')
  const filing = {
    id: id === undefined ? undefined : Number(id),
    journalnr: word('journalnr'),
    regnskapstype: word('regnskapstype'),
    virksomhet: {
      organisasjonsnummer: word('organisasjonsnummer') ?? '',
      organisasjonsform: word('organisasjonsform'),
      morselskap: flags.morselskap,
    },
    regnskapsperiode: { fraDato: word('fraDato'), tilDato: word('tilDato') },
    valuta,
    avviklingsregnskap: flags.avviklingsregnskap,
    oppstillingsplan: word('oppstillingsplan'),
    revisjon: {
      ikkeRevidertAarsregnskap: flags.ikkeRevidertAarsregnskap,
      fravalgRevisjon: flags.fravalgRevisjon,
    },
    regnkapsprinsipper: { smaaForetak: flags.smaaForetak, regnskapsregler: word('regnskapsregler') },
    ...nest(figures(row)),
  }
  return believed(filing)
}

/** Everything else has been read by its own rule: what the register's shape can still refuse is a date. */
function believed(filing: object): RegisterRegnskap {
  try {
    const [regnskap] = readFilings([JSON.parse(JSON.stringify(filing))]).value
    if (regnskap) return regnskap
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
  }
  throw new RefusedLineError('ugyldig_periode')
}

function flag(name: string, text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined
  const value = FLAG_WORDS.get(text.toLowerCase())
  if (value === undefined) throw new RefusedLineError('ugyldig_felt', name)
  return value
}

const FLAG_WORDS: ReadonlyMap<string, boolean> = new Map([
  ['ja', true],
  ['true', true],
  ['nei', false],
  ['false', false],
])

function figures(row: ReadonlyMap<string, string>): Map<string, number> {
  const figures = new Map<string, number>()
  for (const [name, text] of row) {
    if (!FIGURE_PATHS.has(name) || text === '') continue
    // Without separators for thousands, which could be decimals, and without zeros in front, which no amount has.
    if (!/^-?(0|[1-9]\d{0,17})([.,]\d{1,6})?$/.test(text)) throw new RefusedLineError('ugyldig_tall', name)
    figures.set(name, Number(text.replace(',', '.')))
  }
  return figures
}

function mask(names: readonly string[]): string {
  return maskIdentityNumbers(names.slice(0, 10).join(', ').slice(0, 300))
}

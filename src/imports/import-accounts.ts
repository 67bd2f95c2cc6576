import type { Readable } from 'node:stream'
import { OppslagError } from '#src/core/errors.ts'
import {
  compareFilings,
  filingKey,
  type Keeping,
  type KeptFiling,
  keepFilings,
} from '#src/storage/accounts-archive.ts'
import type { Database } from '#src/storage/database.ts'
import { acceptFiling } from './accounts/accept-filing.ts'
import { readCsvHeader } from './accounts/read-csv-line.ts'
import { readJsonLine } from './accounts/read-json-line.ts'
import { readLines } from './accounts/read-lines.ts'
import { type LineRefusal, lineRefusals, RefusedLineError } from './accounts/refused-line.ts'

/** A line that was not taken: where it stands and why, never what it said. */
export type RefusedLine = { linje: number; kode: LineRefusal; felt: string | null; grunn: string }

/** Lines are those with something on them, the header of a CSV file not counted: taken and refused are all of them. */
export type AccountsImport = {
  form: 'json' | 'csv'
  linjer: { lest: number; tatt: number; avvist: number }
  /** Filings by what became of them, or would become. `gjentatt`: the file has the same filing again further down. */
  innsendinger: Record<Keeping | 'gjentatt', number>
  /** The companies something is new of; null when they are too many to name one by one. */
  foretak: string[] | null
  avbrutt: boolean
}

class EmptyFileError extends OppslagError {
  constructor() {
    super('tom_fil', 'Filen er tom.')
  }
}

/** Filings kept in one transaction: a few milliseconds each, so that a removal waits no longer than that. */
const BATCH_MAX = 500
/** So many are told to the caches one by one; with more, all accounts are looked up anew as they are asked for. */
const COMPANIES_MAX = 200

/**
 * Imports accounts from a file an operator has: JSON lines in the register's own shape, or CSV with a header (seen from the
 * first line). The same file twice changes nothing. What the register itself gave is never undone, and of a company that was
 * removed on legal grounds nothing is kept.
 *
 * Memory does not grow with the file. An import that is ended early has kept what it had read; again, it goes on from there.
 *
 * @param isDryRun nothing is kept
 * @throws EmptyFileError, UnknownHeaderError, UnreadableFileError, StorageUnavailableError
 */
export async function importAccounts(
  file: Readable,
  {
    database,
    at,
    isDryRun = false,
    onRefused = () => {},
    onProgress = () => {},
    signal,
  }: {
    database: Database
    at: Date
    isDryRun?: boolean
    onRefused?: (refused: RefusedLine) => void
    onProgress?: (lines: number) => void
    signal?: AbortSignal
  },
): Promise<AccountsImport> {
  let reader: LineReader | null = null
  const linjer = { lest: 0, tatt: 0, avvist: 0 }
  const innsendinger = { ny: 0, endret: 0, uendret: 0, fjernet: 0, gjentatt: 0 }
  const companies = new Set<string>()
  const batch = new Map<string, KeptFiling>()

  async function keep(): Promise<void> {
    const filings = [...batch.values()]
    batch.clear()
    const keepings = await (isDryRun ? compareFilings : keepFilings)(database, filings)
    for (const [index, keeping] of keepings.entries()) {
      innsendinger[keeping] += 1
      const isNews = keeping === 'ny' || keeping === 'endret'
      if (isNews && companies.size <= COMPANIES_MAX) companies.add(filings[index]?.orgnr ?? '')
    }
    onProgress(linjer.lest)
  }

  for await (const line of readLines(file)) {
    if (signal?.aborted) break
    if (reader === null && line.text !== null) {
      reader = readerFor(line.text)
      if (reader.form === 'csv') continue
    }
    linjer.lest += 1
    try {
      if (line.text === null) throw new RefusedLineError(line.why)
      for (const filing of read(reader, line.text, at)) {
        const key = filingKey(filing)
        if (batch.has(key)) innsendinger.gjentatt += 1
        batch.set(key, filing)
      }
      linjer.tatt += 1
    } catch (error) {
      if (!(error instanceof RefusedLineError)) throw error
      linjer.avvist += 1
      onRefused({ linje: line.number, kode: error.why, felt: error.field, grunn: lineRefusals[error.why] })
    }
    if (batch.size >= BATCH_MAX) await keep()
  }
  if (batch.size > 0) await keep()
  if (reader === null) throw new EmptyFileError()
  return {
    form: reader.form,
    linjer,
    innsendinger,
    foretak: companies.size > COMPANIES_MAX ? null : [...companies],
    avbrutt: signal?.aborted ?? false,
  }
}

type LineReader = { form: 'json' } | ({ form: 'csv' } & ReturnType<typeof readCsvHeader>)

function readerFor(firstLine: string): LineReader {
  return /^[{[]/.test(firstLine) ? { form: 'json' } : { form: 'csv', ...readCsvHeader(firstLine) }
}

/** All of a line's filings, or none. */
function read(reader: LineReader | null, text: string, at: Date): KeptFiling[] {
  if (reader?.form === 'csv') return [acceptFiling(reader.readLine(text), { felt: reader.felt, at })]
  return readJsonLine(text).map((filing) => acceptFiling(filing, { felt: null, at }))
}

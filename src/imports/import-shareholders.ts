import { OppslagError } from '#src/core/errors.ts'
import type { RegisterFile } from '#src/sources/aksjonaerregisteret/file.ts'
import type { FileRefusal } from '#src/sources/aksjonaerregisteret/refusals.ts'
import { type Scan, scanRegister } from '#src/sources/aksjonaerregisteret/scan.ts'
import type { WrittenYear } from '#src/storage/shareholders/check-year.ts'
import {
  type DeliveryStatus,
  findCurrentDelivery,
  findYearOfFile,
} from '#src/storage/shareholders/deliveries.ts'
import {
  beginDelivery,
  type ImportSession,
  listRemovedCompanies,
  openImportSession,
} from '#src/storage/shareholders/import-session.ts'
import { loadYear } from '#src/storage/shareholders/import-year.ts'
import { openOrderedRows } from '#src/storage/shareholders/ordered-rows.ts'
import { publishYear } from '#src/storage/shareholders/publish-year.ts'
import { loadCompanies, type RowApart, type RowCounts } from './shareholders/load-companies.ts'

/** The file is read, and not taken for what it was given as. Nothing has been changed. */
class ImportRefusedError extends OppslagError {
  constructor(code: 'ingen_rader' | 'langt_faerre_rader' | 'filen_endret', message: string) {
    super(code, message)
  }
}

/** PostgreSQL, or the way to it, failed in the middle. Nothing has been changed. */
class ImportFailedError extends OppslagError {
  constructor(cause: unknown) {
    const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
    super('innlesing_feilet', `Innlesingen stanset på veien, og året er som før${code}.`, { cause })
  }
}

export type ImportProgress = {
  /** The file is read twice: first to know what it is, then to load it. */
  stage: 'undersoker' | 'leser' | 'kontrollerer'
  rows: number
  /** Known once the file has been read. */
  rowsTotal: number | null
}

export type ImportOutcome = {
  /** `uendret`: this very file is the year's already. `provd`: all was done but making it the year's. */
  utfall: 'lest_inn' | 'uendret' | 'provd'
  aar: number
  sha256: string
  tegnsett: string
  /** Taken, refused and left out (of removed companies): together the rows of the file. */
  rader: number
  godtatt: number
  avviste: number
  utelatt: number
  selskaper: number
  eierforhold: number
  avvistEtterArsak: Partial<Record<FileRefusal, number>>
  /** Companies whose rows did not stand together in the file. */
  spredteSelskaper: number
  /** The rows of the delivery this one takes the place of. */
  erstattetRader: number | null
  /** Another year whose delivery is this very file, which is hardly right. */
  sammeFilSomAar: number | null
}

/**
 * Loads one year's shareholder register: the file is read through, then read again and loaded beside what is there, checked,
 * and made the year's in one short transaction. Whatever ends this before, the year is as it was. Memory is bounded
 * whatever the file: one company's rows at a time.
 *
 * @param url of the database: loading takes connections of its own
 * @param isForced loads a file also when it is the year's already, or has far fewer rows than the year's
 * @throws ImportBusyError, UnknownHeaderError, RegisterFileError, ImportRefusedError, ImportCheckError, ImportFailedError; the
 *   signal's reason
 */
export async function importShareholders(options: ImportOptions): Promise<ImportOutcome> {
  const { url, file, aar, isDryRun = false, isPatient = false, isForced = false } = options
  const session = await openImportSession({ url, isPatient, ...readingOf(options) })
  try {
    const scan = await scanRegister(file.blocks(readingOf(options)), (rows) =>
      options.onProgress?.({ stage: 'undersoker', rows, rowsTotal: null }),
    )
    const current = await findCurrentDelivery(session, aar)
    if (current?.sha256 === scan.sha256 && !isForced) return unchanged(current, scan)
    if (!isForced) refuseUnlikely(scan, current)
    const sammeFilSomAar = await findYearOfFile(session, scan.sha256, aar)
    const { counts, written } = await loadDelivery(session, scan, options)
    return {
      ...counts,
      ...factsOf(scan),
      utfall: isDryRun ? 'provd' : 'lest_inn',
      aar,
      selskaper: written.books,
      eierforhold: written.holders,
      erstattetRader: current?.rader ?? null,
      sammeFilSomAar,
    }
  } catch (error) {
    if (error instanceof OppslagError || options.signal?.aborted) throw error
    throw new ImportFailedError(error)
  } finally {
    await session.close()
  }
}

type ImportOptions = {
  url: string
  file: Pick<RegisterFile, 'blocks'>
  aar: number
  kilde: string
  uttrekksdato: string | null
  isDryRun?: boolean
  isPatient?: boolean
  isForced?: boolean
  onRefused?: (line: number, refusal: FileRefusal) => void
  onProgress?: (progress: ImportProgress) => void
  signal?: AbortSignal
}

/** A year's register changes by a few thousand rows from one extract to the next. */
const ROWS_SHARE_MIN = 0.8
/** Below this a file is not a country's register, and says nothing about what is likely. */
const ROWS_LIKELY_MIN = 100_000

/** A file that was cut off, or holds chosen companies only, would make the others look as if they had no shareholders. */
function refuseUnlikely({ rows }: Scan, current: DeliveryStatus | null): void {
  if (rows === 0) throw new ImportRefusedError('ingen_rader', 'Filen har ingen rader etter overskriften.')
  const before = current?.rader ?? 0
  if (before < ROWS_LIKELY_MIN || rows >= before * ROWS_SHARE_MIN) return
  throw new ImportRefusedError(
    'langt_faerre_rader',
    `Filen har ${rows} rader, og årets register har ${before} fra før. Er filen hel, og gjelder den alle selskaper? Bruk --likevel om det er riktig.`,
  )
}

/** Loads, checks and publishes. What was begun and not made the year's is cleared away, here or by the next import. */
async function loadDelivery(
  session: ImportSession,
  scan: Scan,
  options: ImportOptions,
): Promise<{ counts: RowCounts; written: WrittenYear }> {
  const leveranse = await beginDelivery(session, options)
  try {
    const removed = await listRemovedCompanies(session)
    const isRemoved = (orgnr: number) => removed.companies.has(orgnr)
    const { counts, written } = await loadTables({ leveranse, scan, isRemoved, options })
    options.signal?.throwIfAborted()
    if (!options.isDryRun) {
      const facts = {
        aar: options.aar,
        sha256: scan.sha256,
        overskrift: scan.header,
        rader: scan.rows,
        avviste: counts.avviste,
        selskaper: written.books,
        eierforhold: written.holders,
      }
      await publishYear(session, leveranse, facts, removed.last)
    }
    return { counts, written }
  } finally {
    await session.tidy().catch(() => {})
  }
}

async function loadTables({
  leveranse,
  scan,
  isRemoved,
  options,
}: {
  leveranse: number
  scan: Scan
  isRemoved: (orgnr: number) => boolean
  options: ImportOptions
}): Promise<{ counts: RowCounts; written: WrittenYear }> {
  const { url, file, onRefused = () => {}, onProgress } = options
  const ordered = scan.scattered.size === 0 ? null : await openOrderedRows<RowApart>(url)
  try {
    const load = await loadYear({ url, leveranse, isRemoved })
    try {
      const counts = await loadCompanies({
        blocks: file.blocks(readingOf(options)),
        scan,
        load,
        ordered,
        isRemoved,
        onRefused,
        onRows: (rows) => onProgress?.({ stage: 'leser', rows, rowsTotal: scan.rows }),
      })
      refuseChanged(scan, counts)
      onProgress?.({ stage: 'kontrollerer', rows: scan.rows, rowsTotal: scan.rows })
      return { counts, written: await load.finish() }
    } finally {
      await load.abandon()
    }
  } finally {
    await ordered?.close()
  }
}

function refuseChanged({ rows }: Scan, { godtatt, avviste, utelatt }: RowCounts): void {
  const accounted = godtatt + avviste + utelatt
  if (accounted === rows) return
  throw new ImportRefusedError(
    'filen_endret',
    `Filen hadde ${rows} rader da den ble undersøkt og ${accounted} da den ble lest. Skriver noen på den?`,
  )
}

function readingOf({ signal }: ImportOptions): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}

function factsOf({ sha256, encoding, rows, scattered }: Scan) {
  return { sha256, tegnsett: encoding, rader: rows, spredteSelskaper: scattered.size }
}

function unchanged(current: DeliveryStatus, scan: Scan): ImportOutcome {
  const avviste = current.avviste ?? 0
  return {
    ...factsOf(scan),
    utfall: 'uendret',
    aar: current.aar,
    godtatt: scan.rows - avviste,
    avviste,
    utelatt: 0,
    selskaper: current.selskaper ?? 0,
    eierforhold: current.eierforhold ?? 0,
    avvistEtterArsak: {},
    erstattetRader: null,
    sammeFilSomAar: null,
  }
}

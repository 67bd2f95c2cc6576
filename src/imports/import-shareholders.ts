import { createHash, type Hash } from 'node:crypto'
import { OppslagError } from '#src/core/errors.ts'
import type { RegisterFile } from '#src/sources/aksjonaerregisteret/file.ts'
import type { FileRefusal } from '#src/sources/aksjonaerregisteret/refusals.ts'
import { readHead, type Scan, scanRegister } from '#src/sources/aksjonaerregisteret/scan.ts'
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
import {
  loadCompanies,
  NotAsReadError,
  type RowApart,
  type RowCounts,
} from './shareholders/load-companies.ts'

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
  /** A file that is looked through first is read twice. */
  stage: 'undersoker' | 'leser' | 'kontrollerer'
  rows: number
  /** About so many; null while the file is looked through. */
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
 * Loads one year's shareholder register beside what is there: it is checked, and made the year's in one short transaction. Whatever
 * ends this before, the year is as it was. Memory is bounded whatever the file: one company's rows at a time.
 *
 * A file is loaded as it is read for the first time. It is looked through first, and read twice, when it may be the year's already
 * or too short to take its place, when its companies do not stand together, and when its first line does not tell its encoding.
 *
 * @param url of the database: loading takes connections of its own
 * @param isForced loads a file also when it is the year's already, or has far fewer rows than the year's
 * @throws ImportBusyError, UnknownHeaderError, RegisterFileError, ImportRefusedError, ImportCheckError, ImportFailedError; the
 *   signal's reason
 */
export async function importShareholders(options: ImportOptions): Promise<ImportOutcome> {
  const { url, aar, isDryRun = false, isPatient = false, isForced = false } = options
  const session = await openImportSession({ url, isPatient, ...readingOf(options) })
  try {
    const current = await findCurrentDelivery(session, aar)
    let scan: Scan | null = null
    if (current !== null && !isForced) {
      scan = await scanFile(options)
      if (current.sha256 === scan.sha256) return unchanged(current, scan)
      refuseUnlikely(scan, current)
    }
    const { counts, written, ...loaded } = await loadDelivery(session, scan, options)
    const sammeFilSomAar = await findYearOfFile(session, loaded.scan.sha256, aar)
    return {
      ...counts,
      ...factsOf(loaded.scan),
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
  file: Pick<RegisterFile, 'blocks' | 'share' | 'isAsOpened'>
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
function refuseUnlikely({ rows }: Pick<Scan, 'rows'>, current: DeliveryStatus | null): void {
  if (rows === 0) throw new ImportRefusedError('ingen_rader', 'Filen har ingen rader etter overskriften.')
  const before = current?.rader ?? 0
  if (before < ROWS_LIKELY_MIN || rows >= before * ROWS_SHARE_MIN) return
  throw new ImportRefusedError(
    'langt_faerre_rader',
    `Filen har ${rows} rader, og årets register har ${before} fra før. Er filen hel, og gjelder den alle selskaper? Bruk --likevel om det er riktig.`,
  )
}

function scanFile({ file, onProgress, ...options }: ImportOptions): Promise<Scan> {
  return scanRegister(file.blocks(readingOf(options)), (rows) =>
    onProgress?.({ stage: 'undersoker', rows, rowsTotal: null }),
  )
}

type Loaded = { scan: Scan; counts: RowCounts; written: WrittenYear }

/** Loads, checks and publishes. What was begun and not made the year's is cleared away, here or by the next import. */
async function loadDelivery(
  session: ImportSession,
  scanned: Scan | null,
  options: ImportOptions,
): Promise<Loaded> {
  const leveranse = await beginDelivery(session, options)
  try {
    const removed = await listRemovedCompanies(session)
    const isRemoved = (orgnr: number) => removed.companies.has(orgnr)
    const into = { leveranse, isRemoved, options }
    const loaded =
      (scanned === null ? await loadAsRead(into) : null) ??
      (await loadScanned(scanned ?? (await scanFile(options)), into))
    options.signal?.throwIfAborted()
    if (!options.isDryRun) {
      const { scan, counts, written } = loaded
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
    return loaded
  } finally {
    await session.tidy().catch(() => {})
  }
}

type Into = { leveranse: number; isRemoved: (orgnr: number) => boolean; options: ImportOptions }

/** @returns null when the file has to be looked through first; nothing of it is left in the tables then */
async function loadAsRead(into: Into): Promise<Loaded | null> {
  const { file, isForced } = into.options
  const { header, columns, encoding } = await readHead(file.blocks(readingOf(into.options)))
  if (encoding === null) return null
  const hash = createHash('sha256')
  try {
    const { counts, written } = await loadTables(into, {
      scan: { columns, encoding, scattered: null },
      blocks: digested(file.blocks(readingOf(into.options)), hash),
      rowsTotal: (rows) => Math.round(rows / (file.share() || 1)),
      check: (counts) => {
        if (!isForced) refuseUnlikely({ rows: rowsOf(counts) }, null)
      },
    })
    const sha256 = hash.digest('hex')
    const scan = { sha256, header, columns, encoding, rows: rowsOf(counts), scattered: new Set<number>() }
    return { scan, counts, written }
  } catch (error) {
    if (error instanceof NotAsReadError) return null
    throw error
  }
}

async function* digested(blocks: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const block of blocks) {
    hash.update(block)
    yield block
  }
}

async function loadScanned(scan: Scan, into: Into): Promise<Loaded> {
  const loaded = await loadTables(into, {
    scan,
    blocks: into.options.file.blocks(readingOf(into.options)),
    rowsTotal: () => scan.rows,
    check: (counts) => refuseChanged(scan, counts),
  })
  return { scan, ...loaded }
}

async function loadTables(
  { leveranse, isRemoved, options }: Into,
  {
    scan,
    blocks,
    rowsTotal,
    check,
  }: {
    scan: Parameters<typeof loadCompanies>[0]['scan']
    blocks: AsyncIterable<Buffer>
    rowsTotal: (rows: number) => number
    /** Before what has been loaded lasts. */
    check: (counts: RowCounts) => void
  },
): Promise<{ counts: RowCounts; written: WrittenYear }> {
  const { url, file, onRefused = () => {}, onProgress } = options
  const isApart = scan.scattered !== null && scan.scattered.size > 0
  const ordered = isApart ? await openOrderedRows<RowApart>(url) : null
  try {
    const load = await loadYear({ url, leveranse, isRemoved })
    try {
      const counts = await loadCompanies({
        blocks,
        scan,
        load,
        ordered,
        isRemoved,
        onRefused,
        onRows: (rows) => onProgress?.({ stage: 'leser', rows, rowsTotal: rowsTotal(rows) }),
      })
      check(counts)
      if (!(await file.isAsOpened())) {
        throw new ImportRefusedError(
          'filen_endret',
          'Filen ble endret mens den ble lest. Skriver noen på den?',
        )
      }
      onProgress?.({ stage: 'kontrollerer', rows: rowsOf(counts), rowsTotal: rowsOf(counts) })
      return { counts, written: await load.finish() }
    } finally {
      await load.abandon()
    }
  } finally {
    await ordered?.close()
  }
}

function rowsOf({ godtatt, avviste, utelatt }: RowCounts): number {
  return godtatt + avviste + utelatt
}

function refuseChanged({ rows }: Scan, counts: RowCounts): void {
  if (rowsOf(counts) === rows) return
  throw new ImportRefusedError(
    'filen_endret',
    `Filen hadde ${rows} rader da den ble undersøkt og ${rowsOf(counts)} da den ble lest. Skriver noen på den?`,
  )
}

function readingOf({ signal }: Pick<ImportOptions, 'signal'>): { signal?: AbortSignal } {
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

import { createNameBytes, nameText, takeName } from '#src/core/name-bytes.ts'
import { createNumberSet } from '#src/core/number-set.ts'
import type { FileRefusal } from '#src/sources/aksjonaerregisteret/refusals.ts'
import { type ArchiveRow, createRowReader } from '#src/sources/aksjonaerregisteret/rows.ts'
import type { Scan } from '#src/sources/aksjonaerregisteret/scan.ts'
import type { YearLoad } from '#src/storage/shareholders/import-year.ts'
import type { OrderedRows } from '#src/storage/shareholders/ordered-rows.ts'
import { addRow, beginCompany, bookOf, createGathering, namesBytesOf } from './gather-company.ts'

/**
 * The largest listed companies have 150,000. All rows of a company are held at once: with so many the import takes 152 MB of
 * the 250 it may.
 */
const COMPANY_ROWS_MAX = 200_000

/** Twenty times what the names of the largest take. */
const COMPANY_NAMES_BYTES_MAX = 64 * 1024 * 1024

/** A row that waits for the others of its company. */
export type RowApart = Omit<ArchiveRow, 'navn'> & { navn: string }

/** What became of a file's rows. */
export type RowCounts = {
  godtatt: number
  avviste: number
  /** Rows of removed companies. */
  utelatt: number
  avvistEtterArsak: Partial<Record<FileRefusal, number>>
}

/** Of a file that has not been looked through: refused rows that wait until it is seen that it can be loaded as it is read. */
const REFUSED_WAITING_MAX = 10_000

/** The file has to be looked through before it can be loaded. Nobody has been told of a refused row. */
export class NotAsReadError extends Error {}

/**
 * Reads the rows of a scanned file and writes the share book of each company as soon as its last row has been read. Companies
 * whose rows do not stand together are put aside in `ordered` and follow at the end. Which these are, `scattered` tells; null
 * is a file that nobody has looked through, which is loaded as long as there are none.
 *
 * @param isRemoved companies whose rows are left out
 * @param onRefused told every refused row, in no particular order
 * @throws NotAsReadError when a file that nobody has looked through has a company whose rows do not stand together, or very many
 *   rows that are refused
 */
export async function loadCompanies({
  blocks,
  scan,
  load,
  ordered,
  isRemoved,
  onRefused,
  onRows,
  companyRowsMax = COMPANY_ROWS_MAX,
  refusedWaitingMax = REFUSED_WAITING_MAX,
}: {
  blocks: AsyncIterable<Buffer>
  scan: Pick<Scan, 'columns' | 'encoding'> & { scattered: Scan['scattered'] | null }
  load: Pick<YearLoad, 'write' | 'drained'>
  ordered: Pick<OrderedRows<RowApart>, 'add' | 'drained' | 'inOrder'> | null
  isRemoved: (orgnr: number) => boolean
  onRefused: (line: number, refusal: FileRefusal) => void
  onRows: (rows: number) => void
  companyRowsMax?: number
  refusedWaitingMax?: number
}): Promise<RowCounts> {
  const counts: RowCounts = { godtatt: 0, avviste: 0, utelatt: 0, avvistEtterArsak: {} }
  const { scattered } = scan
  const seen = createNumberSet()
  const waiting: [line: number, refusal: FileRefusal][] = []
  const company = createGathering()
  let isTooLarge = false
  let putAside = 0

  function refuse(line: number, refusal: FileRefusal): void {
    counts.avviste++
    counts.avvistEtterArsak[refusal] = (counts.avvistEtterArsak[refusal] ?? 0) + 1
    if (scattered !== null) onRefused(line, refusal)
    else if (waiting.push([line, refusal]) > refusedWaitingMax) throw new NotAsReadError()
  }

  function endCompany(): void {
    if (company.rows > 0) load.write(bookOf(company))
    counts.godtatt += company.rows
    isTooLarge = false
  }

  function take(row: ArchiveRow): void {
    if (row.orgnr !== company.orgnr) {
      endCompany()
      beginCompany(company, row.orgnr)
      if (scattered === null && !seen.add(row.orgnr)) throw new NotAsReadError()
    }
    const refusal = isTooLarge ? 'for_mange_rader' : addRow(company, row)
    if (refusal !== null) refuse(row.linje, refusal)
    else if (company.rows > companyRowsMax || namesBytesOf(company) > COMPANY_NAMES_BYTES_MAX) giveUp()
  }

  function giveUp(): void {
    for (const line of company.linjer.slice(0, company.rows)) refuse(line, 'for_mange_rader')
    beginCompany(company, company.orgnr)
    isTooLarge = true
  }

  function onRow(row: ArchiveRow): void {
    if (isRemoved(row.orgnr)) counts.utelatt++
    else if (ordered !== null && scattered?.has(row.orgnr)) {
      ordered.add({ ...row, navn: nameText(row.navn) })
      putAside++
    } else take(row)
  }

  /** A row that was put aside is half done. */
  const rowsRead = () =>
    counts.godtatt + counts.avviste + counts.utelatt + company.rows + Math.floor(putAside / 2)
  const reader = createRowReader(scan)
  for await (const block of blocks) {
    reader.read(block, { onRow, onRefused: refuse })
    await load.drained()
    await ordered?.drained()
    onRows(rowsRead())
  }
  if (ordered !== null) {
    const navn = createNameBytes()
    for await (const row of ordered.inOrder()) {
      takeName(navn, row.navn)
      take({ ...row, navn })
      putAside--
      if (putAside % DRAIN_EVERY === 0) {
        await load.drained()
        onRows(rowsRead())
      }
    }
  }
  endCompany()
  for (const [line, refusal] of waiting) onRefused(line, refusal)
  return counts
}

const DRAIN_EVERY = 4096

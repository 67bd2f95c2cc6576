import { type CsvError, parse } from 'csv-parse/sync'
import { InputError } from '#src/core/errors.ts'

/** Some hundred thousand lines. */
export const SETTLEMENT_FILE_BYTES_MAX = 32 * 1024 * 1024

/**
 * The references a list of Vipps' has, each once, in its order, others' than ours too: a settlement report as the portal gives it (CSV, with `Ordre-ID`, `OrderID` or `reference`
 * among its columns, whichever stand beside it; the older one has several tables below each other), or one reference a line.
 * Only the reference is taken from it: sums and times are what Vipps says when the payment is looked up.
 *
 * @throws InputError when it is neither
 */
export function readSettlementFile(text: string): string[] {
  const lines = linesOf(text)
  const hasHeader = lines.some((cells) => cells.some(isReferenceColumn))
  return [...new Set(hasHeader ? report(lines) : plainList(lines))]
}

/** https://developer.vippsmobilepay.com/docs/settlements/csv/ and the Report API's name for the same. */
const COLUMNS = new Set(['ordreid', 'orderid', 'reference', 'referanse'])

/** What Vipps takes for one. */
const REFERENCE = /^[a-zA-Z0-9-]{8,64}$/

function linesOf(text: string): string[][] {
  try {
    return parse(text, {
      bom: true,
      delimiter: separatorOf(text),
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    })
  } catch (error) {
    if ((error as CsvError).code?.startsWith('CSV_')) throw notUnderstood()
    throw error
  }
}

/** The one the header is parted by: amounts may have a comma in them. */
function separatorOf(text: string): string {
  const header = text.split(/\r?\n/).find((line) => line.split(/[,;\t]/).some(isReferenceColumn)) ?? ''
  return [';', '\t', ','].find((each) => header.includes(each)) ?? ','
}

function isReferenceColumn(cell: string): boolean {
  return COLUMNS.has(cell.toLowerCase().replace(/[^a-z]/g, ''))
}

/** Tables may stand below each other, each with its header; the first cell then says which one a line is of. */
function report(lines: readonly string[][]): string[] {
  const references: string[] = []
  let column = -1
  let table: string | null = null
  for (const cells of lines) {
    const [first = ''] = cells
    const found = cells.findIndex(isReferenceColumn)
    if (found !== -1) {
      column = found
      table = first.endsWith('Info') ? first : null
    } else if (column !== -1 && (table === null || first === table)) {
      // Payouts and fees are lines as well, of no payment.
      const reference = cells[column] ?? ''
      if (reference !== '') references.push(reference)
    }
  }
  return references
}

function plainList(lines: readonly string[][]): string[] {
  const references = lines.flat()
  if (!references.every((each) => REFERENCE.test(each))) throw notUnderstood()
  return references
}

function notUnderstood(): InputError {
  return new InputError('ugyldig_liste', 'fil', {
    norsk:
      'Filen er ikke forstått: en oppgjørsrapport fra Vipps som CSV (med kolonnen Ordre-ID, OrderID eller reference), eller én referanse på hver linje.',
    english:
      'The file is not understood: a settlement report of Vipps as CSV (with a column Ordre-ID, OrderID or reference), or one reference a line.',
  })
}

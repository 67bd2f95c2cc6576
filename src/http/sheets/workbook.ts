import writeExcelFile from 'write-excel-file/node'
import { type Cell, fileText, type Sheet } from './sheet.ts'

export const WORKBOOK_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/**
 * The sheets as one workbook. Every text is written as text: the program takes neither an organisation number for a figure
 * nor a name for a formula.
 */
export function workbookOf(sheets: readonly Sheet[]): Promise<Buffer> {
  return writeExcelFile(
    sheets.map(({ name, columns, rows }) => ({
      // Excel allows no more.
      sheet: name.slice(0, 31),
      stickyRowsCount: 1,
      columns: columns.map((column) => ({ width: Math.max(12, column.length + 2) })),
      data: [
        columns.map((value) => ({ value, type: String, fontWeight: 'bold' as const })),
        ...rows.map((row) => row.map(cellOf)),
      ],
    })),
  ).toBuffer()
}

function cellOf(cell: Cell) {
  if (cell === null) return null
  if (typeof cell === 'string') return { value: fileText(cell), type: String }
  return typeof cell === 'number' ? { value: cell, type: Number } : { value: cell, type: Boolean }
}

import { parentPort, workerData } from 'node:worker_threads'
import writeExcelFile from 'write-excel-file/node'
import { type Cell, fileText, type Sheet } from './sheet.ts'

/** A thread's whole life: these sheets as one workbook. Started by `workbook.ts`. */
const bytes = await writeExcelFile(
  (workerData as readonly Sheet[]).map(({ name, columns, rows }) => ({
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
parentPort?.postMessage(bytes)

function cellOf(cell: Cell) {
  if (cell === null) return null
  if (typeof cell === 'string') return { value: ownText(fileText(cell)), type: String }
  return typeof cell === 'number' ? { value: cell, type: Number } : { value: cell, type: Boolean }
}

/** The library looks texts up in an object, where `constructor` and its like are found before anybody wrote them. */
function ownText(text: string): string {
  return text in Object.prototype ? `${text} ` : text
}

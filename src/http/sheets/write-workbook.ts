import { on } from 'node:events'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import writeExcelFile from 'write-excel-file/node'
import { type Cell, fileText } from './sheet.ts'
import type { SheetHead, SomeRows } from './workbook.ts'

/** A thread's whole life: these sheets as one workbook. Started by `workbook.ts`. */
const port = parentPort as MessagePort
const sheets = (workerData as readonly SheetHead[]).map((head) => ({
  ...head,
  rows: [] as (readonly Cell[])[],
}))
for await (const [some] of on(port, 'message') as AsyncIterable<[SomeRows]>) {
  if (some === null) break
  sheets[some.sheet]?.rows.push(...some.rows)
}
const bytes = await writeExcelFile(
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
port.postMessage(bytes)

function cellOf(cell: Cell) {
  if (cell === null) return null
  if (typeof cell === 'string') return { value: ownText(fileText(cell)), type: String }
  return typeof cell === 'number' ? { value: cell, type: Number } : { value: cell, type: Boolean }
}

/**
 * The library looks texts up in an object, where `constructor` and its like are found before anybody wrote them. And it writes them
 * as they are, where `_x202E_` stands for the letter of that number (ECMA-376, 22.9.2.19): one that was taken away (`fileText`) is
 * not to come back so.
 */
function ownText(text: string): string {
  const own = text.replace(/_(?=x[0-9A-F]{4}_)/gi, '_x005F_')
  return own in Object.prototype ? `${own} ` : own
}

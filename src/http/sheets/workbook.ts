import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { createTurns } from '#src/core/turns.ts'
import type { Cell, Sheet } from './sheet.ts'

export const WORKBOOK_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/**
 * The sheets as one workbook. Every text is written as text: the program takes neither an organisation number for a figure
 * nor a name for a formula.
 *
 * It is written in a thread of its own, since of five hundred companies that takes a second, in which nobody else would be
 * answered (P100); one after the other, and who wants several waits for each.
 *
 * @param of whose turn it is
 * @param refusal what is thrown when it did not come in time; `isOwn`: for those the same one wants besides
 */
export async function workbookOf(
  sheets: readonly Sheet[],
  of: string,
  refusal: (isOwn: boolean) => Error,
): Promise<Buffer> {
  const done = await turns.runWithin(WAIT_MS, { of, rank: 0 }, () => written(sheets))
  if (!done.hadTurn) throw refusal(done.isOwn)
  return done.value
}

const turns = createTurns({ atOnce: 1, waitingMax: 32 })
const WAIT_MS = 10_000
/** Ten times what the largest takes. */
const WRITTEN_WITHIN_MS = 15_000

async function written(sheets: readonly Sheet[]): Promise<Buffer> {
  const thread = new Worker(new URL('./write-workbook.ts', import.meta.url), {
    workerData: sheets.map(({ name, columns }): SheetHead => ({ name, columns })),
    // The largest there is takes a quarter of it.
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  try {
    // Rejects with what the thread ended by.
    const message = once(thread, 'message', { signal: AbortSignal.timeout(WRITTEN_WITHIN_MS) })
    const [[bytes]] = await Promise.all([message, handOver(sheets, thread)])
    return Buffer.from(bytes as Uint8Array)
  } finally {
    await thread.terminate()
  }
}

/** What a thread is started with, and what it is sent until there is no more: a few rows of one of the sheets. */
export type SheetHead = Pick<Sheet, 'name' | 'columns'>
export type SomeRows = { sheet: number; rows: readonly (readonly Cell[])[] } | null

/** All of them at once would be copied in one go: of two thousand companies nobody else is answered meanwhile. */
async function handOver(sheets: readonly Sheet[], thread: Worker): Promise<void> {
  for (const [sheet, { rows }] of sheets.entries()) {
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      thread.postMessage({ sheet, rows: rows.slice(from, from + ROWS_AT_ONCE) } satisfies SomeRows)
      await nextTurn()
    }
  }
  thread.postMessage(null satisfies SomeRows)
}

/** A millisecond's work. */
const ROWS_AT_ONCE = 100

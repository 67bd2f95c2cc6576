import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { createTurns } from '#src/core/turns.ts'
import type { Sheet } from './sheet.ts'

export const WORKBOOK_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/**
 * The sheets as one workbook. Every text is written as text: the program takes neither an organisation number for a figure
 * nor a name for a formula.
 *
 * It is written in a thread of its own, since of five hundred companies that takes a second, in which nobody else would be
 * answered (P100); one after the other, and who wants several waits for each.
 *
 * @param of whose turn it is
 * @returns null when its turn did not come
 */
export async function workbookOf(sheets: readonly Sheet[], of: string): Promise<Buffer | null> {
  let isBegun = false
  const write = () => {
    isBegun = true
    return written(sheets)
  }
  try {
    return await turns.run({ of, rank: 0 }, write, AbortSignal.timeout(WAIT_MS))
  } catch (error) {
    if (isBegun) throw error
    return null
  }
}

const turns = createTurns({ atOnce: 1, waitingMax: 32 })
const WAIT_MS = 10_000
/** Ten times what the largest takes. */
const WRITTEN_WITHIN_MS = 15_000

async function written(sheets: readonly Sheet[]): Promise<Buffer> {
  const thread = new Worker(new URL('./write-workbook.ts', import.meta.url), {
    workerData: sheets,
    // The largest there is takes a quarter of it.
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  try {
    // Rejects with what the thread ended by.
    const [bytes] = await once(thread, 'message', { signal: AbortSignal.timeout(WRITTEN_WITHIN_MS) })
    return Buffer.from(bytes as Uint8Array)
  } finally {
    await thread.terminate()
  }
}

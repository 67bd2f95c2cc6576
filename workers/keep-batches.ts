import type { Log } from '#src/core/log.ts'
import { repeat } from '#src/core/repeat.ts'
import type { BatchWork } from '#src/record/batches.ts'
import type { RightWithWork } from '#src/storage/batches.ts'

/**
 * Keeps the lists that were handed in going: whoever has something left is rung for, whatever became of the bell before, and lists whose
 * time is over are removed.
 * Safe to run in many processes: two bells of one right are one.
 */
export function keepBatches(
  batches: Pick<BatchWork, 'due' | 'removeOld'>,
  {
    ring,
    log,
    policy: { lookEveryMs, removeEveryMs },
  }: {
    ring: (...whose: RightWithWork[]) => Promise<unknown>
    log: Log
    policy: { lookEveryMs: number; removeEveryMs: number }
  },
): { close(): Promise<void> } {
  const parts = [
    repeat('lists of numbers', { afterMs: lookEveryMs, retryMs: lookEveryMs, log }, async () => {
      const due = await batches.due()
      if (due.length > 0) await ring(...due)
    }),
    repeat('old lists of numbers', { afterMs: removeEveryMs, retryMs: removeEveryMs, log }, async () => {
      await batches.removeOld()
    }),
  ]
  return {
    async close() {
      await Promise.all(parts.map((part) => part.close()))
    },
  }
}

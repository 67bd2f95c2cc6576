import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { DAY_MS } from '#src/core/units.ts'
import type { StoredIndustryCodes } from '#src/storage/industry-codes.ts'

/**
 * Loads SSB's correspondence from SN2025 to SN2007 when there is none or it has become old.
 * Safe to run twice: the load replaces everything in one transaction, and a fresh table is left alone.
 *
 * @returns what it did, for the log and the job's own record
 */
export async function refreshIndustryCodes(work: {
  /** When the present table was loaded, and whether both code lists came with it; null when there is none. */
  readLoad: () => Promise<{ loadedAt: Date; isWhole: boolean } | null>
  fetch: (signal: AbortSignal) => Promise<Omit<StoredIndustryCodes, 'loadedAt'>>
  replace: (codes: StoredIndustryCodes) => Promise<void>
  clock: Clock
  log: Log
  signal: AbortSignal
  policy: { refreshAfterDays: number; refreshPartialAfterDays: number; deadlineMs: number }
}): Promise<'fresh' | 'loaded'> {
  const now = work.clock.now()
  const load = await work.readLoad()
  if (load !== null) {
    const lastsDays = load.isWhole ? work.policy.refreshAfterDays : work.policy.refreshPartialAfterDays
    if (now.getTime() - load.loadedAt.getTime() < lastsDays * DAY_MS) return 'fresh'
  }
  const codes = await work.fetch(AbortSignal.any([work.signal, AbortSignal.timeout(work.policy.deadlineMs)]))
  await work.replace({ ...codes, loadedAt: now })
  work.log.info('industry codes loaded')
  return 'loaded'
}

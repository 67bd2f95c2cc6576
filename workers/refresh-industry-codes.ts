import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { DAY_MS } from '#src/core/units.ts'
import type { StoredIndustryCodes } from '#src/storage/industry-codes.ts'

/**
 * Loads SSB's correspondence from SN2025 to SN2007 when there is none or it has become old.
 * Safe to run twice: the load replaces everything in one transaction, and a fresh table is left alone.
 *
 * @returns what it did, for the log and the job's own record
 * @throws Error when a list has become much shorter: a code that is not in the correspondence is told as unchanged, so that a list that
 *   was cut would be believed for what it lacks
 */
export async function refreshIndustryCodes(work: {
  /** What was loaded last; null when nothing was. */
  readHeld: () => Promise<StoredIndustryCodes | null>
  fetch: (signal: AbortSignal) => Promise<Omit<StoredIndustryCodes, 'loadedAt'>>
  replace: (codes: StoredIndustryCodes) => Promise<void>
  clock: Clock
  log: Log
  signal: AbortSignal
  policy: { refreshAfterDays: number; refreshPartialAfterDays: number; deadlineMs: number }
}): Promise<'fresh' | 'loaded'> {
  const now = work.clock.now()
  const held = await work.readHeld()
  if (held !== null) {
    const isWhole = held.sn2025Codes !== null && held.sn2007Codes !== null
    const lastsDays = isWhole ? work.policy.refreshAfterDays : work.policy.refreshPartialAfterDays
    if (now.getTime() - held.loadedAt.getTime() < lastsDays * DAY_MS) return 'fresh'
  }
  const codes = await work.fetch(AbortSignal.any([work.signal, AbortSignal.timeout(work.policy.deadlineMs)]))
  if (held !== null) refuseCut(held, codes)
  await work.replace({ ...codes, loadedAt: now })
  work.log.info('industry codes loaded')
  return 'loaded'
}

function refuseCut(held: StoredIndustryCodes, came: Omit<StoredIndustryCodes, 'loadedAt'>): void {
  for (const list of ['correspondences', 'sn2025Codes', 'sn2007Codes'] as const) {
    const before = held[list]?.length ?? 0
    const now = came[list]?.length ?? before
    if (now < before * LEAST_LEFT) throw new Error(`industry codes: ${list} has ${now} lines of ${before}`)
  }
}

/** SSB changes a handful of some eight hundred codes in a year. */
const LEAST_LEFT = 0.9

import type { Database } from '#src/storage/database.ts'
import { unfinishedErasures } from '#src/storage/tombstones.ts'
import { type Eraser, eraseCompany } from './erase-company.ts'

/**
 * Goes through all removals that are not erased everywhere, whatever became of their jobs: PostgreSQL alone says what is
 * left to do. A place that is new to the service is led through all removals there ever were.
 * Safe to run twice: it only does what `eraseCompany` does.
 *
 * @throws ErasureUnfinishedError when any failed; a place that is away is given up for now after some companies
 */
export async function sweepErasures(work: {
  database: Database
  erasers: readonly Eraser[]
  pageSize: number
  deadlineMs: number
  signal: AbortSignal
}): Promise<void> {
  const places = work.erasers.map(({ name }) => name)
  let failures = 0
  let failure: unknown = null
  for (let after = 0; !work.signal.aborted; ) {
    const page = await unfinishedErasures(work.database, places, { after, limit: work.pageSize })
    for (const { organisasjonsnummer, number } of page) {
      after = number
      try {
        await eraseCompany(organisasjonsnummer, work)
        failures = 0
      } catch (error) {
        failures += 1
        failure = error
        if (failures >= IN_A_ROW_MAX) throw error
      }
    }
    if (page.length < work.pageSize) break
  }
  if (failure !== null) throw failure
}

const IN_A_ROW_MAX = 5

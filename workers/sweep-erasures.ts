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
  sweptAtOnce: number
  deadlineMs: number
  signal: AbortSignal
}): Promise<void> {
  const places = work.erasers.map(({ name }) => name)
  let failures = 0
  let failure: unknown = null
  for (let after = 0; !work.signal.aborted; ) {
    const page = await unfinishedErasures(work.database, places, { after, limit: work.pageSize })
    for (let from = 0; from < page.length && !work.signal.aborted; from += work.sweptAtOnce) {
      const some = page.slice(from, from + work.sweptAtOnce)
      const results = await Promise.allSettled(
        some.map(({ organisasjonsnummer }) => eraseCompany(organisasjonsnummer, work)),
      )
      after = some.at(-1)?.number ?? after
      for (const result of results) {
        failures = result.status === 'fulfilled' ? 0 : failures + 1
        if (result.status === 'rejected') failure = result.reason
      }
      if (failures >= IN_A_ROW_MAX) throw failure
    }
    if (page.length < work.pageSize) break
  }
  if (failure !== null) throw failure
}

const IN_A_ROW_MAX = 5

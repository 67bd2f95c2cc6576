import type { Database } from '#src/storage/database.ts'
import { unfinishedErasures } from '#src/storage/tombstones.ts'
import { type Eraser, ErasureUnfinishedError, eraseCompany } from './erase-company.ts'

/**
 * Goes through all removals that are not erased everywhere, whatever became of their jobs: PostgreSQL alone says what is
 * left to do. A place that is new to the service is led through all removals there ever were.
 * Safe to run twice: it only does what `eraseCompany` does.
 *
 * @throws ErasureUnfinishedError when any failed; a place that is away is given up for now after some companies, and the others go on
 */
export async function sweepErasures(work: {
  database: Database
  erasers: readonly Eraser[]
  pageSize: number
  sweptAtOnce: number
  deadlineMs: number
  signal: AbortSignal
}): Promise<void> {
  /** How often in a row each place has failed. */
  const failures = new Map<string, number>()
  let failure: unknown = null
  const inReach = () => work.erasers.filter(({ name }) => (failures.get(name) ?? 0) < IN_A_ROW_MAX)
  for (let after = 0; !work.signal.aborted; ) {
    const places = inReach().map(({ name }) => name)
    const page = await unfinishedErasures(work.database, places, { after, limit: work.pageSize })
    for (let from = 0; from < page.length && !work.signal.aborted; from += work.sweptAtOnce) {
      const some = page.slice(from, from + work.sweptAtOnce)
      const erasers = inReach()
      if (erasers.length === 0) throw failure
      const results = await Promise.allSettled(
        some.map(({ organisasjonsnummer }) => eraseCompany(organisasjonsnummer, { ...work, erasers })),
      )
      after = some.at(-1)?.number ?? after
      for (const [index, result] of results.entries()) {
        if (result.status === 'rejected') failure = result.reason
        const due = erasers.filter(({ name }) => !some[index]?.erasedFrom.includes(name))
        for (const { name } of due)
          failures.set(name, hasFailed(result, name) ? (failures.get(name) ?? 0) + 1 : 0)
      }
    }
    if (page.length < work.pageSize) break
  }
  if (failure !== null) throw failure
}

/** What is no place's fault keeps all of them from being done. */
function hasFailed(result: PromiseSettledResult<void>, place: string): boolean {
  if (result.status === 'fulfilled') return false
  return !(result.reason instanceof ErasureUnfinishedError) || result.reason.places.includes(place)
}

const IN_A_ROW_MAX = 5

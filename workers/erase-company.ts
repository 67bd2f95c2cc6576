import { OppslagError } from '#src/core/errors.ts'
import { abortAfter, untilAborted } from '#src/core/wait.ts'
import type { Database } from '#src/storage/database.ts'
import { findErasure, markErased } from '#src/storage/tombstones.ts'

/**
 * One place where something of a company may be kept, and how to get it out of there: returns when it is out and stays
 * out, fails when that is not certain. `name` is kept in PostgreSQL for ever and never given to another place.
 */
export type Eraser = {
  readonly name: string
  erase: (organisasjonsnummer: string, call: { signal: AbortSignal }) => Promise<void>
}

/** Some places could not be erased. They are tried again until they can. */
export class ErasureUnfinishedError extends OppslagError {
  readonly places: readonly string[]

  constructor(places: readonly string[], causes: readonly unknown[]) {
    super('utvisking_ufullstendig', `not erased from ${places.join(', ')}; it is tried again`, {
      cause: new AggregateError(causes),
    })
    this.places = places
  }
}

/**
 * Erases a removed company from every place that is not done with it yet.
 * Safe to run twice, also at once: what is gone can be erased again, and each place is marked when it is done, for this
 * removal alone. A company that was never removed is left alone.
 *
 * @throws ErasureUnfinishedError when a place failed, after all were tried
 */
export async function eraseCompany(
  organisasjonsnummer: string,
  work: { database: Database; erasers: readonly Eraser[]; deadlineMs: number; signal: AbortSignal },
): Promise<void> {
  const erasure = await findErasure(work.database, organisasjonsnummer)
  if (erasure === null) return
  const due = work.erasers.filter(({ name }) => !erasure.erasedFrom.includes(name))
  const results = await Promise.allSettled(
    due.map(async ({ name, erase }) => {
      const late = new AbortController()
      const inTime = abortAfter(work.deadlineMs, late)
      const signal = AbortSignal.any([work.signal, late.signal])
      try {
        // One that does not heed its signal is not waited for.
        await untilAborted(erase(organisasjonsnummer, { signal }), signal)
      } finally {
        inTime()
      }
      await markErased(work.database, erasure, name)
    }),
  )
  const failed = results.flatMap((result, index) =>
    result.status === 'rejected' ? [{ name: due[index]?.name ?? '', cause: result.reason }] : [],
  )
  if (failed.length > 0)
    throw new ErasureUnfinishedError(
      failed.map(({ name }) => name),
      failed.map(({ cause }) => cause),
    )
}

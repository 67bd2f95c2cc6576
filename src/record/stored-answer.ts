import type { Entry, Fetched } from '#src/cache/entry.ts'
import type { Answer } from '#src/sources/source.ts'

/**
 * What kind of answer the cache keeps. `partial`: true as far as it goes, and something that belongs to it could not be had
 * at that moment.
 */
export type StoredState = Answer<unknown>['outcome'] | 'partial'

/** An answer that is believed for another time than its outcome says. */
export type Rated<T> = Answer<T> & { livesAs?: StoredState }

/**
 * A source's answer as the cache keeps it, and back. The cache's schema version stands for the shape of what is inside, so
 * what comes out was put in by this release and is not checked again.
 */
export function toStored({ livesAs, ...answer }: Rated<unknown>): Fetched {
  return { state: livesAs ?? answer.outcome, body: Buffer.from(JSON.stringify(answer)) }
}

/** Asks, for the cache to keep. @param settled what of the answer is to be kept; called before anything else happens */
export function storing<T>(
  ask: (signal: AbortSignal) => Promise<Rated<T>>,
  settled: (answer: Rated<T>) => Rated<T>,
): (signal: AbortSignal) => Promise<Fetched> {
  return async (signal) => toStored(settled(await ask(signal)))
}

export function fromStored<T>({ body }: Pick<Entry, 'body'>): Answer<T> {
  const answer = JSON.parse(body.toString()) as Answer<T> & { fetchedAt: string }
  return { ...answer, fetchedAt: new Date(answer.fetchedAt) }
}

/** Raised whenever what is stored, or how it is packed, changes its shape: two releases then keep apart what they cache. */
export const STORED_SCHEMA_VERSION = 6

import type { PushWork } from '#src/push/work.ts'
import type { Handlers } from '#src/queue/work.ts'
import type { BatchWork } from '#src/record/batches.ts'
import type { RightWithWork } from '#src/storage/batches.ts'
import type { Database } from '#src/storage/database.ts'
import type { EndpointInLine } from '#src/storage/push/sending.ts'
import { type Eraser, eraseCompany } from './erase-company.ts'
import type { SearchIndexWork } from './keep-search-index.ts'
import { type Refresh, refreshCompany } from './refresh-company.ts'

/** Every job and what does it. A job without a handler does not compile. */
export function createHandlers(work: {
  database: Database
  refresh: Refresh
  erasers: readonly Eraser[]
  /** Brings an order, or a chain of keys, as far as it can be brought now. */
  follow: (subject: string, call: { signal: AbortSignal }) => Promise<void>
  /** null where there is to be no index of names. */
  searchIndex: Pick<SearchIndexWork, 'build'> | null
  batches: Pick<BatchWork, 'turn'>
  push: Pick<PushWork, 'turn'>
  /** This right, or endpoint, has more to do: its next turn comes behind those who wait. */
  ring: (whose: RightWithWork) => Promise<unknown>
  ringEndpoint: (endpoint: EndpointInLine) => Promise<unknown>
  policy: { refresh: { deadlineMs: number }; erasure: { deadlineMs: number } }
}): Handlers {
  const { database, refresh, erasers, follow, searchIndex, batches, push, ring, ringEndpoint, policy } = work
  return {
    'refresh-company': (payload, { signal }) =>
      refreshCompany(payload, { refresh, signal, ...policy.refresh }),
    'erase-company': ({ organisasjonsnummer }, { signal }) =>
      eraseCompany(organisasjonsnummer, { database, erasers, signal, ...policy.erasure }),
    // Safe to run twice, and to lose: every errand is taken on by one, and found again by the sweep.
    'follow-order': ({ gjelder }, { signal }) => follow(gjelder, { signal }),
    // Safe to run twice, also at once: one builds, and goes on where the one before ended.
    'build-search-index': async (_, { signal }) => {
      await searchIndex?.build(signal)
    },
    // Safe to run twice, also at once, and to lose: a part is noted once, and a look every few seconds finds what is left.
    'go-through-batch': async ({ nokkel: rett, prove = false }, { signal }) => {
      if (await batches.turn(rett, { signal })) await ring({ rett, prove })
    },
    // Safe to run twice, also at once, and to lose: one process at a time holds an endpoint, and a look each second finds what is due.
    'send-to-endpoint': async ({ endepunkt: id, bane: line = 'rask' }, { signal }) => {
      if (await push.turn(id, { signal, line })) await ringEndpoint({ id, line })
    },
  }
}

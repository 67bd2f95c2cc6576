import type { Log } from '#src/core/log.ts'
import { type FeedName, publishFeedReport } from '#src/ops/feed-report.ts'
import { type Changes, effectsOf } from './effects.ts'
import type { FeedPage } from './read-feed.ts'

/** What a feed has done to the rest of the service. Each returns when it is durable, and may be done twice. */
export type ApplyPorts = {
  /** These companies are removed: none may be served from now on, and all are to be erased. */
  remove: (removals: readonly { organisasjonsnummer: string; slettedato: null; at: Date }[]) => Promise<void>
  /** Marks these sections stale wherever they are kept. Returns those that were kept at all. */
  invalidate: (changes: Changes) => Promise<Changes>
  /** The same for everything. */
  invalidateAll: () => Promise<void>
  /** Remembers for the search index that these units are no longer as they were, whoever holds them. */
  noteChanges: (units: readonly { orgnr: number; isSubUnit: boolean }[]) => Promise<void>
  /** Asks for these sections to be fetched anew, soon. */
  enqueueRefresh: (changes: Changes) => Promise<unknown>
}

/**
 * Makes the work of one page durable, in one call to each port however long the page: companies that nobody cached cost
 * nothing more.
 *
 * A queue that can not take the refreshes fails the page, which is then read again, but not for ever: what changed is
 * marked stale by then, so its next reader asks for the refresh, while behind it removals may be waiting.
 */
export function createApply(
  feed: FeedName,
  ports: ApplyPorts,
  { log, enqueueTriesMax }: { log: Log; enqueueTriesMax: number },
): (page: FeedPage) => Promise<void> {
  let enqueueFailures = 0

  async function enqueue(changes: Changes): Promise<void> {
    try {
      await ports.enqueueRefresh(changes)
      enqueueFailures = 0
    } catch (error) {
      enqueueFailures += 1
      if (enqueueFailures < enqueueTriesMax) throw error
      log.warn(
        { feed, err: error, companies: changes.size },
        'going on without the refreshes of changed companies',
      )
    }
  }

  return async function apply(page) {
    const { changes, removals } = effectsOf(page)
    if (page.unreadable > 0) log.warn({ feed, unreadable: page.unreadable }, 'events that can not be read')
    if (removals.length > 0) await ports.remove(removals.map((removal) => ({ ...removal, slettedato: null })))
    if (page.feed !== 'roller' && changes.size > 0) {
      const isSubUnit = page.feed === 'underenheter'
      await ports.noteChanges([...changes.keys()].map((orgnr) => ({ orgnr: Number(orgnr), isSubUnit })))
    }
    const cached = changes.size === 0 ? changes : await ports.invalidate(changes)
    if (cached.size > 0) await enqueue(cached)
    publishFeedReport({
      kind: 'read',
      feed,
      events: page.events.length,
      touched: changes.size,
      cached: cached.size,
      unreadable: page.unreadable,
    })
  }
}

import type { Log } from '#src/core/log.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { type FeedName, publishFeedReport } from '#src/ops/feed-report.ts'
import type { CompanySource } from '#src/sources/index.ts'
import { type Changes, effectsOf } from './effects.ts'
import type { Patience } from './patience.ts'
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
  /** Those of these that somebody watches, whoever holds them. What the register told of them is remembered for what comes of it. */
  noteWatched: (changes: Changes, lastEvent: LastEvents) => Promise<Changes>
  /** Of these that are held, and that nobody watches, the same is remembered. */
  noteHeld: (changes: Changes, lastEvent: LastEvents) => Promise<void>
  /** The refreshes of these watched companies are lost: they are to be asked for again as soon as may be. */
  askSoon: (looks: readonly { orgnr: Organisasjonsnummer; source: CompanySource }[]) => Promise<void>
  /** Asks for these sections to be fetched anew, soon. `held`: those of them that are kept. */
  enqueueRefresh: (changes: Changes, held: Changes) => Promise<unknown>
}

/** The last event of a page about each company, by the register's own name for it: `enheter:123456`. */
type LastEvents = ReadonlyMap<Organisasjonsnummer, { id: string; at: Date }>

/**
 * Makes the work of one page durable, in one call to each port however long the page: companies that nobody cached cost
 * nothing more.
 *
 * Of a queue that can not take the refreshes, what changed is marked stale by then, so its next reader asks for them; where the copies that
 * processes share can not be marked, they lie in nobody's way, and it is told, to be done when they are back.
 */
export function createApply(
  feed: FeedName,
  ports: ApplyPorts,
  { log, patience }: { log: Log; patience: Patience },
): (page: FeedPage) => Promise<{ isMarked: boolean }> {
  /** Null where it can not be done. */
  async function mark(changes: Changes): Promise<Changes | null> {
    const marking = await patience.tried('marks', () => ports.invalidate(changes))
    if (marking.isDone) return marking.value
    if (marking.isFirst)
      log.warn({ feed, err: marking.cause }, 'going on without marking what changed in the shared copies')
    return null
  }

  async function enqueue(
    changes: Changes,
    { held, watched }: { held: Changes; watched: Changes },
  ): Promise<void> {
    const asking = await patience.tried('refreshes', () => ports.enqueueRefresh(changes, held))
    if (asking.isDone) return
    // Nobody may read them, who would ask for it.
    const looks = [...watched].flatMap(([orgnr, sources]) =>
      [...sources].map((source) => ({ orgnr, source })),
    )
    if (looks.length > 0) await ports.askSoon(looks)
    log.warn(
      { feed, err: asking.cause, companies: changes.size },
      'going on without the refreshes of changed companies',
    )
  }

  return async function apply(page) {
    const { changes, removals } = effectsOf(page)
    if (page.unreadable > 0) log.warn({ feed, unreadable: page.unreadable }, 'events that can not be read')
    if (removals.length > 0) await ports.remove(removals.map((removal) => ({ ...removal, slettedato: null })))
    if (page.feed !== 'roller' && changes.size > 0) {
      const isSubUnit = page.feed === 'underenheter'
      await ports.noteChanges([...changes.keys()].map((orgnr) => ({ orgnr: Number(orgnr), isSubUnit })))
    }
    // Before anybody can fetch what changed: what comes of it is told with the event.
    const lastEvents = lastEventsOf(page)
    const watched = changes.size === 0 ? changes : await ports.noteWatched(changes, lastEvents)
    const marked = changes.size === 0 ? changes : await mark(changes)
    const cached: Changes = marked ?? new Map()
    const held = new Map([...cached].filter(([company]) => !watched.has(company)))
    if (held.size > 0) await ports.noteHeld(held, lastEvents)
    const wanted = together(cached, watched)
    if (wanted.size > 0) await enqueue(wanted, { held: cached, watched })
    publishFeedReport({
      kind: 'read',
      feed,
      events: page.events.length,
      touched: changes.size,
      cached: cached.size,
      removed: removals.length,
      unreadable: page.unreadable,
    })
    return { isMarked: marked !== null }
  }
}

function lastEventsOf({ feed, events }: FeedPage): LastEvents {
  return new Map(
    events.map(({ organisasjonsnummer, id, at }) => [organisasjonsnummer, { id: `${feed}:${id}`, at }]),
  )
}

function together(some: Changes, others: Changes): Changes {
  const all = new Map<Organisasjonsnummer, ReadonlySet<CompanySource>>(some)
  for (const [company, sections] of others) all.set(company, sections.union(all.get(company) ?? new Set()))
  return all
}

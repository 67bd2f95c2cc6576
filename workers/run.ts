import { randomUUID } from 'node:crypto'
import { policy } from '#config/policy.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { repeat } from '#src/core/repeat.ts'
import { untilAborted } from '#src/core/wait.ts'
import { type FeedProgress, feedNames } from '#src/ops/feed-report.ts'
import type { PushWork } from '#src/push/work.ts'
import { createLinePlaces } from '#src/queue/line-places.ts'
import type { JobQueue } from '#src/queue/open-queue.ts'
import type { BatchWork } from '#src/record/batches.ts'
import type { FeedSource } from '#src/sources/enhetsregisteret/feeds.ts'
import { type RegisterLane, registerBudgets, registerLanes } from '#src/sources/lanes.ts'
import type { RightWithWork } from '#src/storage/batches.ts'
import type { Database } from '#src/storage/database.ts'
import type { EndpointInLine } from '#src/storage/push/sending.ts'
import { dropReplacedDeliveries } from '#src/storage/shareholders/replaced-deliveries.ts'
import { buryCompanies } from '#src/storage/tombstones.ts'
import type { ApplyPorts } from './apply-page.ts'
import { createQueueLogCleaner, QUEUE_PLACE } from './clean-queue-log.ts'
import type { Changes } from './effects.ts'
import type { Eraser } from './erase-company.ts'
import { COPIES_PLACE, createCopiesSweep } from './erased-copies.ts'
import { startFollower } from './follow-feed.ts'
import { createHandlers } from './handlers.ts'
import { keepBatches } from './keep-batches.ts'
import { keepChangeMails } from './keep-change-mails.ts'
import { keepDeliveries } from './keep-deliveries.ts'
import { keepSales, type SalesWork } from './keep-sales.ts'
import { keepSearchIndex, type SearchIndexWork } from './keep-search-index.ts'
import { keepWatched, type WatchedWork } from './keep-watched.ts'
import type { CopyNotes } from './marked-copies.ts'
import type { Refresh } from './refresh-company.ts'
import { refreshIndustryCodes } from './refresh-industry-codes.ts'
import { sweepErasures } from './sweep-erasures.ts'

export type Workers = {
  /** How far behind each feed is, as far as this process knows. */
  feeds(): FeedProgress[]
  close(): Promise<void>
}

type IndustryCodesWork = Pick<Parameters<typeof refreshIndustryCodes>[0], 'readHeld' | 'fetch' | 'replace'>

/** What keeps the cache true: the feeds are followed, what changed is fetched anew, and who is removed is erased. */
export type Upkeep = {
  database: Database
  queue: JobQueue
  feeds: FeedSource
  cache: Pick<ApplyPorts, 'invalidate' | 'invalidateAll'>
  notes: CopyNotes
  /** This company is removed: this process answers nothing of it any more. */
  learned: (orgnr: string) => void
  refresh: Refresh
  /** Calls a second to each register, as they are tuned when the work begins. */
  budgets: () => Record<RegisterLane, number>
  watched: WatchedWork
  /** Makes due what a clock that was ahead has put off. */
  bringBack: () => Promise<void>
  /** Every place that keeps anything of companies, apart from the queue. */
  erasers: readonly Eraser[]
}

/** Runs each piece of background work on its own schedule, until closed. */
export function startWorkers(work: {
  clock: Clock
  log: Log
  industryCodes: IndustryCodesWork
  upkeep: Upkeep
  /** Handed what tells everybody of a removed company; null where there is to be no index. */
  searchIndex: (remove: Remove) => SearchIndexWork | null
  sales: SalesWork
  batches: BatchWork
  push: PushWork
  webhooks: Parameters<typeof keepSales>[1]['webhooks']
  changeMails: Parameters<typeof keepChangeMails>[0]
}): Workers {
  const { clock, log, upkeep, sales, batches, push, webhooks, changeMails } = work
  const { industryCodes } = policy
  const codes = repeat(
    'industry codes',
    {
      afterMs: industryCodes.lookEveryMs,
      retryMs: industryCodes.retryMs,
      retryMsMax: industryCodes.retryMsMax,
      log,
    },
    (signal) => refreshIndustryCodes({ ...work.industryCodes, clock, log, signal, policy: industryCodes }),
  )
  const kept = startUpkeep(upkeep, work.searchIndex, { follow: sales.follow, batches, push }, clock, log)
  const selling = keepSales(sales, { webhooks, log, policy: policy.sales })
  const telling = keepChangeMails(changeMails, {
    log,
    policy: { ...policy.changeMails, removeEveryMs: policy.watches.removeEveryMs },
  })

  return {
    feeds: kept.feeds,
    async close() {
      await Promise.all([codes.close(), kept.close(), selling.close(), telling.close()])
    },
  }
}

type Remove = (
  removals: readonly { organisasjonsnummer: string; slettedato: string | null; at: Date }[],
) => Promise<void>

function startUpkeep(
  { database, queue, feeds, cache, notes, learned, refresh, budgets, watched, bringBack, erasers }: Upkeep,
  searchIndexOf: (remove: Remove) => SearchIndexWork | null,
  { follow, batches, push }: Pick<SalesWork, 'follow'> & { batches: BatchWork; push: PushWork },
  clock: Clock,
  log: Log,
): Workers {
  const places: Eraser[] = [...erasers, { name: QUEUE_PLACE, erase: (company) => queue.forget(company) }]
  const copies = erasers.find(({ name }) => name === COPIES_PLACE)
  /** They would be named from what is held for as long as they can not be buried. It is done again at each further try. */
  async function forgetCopiesOf(removals: Parameters<Remove>[0]): Promise<void> {
    for (const { organisasjonsnummer } of removals) learned(organisasjonsnummer)
    const signal = AbortSignal.timeout(policy.erasure.unburiedMs)
    try {
      for (const { organisasjonsnummer } of removals) {
        signal.throwIfAborted()
        await untilAborted(copies?.erase(organisasjonsnummer, { signal }) ?? Promise.resolve(), signal)
      }
    } catch (error) {
      log.warn({ err: error }, 'copies of companies that are removed wait until those are buried')
    }
  }
  const remove: Remove = async (removals) => {
    try {
      await buryCompanies(database, removals)
    } catch (error) {
      await forgetCopiesOf(removals)
      throw error
    }
    const jobs = removals.map(({ organisasjonsnummer }) => ({ organisasjonsnummer }))
    // The work stands in PostgreSQL; a queue that is away costs the time to the next sweep.
    await queue
      .enqueue('erase-company', jobs)
      .catch((error) => log.warn({ err: error }, 'erasures wait for the sweep'))
  }
  const searchIndex = searchIndexOf(remove)
  // In turns, as what readers ask for: whoever watches a long list has another's one company, told of behind it, wait for all of it.
  const placeInLine = createLinePlaces(policy.refresh.places)
  async function placesOfTold(orgnrs: readonly string[]) {
    const linesOf = await watched.linesOf(orgnrs)
    return (orgnr: string, isHeld: boolean) => {
      const [first = 'holdt', ...others] = linesOf.get(orgnr) ?? []
      return placeInLine(first, ...others, ...(isHeld ? ['holdt'] : []))
    }
  }
  const ports: ApplyPorts = {
    ...cache,
    remove,
    noteChanges: async (changes) => searchIndex?.noteChanges(changes),
    noteWatched: watched.touched,
    noteHeld: watched.held,
    askSoon: watched.askSoon,
    async enqueueRefresh(changes, held) {
      const placeOf = await placesOfTold([...changes.keys()])
      return queue.enqueue(
        'refresh-company',
        refreshesOf(changes, (company) => placeOf(company, held.has(company))),
      )
    },
  }
  const holder = randomUUID()
  const followers = feedNames.map((feed) =>
    startFollower({ feed, source: feeds, database, ports, notes, holder, clock, log, policy: policy.feeds }),
  )
  const ring = (...whose: RightWithWork[]) =>
    queue.enqueue(
      'go-through-batch',
      whose.map(({ rett, prove }) => ({ nokkel: rett, prove })),
    )
  const ringEndpoints = (...endpoints: EndpointInLine[]) =>
    queue.enqueue(
      'send-to-endpoint',
      endpoints.map(({ id, line }) => ({ endepunkt: id, bane: line })),
    )
  const handling = queue.work(
    createHandlers({
      database,
      refresh,
      erasers: places,
      follow,
      searchIndex,
      batches,
      push,
      ring,
      ringEndpoint: ringEndpoints,
      policy,
    }),
    {
      registers: pacesOf(budgets()),
      erasure: policy.erasure,
      sales: policy.sales,
      batches: policy.batches,
      push: policy.push,
    },
  )
  const goingThrough = keepBatches(batches, { ring, log, policy: policy.batches })
  const delivering = keepDeliveries(push, { ring: ringEndpoints, log, policy: policy.push })
  const placeOfLook = createLinePlaces(policy.refresh.places)
  const looking = keepWatched(watched, {
    async enqueue(looks, { kanVente }) {
      const placeOf = kanVente
        ? () => placeOfLook('blikk')
        : await placesOfTold(looks.map(({ orgnr }) => orgnr))
      await queue.enqueue(
        'refresh-company',
        looks.map(({ orgnr, source }) => ({
          organisasjonsnummer: orgnr,
          seksjon: source,
          ...(kanVente ? { kanVente } : { fortalt: true }),
          plass: placeOf(orgnr, false),
        })),
      )
    },
    log,
    policy: policy.lookWork,
  })
  const sweeping = repeat(
    'erasures',
    { afterMs: policy.erasure.sweepMs, retryMs: policy.erasure.sweepMs, log },
    createCopiesSweep({ database, notes, log }, (signal) =>
      sweepErasures({ database, erasers: places, signal, ...policy.erasure }),
    ),
  )
  const cleaning = repeat(
    "the queue's log",
    { afterMs: policy.erasure.logEveryMs, retryMs: policy.erasure.logEveryMs, log },
    createQueueLogCleaner({ database, queue, log }),
  )
  const { bringBackEveryMs } = policy.ops
  const bringing = repeat(
    'what was put off',
    { afterMs: bringBackEveryMs, retryMs: bringBackEveryMs, log },
    bringBack,
  )
  // Readers that began in a delivery before it was replaced have ended long since.
  const dropping = repeat(
    'replaced deliveries',
    { afterMs: policy.shareholders.dropEveryMs, retryMs: policy.shareholders.dropEveryMs, log },
    async () => {
      await dropReplacedDeliveries(database)
    },
  )

  const indexing =
    searchIndex === null
      ? null
      : keepSearchIndex(searchIndex, {
          enqueueBuild: () => queue.enqueue('build-search-index', [{}]),
          log,
          policy: policy.searchIndex,
        })

  return {
    feeds: () => followers.map((follower) => follower.progress()),
    async close() {
      await Promise.all(
        [
          ...followers,
          handling,
          goingThrough,
          delivering,
          looking,
          sweeping,
          bringing,
          cleaning,
          dropping,
          indexing,
        ].map((part) => part?.close()),
      )
    },
  }
}

function refreshesOf(changes: Changes, placeOf: (company: Organisasjonsnummer) => number) {
  return [...changes].flatMap(([organisasjonsnummer, sections]) =>
    [...sections].map((seksjon) => ({
      organisasjonsnummer,
      seksjon,
      fortalt: true,
      plass: placeOf(organisasjonsnummer),
    })),
  )
}

function pacesOf(budgets: Record<RegisterLane, number>) {
  const paces = registerLanes.map((lane) => {
    const { atOnce } = registerBudgets[lane]
    return [lane, { atOnce, callsPerSecond: budgets[lane] }] as const
  })
  return Object.fromEntries(paces) as Record<RegisterLane, (typeof paces)[number][1]>
}

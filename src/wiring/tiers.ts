import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { createAnswers } from '#src/cache/answers.ts'
import { createCache } from '#src/cache/cache.ts'
import { retimed } from '#src/cache/entry.ts'
import { publishCacheEvent } from '#src/cache/events.ts'
import type { Key } from '#src/cache/key.ts'
import { createMemoryTier } from '#src/cache/memory-tier.ts'
import { createRecorder } from '#src/changes/recorder.ts'
import { isStrangerAsking, whoAsks } from '#src/core/asker.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { isOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { createCacheOrders } from '#src/ops/cache-orders.ts'
import type { QueueFault } from '#src/queue/faults.ts'
import { createLinePlaces } from '#src/queue/line-places.ts'
import { type JobQueue, openQueue } from '#src/queue/open-queue.ts'
import type { Assembled } from '#src/record/assembled.ts'
import { lifetimeOf } from '#src/record/lifetimes.ts'
import { createPersonIdsHolder } from '#src/record/person-ids-holder.ts'
import { type CachedSources, createCachedSources } from '#src/record/read.ts'
import { STORED_SCHEMA_VERSION, type StoredState } from '#src/record/stored-answer.ts'
import { type CompanyTombstones, createTombstones } from '#src/record/tombstones.ts'
import { archiveSources, isArchive, isKept } from '#src/sources/index.ts'
import { startProbes } from '#src/sources/probes.ts'
import { SourceError } from '#src/sources/source.ts'
import { cacheOrdersAfter, newestCacheOrders } from '#src/storage/cache-orders.ts'
import { isOfWhatItKeeps, StorageUnavailableError } from '#src/storage/database.ts'
import type { Storage } from '#src/storage/open-storage.ts'
import { personSecret } from '#src/storage/person-secret.ts'
import { buryCompanies, listTombstonesSince } from '#src/storage/tombstones.ts'
import { openArchive } from './archive.ts'
import type { ClockWatch } from './clock-watch.ts'
import { forgetNaming } from './erasing.ts'
import type { OpenedThings } from './opened.ts'
import { openArchivedAccounts, questionsOf, type Registers } from './registers.ts'
import { openSharedTier } from './shared-cache.ts'
import type { OpenTuning } from './tuning.ts'

export type Tiers = Awaited<ReturnType<typeof openTiers>>

/** The cache with everything that keeps it true: tombstones, the way to the registers, and the queue that refreshes. */
export async function openTiers({
  environment,
  storage,
  registers,
  tuning,
  clock,
  clockWatch,
  log,
  opened,
  followsFeeds,
  answersReaders,
}: {
  environment: Environment
  storage: Storage
  registers: Registers
  tuning: Pick<OpenTuning, 'current' | 'onChange'>
  clock: Clock
  clockWatch: Pick<ClockWatch, 'aheadMs'>
  log: Log
  opened: OpenedThings
  /** The feeds are followed in this very process, so its memory hears of every change even without a shared tier. */
  followsFeeds: boolean
  /** Nobody is answered before it is known who was removed. */
  answersReaders: boolean
}) {
  const queue = opened.keep('queue', openJobs(environment, storage, log))
  const tombstones = opened.keep('tombstones', openTombstones({ storage, queue, clock, log }))
  const cache = opened.keep(
    'cache',
    openCache({ environment, tombstones, tuning, clock, clockWatch, followsFeeds }),
  )
  const answers = createAnswers<Assembled>({
    bytesMax: policy.cache.answerBytesMax,
    answerBytesMax: policy.cache.oneAnswerBytesMax,
    isTrusted: cache.isTrusted,
    now: () => clock.now().getTime(),
  })
  cache.onChange(answers.drop)
  tombstones.onErased((orgnr) => {
    // What is kept elsewhere is the erasure's business; here it goes at once, as far as it can be reached.
    cache.erase(orgnr).catch(() => log.warn('a removed company waits to be erased from the shared cache'))
    // What was made of others' answers that name it.
    answers.drop({ prefix: '' })
    // Those themselves. Where the tier is shared, the erasure reaches all who hold one.
    if (environment.cacheRedisUrl === null) {
      void forgetNaming(cache)
      void cache.purgeAll({ hard: true, sections: archiveSources })
    }
  })
  const accounts = opened.keep(
    'accounts archive',
    openArchivedAccounts(registers, { database: storage.database, log }),
  )
  const persons = opened.keep(
    'ids of people',
    createPersonIdsHolder({
      read: () => personSecret(storage.database),
      // What was made while they were not known is to be made anew.
      onKnown: () => answers.drop({ prefix: '' }),
      log,
      lookAgainMs: policy.industryCodes.lookWhileNoneMs,
    }),
  )
  await persons.start()
  const archive = await openArchive({
    database: storage.database,
    personIds: persons.current,
    tombstones,
    // What was made while there was no such year, or another, is to be made anew.
    onChange: () => answers.drop({ prefix: '' }),
    log,
    opened,
  })
  const guards = { ...registers.guards, ...archive.guards }
  opened.keep(
    'probes',
    startProbes({ guards, questions: questionsOf(registers, archive.register), policy: policy.guard }),
  )
  const changes = opened.keep(
    'changes',
    createRecorder({
      database: storage.database,
      isErased: tombstones.isErased,
      lookAgain: (orgnr, source) => lookAgain({ company: orgnr, section: source }, { isShared: true }),
      clock,
      onFault: (error) => log.error({ err: error }, 'what changed could not be written'),
      policy: policy.looks,
    }),
  )
  const cached: CachedSources = createCachedSources({
    cache,
    archive: archive.register,
    sources: { ...registers.sources, regnskap: accounts.fetchRegnskap },
    guards,
    clock,
    lifetimes: () => tuning.current().lifetimes,
    policy: { ...policy, fillDeadlineMs: policy.cache.fillDeadlineMs },
    isErased: tombstones.isErased,
    onRemoved: tombstones.remove,
    rememberedAccounts: accounts.remembered,
    onFetch: changes.begin,
  })
  const lookAgain = refreshSoon({ cached, queue, log })
  cache.onStale(lookAgain)
  // What was made while other lifetimes held is to be made anew.
  tuning.onChange(() => answers.drop({ prefix: '' }))
  await tombstones.start({ areNeeded: answersReaders }).catch((error) => {
    // Waited for, as one that is away: may be that one table alone.
    throw isOfWhatItKeeps(error) ? new StorageUnavailableError(error) : error
  })
  const orders = opened.keep(
    'cache orders',
    createCacheOrders({
      newest: () => newestCacheOrders(storage.database),
      after: (place, limit) => cacheOrdersAfter(storage.database, place, limit),
      cache,
      log,
      policy: { ...policy.cacheOrders, sharedWithinMs: policy.cache.redisChangeMs },
    }),
  )
  await orders.start()
  return {
    cache,
    answers,
    cached,
    tombstones,
    /** Another word whenever one who holds shares was hidden, as this process has heard of it. */
    hidden: orders.asWord,
    queue,
    archive,
    untakenMs: changes.untakenMs,
    personIds: persons.current,
    lifetimes: () => tuning.current().lifetimes,
  }
}

function openTombstones({
  storage,
  queue,
  clock,
  log,
}: {
  storage: Storage
  queue: JobQueue
  clock: Clock
  log: Log
}) {
  return createTombstones({
    listSince: (number, limit) => listTombstonesSince(storage.database, number, limit),
    async bury(removals) {
      const at = clock.now()
      await buryCompanies(
        storage.database,
        removals.map((removal) => ({ ...removal, at })),
      )
      // Buried it is; a queue that is away costs the time to the next sweep.
      await queue
        .enqueue(
          'erase-company',
          removals.map(({ organisasjonsnummer }) => ({ organisasjonsnummer })),
        )
        .catch((error) => log.warn({ err: error }, 'erasures wait for the sweep'))
    },
    log,
    policy: policy.tombstones,
  })
}

function openCache({
  environment,
  tombstones,
  tuning,
  clock,
  clockWatch,
  followsFeeds,
}: {
  environment: Environment
  tombstones: CompanyTombstones
  tuning: Pick<OpenTuning, 'current'>
  clock: Clock
  clockWatch: Pick<ClockWatch, 'aheadMs'>
  followsFeeds: boolean
}) {
  const { cache: bounds } = policy
  const shared = openSharedTier(environment.cacheRedisUrl, clock)
  return createCache({
    memory: createMemoryTier({
      bytesMax: bounds.sectionBytesMax,
      companyBytesMax: bounds.companyBytesMax,
      isErased: tombstones.isErased,
      onEvicted: (bytes) => publishCacheEvent({ kind: 'evicted', bytes }),
    }),
    ...shared,
    schemaVersion: STORED_SCHEMA_VERSION,
    policy: { ...bounds, trustAloneMs: shared.redis === null && followsFeeds ? null : bounds.trustAloneMs },
    tombstones,
    isOutage,
    retimed: (section, entry) => {
      // What only another release knows.
      if (!isKept(section)) return entry
      const { lifetimes } = tuning.current()
      const lifetime = lifetimeOf(section, entry.state as StoredState, new Date(entry.fetchedAt), lifetimes)
      // None for what was never to be kept.
      return lifetime ? retimed(entry, lifetime) : entry
    },
    clock,
    clockAheadMs: () => clockWatch.aheadMs() ?? 0,
  })
}

/** Behind the reader's back, and in their turn: by whoever works off the queue if the answer will come back here, otherwise by ourselves. */
function refreshSoon({ cached, queue, log }: { cached: CachedSources; queue: JobQueue; log: Log }) {
  const placeOf = createLinePlaces(policy.refresh.places)
  return ({ company, section }: Key, { isShared }: { isShared: boolean }): void => {
    if (!isOrganisasjonsnummer(company) || !isKept(section) || section === 'sok') return
    const here = () =>
      cached
        .refresh(company, section, AbortSignal.timeout(policy.refresh.deadlineMs))
        // The source's failure is counted where it happened; the copy at hand goes on being served.
        .catch((error) => {
          if (!(error instanceof SourceError)) log.error({ err: error }, 'a refresh failed')
        })
    // Our own archive is no register to be spared: it is asked from here, and needs no line of its own.
    if (!isShared || isArchive(section)) void here()
    else {
      // All strangers are as one: of networks there are as many as one likes.
      const plass = placeOf(isStrangerAsking() ? 'fremmede' : whoAsks())
      queue
        .enqueue('refresh-company', [{ organisasjonsnummer: company, seksjon: section, plass }])
        .catch(here)
    }
  }
}

function openJobs({ queueRedisUrl }: Environment, storage: Storage, log: Log): JobQueue {
  return openQueue({
    redisUrl: queueRedisUrl,
    databaseUrl: storage.url,
    waitingMax: policy.refresh.waitingMax,
    policy: policy.queue,
    onFault: logFaultsTo(log),
  })
}

function logFaultsTo(log: Log): (fault: QueueFault) => void {
  return (fault) => {
    switch (fault.kind) {
      case 'failing':
        return log.warn({ err: fault.error, felt: fault.lane }, 'the queue fails')
      case 'well':
        return log.info({ feil: fault.errors, ms: fault.afterMs }, 'the queue works again')
      case 'job':
        return log.warn(
          { err: fault.error, felt: fault.lane, jobb: fault.job, flere: fault.untold },
          'a job failed',
        )
    }
  }
}

/** RFC 5861, 4: a failure of the source; that our own ceiling is reached is covered by the copy at hand just as well. */
function isOutage(error: unknown): boolean {
  return error instanceof SourceError
}

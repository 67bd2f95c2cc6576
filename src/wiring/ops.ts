import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import type { Clock } from '#src/core/clock.ts'
import { readAddress } from '#src/core/email-address.ts'
import type { ProcessLog } from '#src/core/log.ts'
import { installTracer } from '#src/core/trace.ts'
import { createOpsApp } from '#src/operators/app.ts'
import type { Activity } from '#src/ops/activity.ts'
import type { createAnswering } from '#src/ops/answering.ts'
import { canaryReport } from '#src/ops/canary/canary.ts'
import { actOnRecord } from '#src/ops/deeds.ts'
import { addGauges } from '#src/ops/gauges.ts'
import { createHeartbeat } from '#src/ops/heartbeat.ts'
import { createMetrics } from '#src/ops/metrics.ts'
import { createOperators } from '#src/ops/operators.ts'
import { createProcessEnds } from '#src/ops/process-ends.ts'
import { type ProcessReport, readProcessReport } from '#src/ops/process-report.ts'
import { type PublicStatus, publicStatus } from '#src/ops/public-status.ts'
import { createReadiness, type Readiness } from '#src/ops/readiness.ts'
import { seeSearchIndex } from '#src/ops/search-index.ts'
import { createSourceHistory } from '#src/ops/source-history.ts'
import { createStories } from '#src/ops/stories.ts'
import { createStoryKeeper } from '#src/ops/story-keeper.ts'
import { logTransitions } from '#src/ops/transitions.ts'
import { readVersion } from '#src/ops/version.ts'
import { withinDeadline } from '#src/queue/deadline.ts'
import type { JobQueue } from '#src/queue/open-queue.ts'
import { type CanaryNews, newestCanaryNews, newestCanaryRuns } from '#src/storage/canary-runs.ts'
import { looksBehind } from '#src/storage/changes/coverage.ts'
import { countSales, findCustomer } from '#src/storage/customers.ts'
import { IS_WRITABLE } from '#src/storage/database.ts'
import type { Storage } from '#src/storage/open-storage.ts'
import { listMails, listOrders } from '#src/storage/order-list.ts'
import { findMail, findOrderStory } from '#src/storage/order-story.ts'
import { keepProcessEnd, type ProcessEnds, readProcessEnds } from '#src/storage/process-ends.ts'
import { forgetProcess, keepMinute, type ProcessKind, reportProcess } from '#src/storage/processes.ts'
import { readPushState } from '#src/storage/push/upkeep.ts'
import { readLiveIndex } from '#src/storage/search/build-state.ts'
import { addSourceQuarters, readSourceHistory } from '#src/storage/source-quarters.ts'
import { keepStories } from '#src/storage/stories.ts'
import { opsPortOf, opsSocketOf } from './addresses.ts'
import type { ClockWatch } from './clock-watch.ts'
import { listening } from './listening.ts'
import type { OpenedThings } from './opened.ts'
import { createQueuePace } from './queue-pace.ts'
import { openSeeing } from './seeing.ts'
import { companyLook, openSteering } from './steering.ts'
import type { Tiers } from './tiers.ts'
import type { OpenTuning } from './tuning.ts'

type OpsGround = {
  environment: Environment
  storage: Storage
  tiers: Tiers
  tuning: OpenTuning
  activity: Activity
  answering: ReturnType<typeof createAnswering>
  clock: Clock
  /** Operators' deeds are dated by it. */
  keyClock: Clock
  clockWatch: ClockWatch
  log: ProcessLog
}

/** @param answersReaders it goes on doing so without its stores; a worker alone does nothing without them */
export function openReadiness({
  storage,
  queue,
  answersReaders,
}: {
  storage: Storage
  queue: JobQueue
  answersReaders: boolean
}) {
  return createReadiness({
    checks: [
      {
        del: 'database',
        check: async () => {
          await storage.database.query(IS_WRITABLE)
          storage.database.checkRoom()
        },
      },
      { del: 'queue', check: () => queue.check() },
    ],
    worksWithout: answersReaders,
    policy: policy.readiness,
  })
}

/**
 * The operators' side of this process, listening, and its word to the others that it lives.
 *
 * @param parts `takesRequests`: what whoever asks at the operators' port is told; left out where there is no other.
 *   `beforeListening`: whoever listens there until then leaves it
 * @returns `status`: how the registers answer, for the public page
 * @throws ConfigurationError when its port is taken
 */
export async function openOps(
  ground: OpsGround,
  {
    slag,
    readiness,
    takesRequests = readiness,
    beforeListening,
    opened,
  }: {
    slag: ProcessKind
    readiness: () => Promise<Readiness>
    takesRequests?: () => Promise<Readiness>
    beforeListening: () => Promise<void>
    opened: OpenedThings
  },
): Promise<{ status: () => PublicStatus; address: string; endedBy: (error: unknown) => Promise<void> }> {
  const { environment, storage, tiers, tuning, activity, answering, clock, keyClock, clockWatch, log } =
    ground
  const { database } = storage
  const { queue } = tiers
  const metrics = opened.keep('metrics', createMetrics())
  let address: string | null = null
  const id = randomUUID()
  const startet = clock.now()
  const version = readVersion(environment)
  const pace = createQueuePace(queue, tuning)

  async function ownReport(): Promise<ProcessReport> {
    const ready = await readiness()
    return {
      adresse: address,
      klar: ready.klar,
      hindringer: [...ready.hindringer, ...ready.mangler].map(({ del, kode }) => `${del}: ${kode}`),
      stilling: tuning.state()?.current.versjon ?? 0,
      stillingBrutt: tuning.state()?.isBroken ?? false,
      kilder: activity.sources(),
      feeder: activity.feeds().map(({ feed, lagMs, newestAt }) => ({
        feed,
        etterslepMs: lagMs,
        nyeste: newestAt?.toISOString() ?? null,
      })),
      minne: memoryOf(tiers),
      redis: tiers.cache.usesRedis(),
      klokkeForanMs: clockWatch.aheadMs(),
      uskrevetMs: tiers.untakenMs(),
      epost: activity.mail(),
    }
  }

  const stories = opened.keep(
    'stories',
    createStoryKeeper({
      keep: (told) => keepStories(database, { prosess: id, slag, versjon: version }, told),
      log,
      policy: policy.ops.stories,
    }),
  )
  opened.keep('telling', {
    close: installTracer(createStories({ now: clock.now, onStory: stories.add })),
  })
  opened.keep('transitions', logTransitions(log))
  const history = opened.keep(
    'source history',
    createSourceHistory({
      add: (quarters) => addSourceQuarters(database, quarters),
      read: () => readSourceHistory(database),
      clock,
      log,
      policy: policy.ops.sourceHistory,
    }),
  )
  let ends: ProcessEnds | null = null
  let canary: CanaryNews | null = null
  const processEnds = createProcessEnds({
    folder: join(environment.dataDir, 'avslutninger'),
    about: { slag, versjon: version },
    now: clock.now,
    keep: (end) => keepProcessEnd(database, end),
    log,
    policy: policy.ops,
  })
  const heartbeat = createHeartbeat({
    async report() {
      await clockWatch.look()
      const sammendrag = await ownReport()
      const alive = await reportProcess(
        database,
        { id, slag, versjon: version, startet, sammendrag },
        { aliveMs: policy.ops.aliveMs, forgetMs: policy.ops.forgetMs, limit: policy.ops.processesMax },
      )
      answering.heard(alive)
      // A queue that is away is told with the next report; it keeps nobody from hearing of this process, or this one of others.
      await pace.keep().catch(() => {})
      await processEnds.tellEarlier()
      ends = await readProcessEnds(database)
      canary = environment.kanari === 'av' ? null : await newestCanaryNews(database)
      return alive
    },
    minutes: activity.minutes,
    keepMinute: (at, minute) => keepMinute(database, { at, process: id, counted: minute }),
    forget: () => forgetProcess(database, id),
    log,
    policy: { everyMs: policy.ops.reportEveryMs, minutesAtOnce: policy.ops.minutesAtOnce },
  })
  addGauges(
    metrics.registry,
    {
      now: clock.now,
      version,
      slag,
      readiness,
      logLost: log.lost,
      storiesLost: stories.lost,
      depths: queue.depths,
      sales: () => countSales(database, keyClock.now()),
      push: () => readPushState(database),
      looksBehind: () => looksBehind(database),
      untakenMs: tiers.untakenMs,
      held: () => {
        const { foretak, foretakByte, svar, svarByte } = memoryOf(tiers)
        return [
          { lag: 'minne', poster: foretak, byte: foretakByte },
          { lag: 'svar', poster: svar, byte: svarByte },
        ]
      },
      ends: () => ends?.antall ?? null,
      canary: () => canary,
      searchIndex: async () =>
        environment.sokeindeks === 'av' ? null : (await readLiveIndex(database)) !== null,
      clockAheadMs: clockWatch.aheadMs,
      isTimeKnown: clockWatch.isTimeKnown,
      processes: () => heartbeat.alive()?.processes.length ?? null,
      usesRedis: tiers.cache.usesRedis,
      tuning: () => {
        const state = tuning.state()
        return state && { versjon: state.current.versjon, isBroken: state.isBroken }
      },
    },
    policy.ops,
  )
  const seeing = openSeeing({ database, queue, tunables: tuning.tunables, clock })
  const app = await createOpsApp({
    version,
    readiness: takesRequests,
    metrics,
    operators: createOperators({ db: database, clock: keyClock, policy: policy.ops }),
    overview: seeing.overview,
    canary: async () => canaryReport(await newestCanaryRuns(database, policy.canary.comparedMax)),
    searchIndex: () => seeSearchIndex(database, { isWanted: environment.sokeindeks !== 'av' }),
    steering: openSteering({
      storage,
      queue,
      cache: tiers.cache,
      tuning,
      clock: keyClock,
      onErase: tiers.tombstones.remove,
    }),
    lifetimes: { tunables: tuning.tunables, state: seeing.tuning, estimate: seeing.cost },
    companies: {
      look: companyLook({ database, cache: tiers.cache, clock, answer: (orgnr) => tiers.answers.get(orgnr) }),
      hasRedis: tiers.cache.stats().redis !== null,
    },
    keys: { find: (keyOrOrder) => findCustomer(database, keyOrOrder) },
    orders: {
      orders: (wanted) =>
        listOrders(database, { wanted: wanted && (readAddress(wanted) ?? wanted), limit: 200 }),
      order: (id) => findOrderStory(database, id),
      mails: () => listMails(database, 200),
      mail: (id) => findMail(database, id),
    },
    board: {
      queues: queue.board,
      hasFindableWorkers: queue.kind === 'redis',
      asked: (work) => withinDeadline(policy.ops.boardWaitsMs, work),
      change: (hvem, gjelder, act, endOf) =>
        actOnRecord(
          { db: database, clock: keyClock },
          { hvem, handling: 'jobb', gjelder, hvorfor: 'fra jobbtavlen' },
          act,
          endOf,
        ),
    },
    trustProxy: environment.trustProxy,
    names: environment.opsNames,
    clock,
    log,
    policy: { ...policy.ops, server: policy.http },
  })
  opened.keep('operators’ side', { close: () => app.close() })
  await app.ready()
  await beforeListening()
  address = await listening(app.listen(opsPortOf(environment)), environment)
  const socket = opsSocketOf(environment, Number(address.slice(address.lastIndexOf(':') + 1)))
  if (socket !== null) await app.listenAtSocket(socket)
  log.info({ versjon: version, slag, socket: socket?.path, address }, "the operators' side is open")
  opened.keep('heartbeat', heartbeat)
  await Promise.all([heartbeat.start(), history.start()])
  return {
    address,
    endedBy: processEnds.ended,
    status: () => {
      const heard = heartbeat.alive()
      return publicStatus({
        now: clock.now(),
        sources: activity.sources(),
        feeds: activity.feeds(),
        history: history.current(),
        heard: heard && {
          at: heard.at,
          reports: heard.processes.flatMap(({ sammendrag }) => readProcessReport(sammendrag) ?? []),
        },
      })
    },
  }
}

function memoryOf({ cache, answers }: Pick<Tiers, 'cache' | 'answers'>): ProcessReport['minne'] {
  const { memory } = cache.stats()
  const ready = answers.stats()
  return {
    rssByte: process.memoryUsage.rss(),
    foretak: memory.companies,
    foretakByte: memory.bytes,
    svar: ready.answers,
    svarByte: ready.bytes,
  }
}

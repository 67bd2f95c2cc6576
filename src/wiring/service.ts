import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { createKeySessions } from '#src/access/key-sessions.ts'
import { createLastUsed } from '#src/access/last-used.ts'
import { createNamedKeys } from '#src/access/named-keys.ts'
import { openStoredKeys } from '#src/access/stored-keys.ts'
import { openStoredProofs } from '#src/access/stored-proofs.ts'
import { createVerifier } from '#src/access/verify.ts'
import { deprecations } from '#src/api/deprecations.ts'
import { askedByNobody } from '#src/core/asker.ts'
import { type Clock, systemClock } from '#src/core/clock.ts'
import type { Log, ProcessLog } from '#src/core/log.ts'
import { createApp } from '#src/front/app.ts'
import type { WaitingAddress } from '#src/http/waiting-room.ts'
import { createActivity } from '#src/ops/activity.ts'
import { createAnswering } from '#src/ops/answering.ts'
import type { Readiness } from '#src/ops/readiness.ts'
import { readVersion } from '#src/ops/version.ts'
import { createBatches } from '#src/record/batches.ts'
import { createShareReader } from '#src/record/share-reader.ts'
import type { CompanySource } from '#src/sources/index.ts'
import { activateKey } from '#src/storage/key-chain.ts'
import { followKeyChanges } from '#src/storage/key-changes.ts'
import { noteKeysUsed } from '#src/storage/named-keys.ts'
import { openStorage, type Storage } from '#src/storage/open-storage.ts'
import { replayHidings } from '#src/storage/shareholders/hidden-persons.ts'
import { journalIn, readHidings } from '#src/storage/shareholders/hiding-journal.ts'
import { frontPortOf, frontSocketOf, opsPortOf, opsSocketOf } from './addresses.ts'
import { startBackground } from './background.ts'
import { startCanary } from './canary.ts'
import { changeMailsOf, openChanges } from './changes.ts'
import { createClockWatch } from './clock-watch.ts'
import { listening } from './listening.ts'
import type { OpenedThings } from './opened.ts'
import { opening } from './opening.ts'
import { openOps, openReadiness } from './ops.ts'
import { pagesOf } from './pages.ts'
import { openEndpoints } from './push.ts'
import { openReaders } from './readers.ts'
import { openRegisters } from './registers.ts'
import { openSales } from './sales.ts'
import { openSearch } from './search.ts'
import { openTestKeys } from './test-keys.ts'
import { openTiers, type Tiers } from './tiers.ts'
import { openTuning } from './tuning.ts'

export type Service = {
  app: FastifyInstance
  tiers: Tiers
  /** Where the operators' side listens. */
  opsAddress: string
  log: ProcessLog
  /** Listens where the environment says, or closes everything when it can not. @returns the address it got */
  listen(): Promise<string>
  /** The process ends by this error: whoever looks is to see it. Before closing. */
  endedBy(error: unknown): Promise<void>
  /** Gives whoever sends requests here the time to turn elsewhere. They are all still answered. */
  drain(): Promise<void>
  close(): Promise<void>
}

/**
 * Opens every live thing of the front once, in order, and hands each what it needs. What was opened is closed again, in
 * reverse, when the service closes or a later step fails.
 *
 * @param parts `workers`: also run the background work in this process. `samplesAreRegistered`: the registers know the invented
 *   companies. `isBesideOthers`: others answer at the public address already, and until it is open all is theirs.
 *   `ended` gives the opening up, and its reason is thrown
 */
export async function openService(
  environment: Environment,
  parts: {
    workers: boolean
    samplesAreRegistered?: boolean
    isBesideOthers?: boolean
    clock?: Clock
    ended?: AbortSignal
  },
): Promise<Service> {
  const clock = parts.clock ?? systemClock
  const front = frontOf(environment)
  const operators = opsOf(environment)
  const addresses = parts.isBesideOthers ? operators : [...front, ...operators]
  return opening(environment, addresses, parts.ended, async (log, opened, waiting) => {
    let address: string | null = environment.publicUrl
    const publicUrl = () => address ?? plainAddress(environment)
    const grounding = openGround(environment, {
      clock,
      givenClock: parts.clock ?? null,
      log,
      opened,
      publicUrl,
      knownUrl: () => address,
      followsFeeds: parts.workers,
      answersReaders: true,
    })
    const ground = await waiting.during(grounding, MADE_READY)
    const { storage, tiers, sales, webhooks, readiness, keyClock } = ground
    const { cache, answers, tombstones } = tiers
    const readers = await openReaders({ ...ground, environment, clock, log, opened })
    const workers = parts.workers
      ? opened.keep('workers', startBackground({ ...ground, readers, environment, clock, log }))
      : null
    if (parts.workers) {
      opened.keep('canary', startCanary(environment, { database: storage.database, clock, log }))
    }
    const lastUsed = opened.keep(
      'last used',
      createLastUsed({
        write: (ids, day) => noteKeysUsed(storage.database, ids, day),
        clock,
        onFault: (error) => log.warn({ err: error }, 'when keys were last used could not be written'),
        policy: policy.keys.lastUsed,
      }),
    )
    const verifier = createVerifier({
      miljo: environment.miljo,
      findKeyById: openStoredKeys(storage.database, policy.keys),
      proofs:
        environment.cacheRedisUrl === null
          ? openStoredProofs(storage.database, {
              policy: policy.keys,
              onFault: (error) => log.warn({ err: error }, 'that a key was proved could not be noted'),
            })
          : {
              read: (id) => cache.readNote(`proof-${id}`),
              keep: (id, proof, forMs) => void cache.writeNote(`proof-${id}`, proof, forMs),
            },
      // Bounded by the proofs of keys, and like looking them up no matter of who asks for what (P149).
      activate: (id) => askedByNobody(() => activateKey(storage.database, id, ground.salesClock.now())),
      clock: keyClock,
      policy: policy.keys,
      onFault: (error) => log.error({ err: error }, 'a key could not be checked'),
      onUse: lastUsed.note,
    })
    const sessionsFor = (use?: string) =>
      createKeySessions({
        db: storage.database,
        verifier,
        ends: {
          isEnded: async (hash) => (await cache.readNote(`ended-${hash}`)) !== null,
          tell: (hash, forMs) => void cache.writeNote(`ended-${hash}`, '1', forMs),
        },
        clock: keyClock,
        policy: policy.keys.sessions,
        ...(use !== undefined && { use }),
      })
    const sessions = sessionsFor()
    const reconciliation = sessionsFor('avstemming')
    opened.keep(
      'key changes',
      followKeyChanges({
        url: storage.url,
        onChange(id) {
          // A key that was bought may have an id like theirs.
          if (ground.testKeys.isOfTheseIds(id)) ground.testKeys.lookAgain()
          verifier.forget(id)
        },
        onSessionEnded(hash) {
          sessions.ended(hash)
          reconciliation.ended(hash)
        },
        retryMs: policy.keys.changesRetryMs,
        heartbeatMs: policy.keys.changesHeartbeatMs,
      }),
    )
    const search = await openSearch({
      environment,
      storage,
      tiers,
      industryCodes: readers.industryCodes,
      clock,
      log,
      opened,
    })
    let isEnding = false
    let isOpen = false
    const isReady = async () => (isEnding ? ENDING : readiness())
    const ops = await openOps(
      { ...ground, environment, clock, log },
      {
        slag: parts.workers ? 'alt' : 'front',
        readiness: isReady,
        // Whoever asks there sends requests to the other port.
        takesRequests: async () => (isOpen ? isReady() : NOT_OPEN),
        beforeListening: () => waiting.leave(operators),
        opened,
      },
    )
    const changes = openChanges({
      storage,
      isErased: tiers.tombstones.isErased,
      clock: keyClock,
      log,
      opened,
    })
    const app = await createApp({
      version: readVersion(environment),
      reader: readers.reader,
      many: readers.many,
      batches: createBatches({
        db: storage.database,
        // The look that finds it anyway comes within seconds.
        ring: ({ rett, prove }) =>
          void tiers.queue.enqueue('go-through-batch', [{ nokkel: rett, prove }]).catch(() => {}),
        clock: keyClock,
        keptMs: policy.batches.keptMs,
      }),
      changes,
      push: openEndpoints({
        environment,
        storage,
        queue: tiers.queue,
        changes,
        isErased: tiers.tombstones.isErased,
      }),
      sandbox: readers.sandbox,
      search,
      sessions,
      namedKeys: createNamedKeys({
        db: storage.database,
        miljo: environment.miljo,
        clock: keyClock,
        policy: policy.keys.named,
      }),
      reconciliation,
      answers,
      shares: createShareReader({
        ...tiers.archive,
        tombstones,
        untold: readers.many.erased,
        deadlineMs: environment.answerDeadlineMs,
      }),
      verifier,
      readiness: isReady,
      status: ops.status,
      isEnding: () => isEnding,
      clock,
      log,
      policy: policy.http,
      trustProxy: environment.trustProxy,
      publicUrl,
      deprecations,
      pages: pagesOf(environment, {
        sales,
        webhooks,
        clock,
        samplesAreRegistered: parts.samplesAreRegistered ?? false,
      }),
    })
    opened.keep('front', { close: () => app.close() })
    return {
      app,
      tiers,
      opsAddress: ops.address,
      endedBy: ops.endedBy,
      async listen() {
        try {
          await app.ready()
          await waiting.leave(front)
          const got = await listening(app.listen(frontPortOf(environment)), environment)
          address ??= got
          const socket = frontSocketOf(environment)
          if (socket !== null) await app.listenAtSocket(socket)
          isOpen = true
          return got
        } catch (error) {
          await opened.closeAll()
          throw error
        }
      },
      async drain() {
        isEnding = true
        // Jobs in progress come to their end while readers do. What comes of it is seen when all is closed.
        workers?.close().catch(() => {})
        await pause(policy.shutdown.drainMs)
      },
    }
  })
}

const ENDING: Readiness = {
  klar: false,
  hindringer: [{ del: 'prosess', kode: 'avslutter', tekst: 'This process is shutting down.' }],
  mangler: [],
}

const NOT_OPEN: Readiness = {
  klar: false,
  hindringer: [{ del: 'prosess', kode: 'apner', tekst: 'The public port is not open yet.' }],
  mangler: [],
}

/** The background work alone, for a process of its own. */
export async function openWorkers(
  environment: Environment,
  ended?: AbortSignal,
): Promise<Pick<Service, 'log' | 'endedBy' | 'close'>> {
  const clock = systemClock
  const operators = opsOf(environment)
  return opening(environment, operators, ended, async (log, opened, waiting) => {
    const publicUrl = () => environment.publicUrl ?? plainAddress(environment)
    const grounding = openGround(environment, {
      clock,
      givenClock: null,
      log,
      opened,
      publicUrl,
      knownUrl: () => environment.publicUrl,
      followsFeeds: true,
      answersReaders: false,
    })
    const ground = await waiting.during(grounding, MADE_READY)
    const readers = await openReaders({ ...ground, environment, clock, log, opened })
    opened.keep('workers', startBackground({ ...ground, readers, environment, clock, log }))
    opened.keep('canary', startCanary(environment, { database: ground.storage.database, clock, log }))
    const { endedBy } = await openOps(
      { ...ground, environment, clock, log },
      {
        slag: 'arbeider',
        readiness: ground.readiness,
        beforeListening: () => waiting.leave(operators),
        opened,
      },
    )
    return { endedBy }
  })
}

/** Another process may be at it, or this one, or it takes its time to answer: none is known before it is over. */
const MADE_READY = {
  del: 'database',
  kode: 'klargjores',
  tekst:
    'The database is made ready: started, brought up to date, or asked for what is needed of it, which takes its time.',
}

async function openGround(
  environment: Environment,
  {
    clock,
    givenClock,
    log,
    opened,
    publicUrl,
    knownUrl,
    followsFeeds,
    answersReaders,
  }: {
    clock: Clock
    /** A test's. */
    givenClock: Clock | null
    log: Log
    opened: OpenedThings
    publicUrl: () => string
    knownUrl: () => string | null
    followsFeeds: boolean
    answersReaders: boolean
  },
) {
  const storage: Storage = opened.keep(
    'storage',
    await openStorage({
      databaseUrl: environment.databaseUrl,
      dataDir: environment.dataDir,
      applicationName: 'bedriftsoppslag',
      poolMax: policy.database.poolMax,
      // A worker asks for itself alone.
      ...(answersReaders && { forOneMax: policy.database.forOneMax }),
      onLog: (message) => log.debug(message),
      // It may wait for ten minutes for whoever left a transaction open, whom only an operator can end.
      onMigration: (message) => log.info(message),
      onFault: (message, error) => log.error({ err: error }, message),
      ended: opened.ended,
    }),
  )
  await replayJournal(storage, environment, log)
  const activity = opened.keep('activity', createActivity({ clock, minutesMax: policy.ops.minutesMax }))
  const tuning = opened.keep('tuning', await openTuning({ environment, storage, log }))
  const answering = createAnswering()
  const callsPerSecond = (source: CompanySource) =>
    tuning.current().budgets[`${source}_lesere`] / answering.count()
  const registers = opened.keep('registers', openRegisters(environment, callsPerSecond))
  const clockWatch = createClockWatch(storage.database, clock)
  // Every heartbeat looks again.
  await clockWatch.look().catch(() => {})
  const salesClock = givenClock ?? clockWatch.common
  const keyClock = givenClock ?? clockWatch.lenient
  const tiers = await openTiers({
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
  })
  const testKeys = await openTestKeys({ storage, clock: keyClock, log, opened })
  const { sales, webhooks, mail } = openSales({
    environment,
    storage,
    queue: tiers.queue,
    publicUrl,
    knownUrl,
    testKeys,
    clock,
    salesClock,
    log,
    opened,
  })
  const changeMails = changeMailsOf({
    storage,
    isErased: tiers.tombstones.isErased,
    mail,
    publicUrl,
    clock: salesClock,
    log,
  })
  const readiness = openReadiness({ storage, queue: tiers.queue, answersReaders })
  return {
    storage,
    registers,
    tiers,
    sales,
    webhooks,
    changeMails,
    testKeys,
    publicUrl,
    activity,
    answering,
    tuning,
    readiness,
    clockWatch,
    salesClock,
    keyClock,
  }
}

/** Before anybody is answered: a database that was restored by whatever means may show whom an operator has hidden since. */
async function replayJournal({ database }: Storage, { dataDir }: Environment, log: Log): Promise<void> {
  const path = journalIn(dataDir)
  const { hidings, unreadable } = await readHidings(path)
  const done = await replayHidings(database, hidings)
  if (done > 0)
    log.warn({ antall: done, path }, 'hidings of persons that the database did not know were done again')
  if (unreadable > 0)
    log.warn({ antall: unreadable, path }, 'lines of the journal of hidings can not be read')
}

function frontOf(environment: Environment): WaitingAddress[] {
  const socket = frontSocketOf(environment)
  return [frontPortOf(environment), ...(socket === null ? [] : [socket])]
}

/** A port that the system chooses is not known yet. */
function opsOf(environment: Environment): WaitingAddress[] {
  const { opsPort } = environment
  const socket = opsPort === 0 ? null : opsSocketOf(environment, opsPort)
  return [opsPortOf(environment), ...(socket === null ? [] : [socket])]
}

function plainAddress({ host, port }: Environment): string {
  return `http://${host}:${port}`
}

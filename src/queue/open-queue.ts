import { createRepeat } from '#src/core/repeat.ts'
import { companySources } from '#src/sources/index.ts'
import { laneOf, type RegisterLane, registerLanes } from '#src/sources/lanes.ts'
import { type BackendQueue, type Limiter, limiterOf, type QueueBackend } from './backend.ts'
import { withinDeadline } from './deadline.ts'
import { createEnqueue, type Enqueue } from './enqueue.ts'
import { createFaults, type QueueFault } from './faults.ts'
import { type JobLane, lanes, refreshKey, refreshOrders } from './jobs.ts'
import { createPostgresBackend } from './postgres-backend.ts'
import { createProducers, type Producers } from './producers.ts'
import { createRedisBackend } from './redis-backend.ts'
import { type Handlers, type LaneWork, workLane } from './work.ts'

type QueuePolicy = LaneWork['policy'] & { quietMs: number; bringBackEveryMs: number }

export type JobQueue = {
  readonly kind: QueueBackend['kind']
  /** Adds jobs, within the lanes' bounds. @throws QueueUnavailableError, QueueMayEvictError */
  enqueue: Enqueue
  /** Takes out the refreshes of a company that are not begun, or have failed for good. @throws QueueUnavailableError, QueueMayEvictError */
  forget(organisasjonsnummer: string): Promise<void>
  /** Begins to work off all lanes, now or when the server can be used. To be closed before the queue. */
  work(handlers: Handlers, pace: Pace): { close(): Promise<void> }
  /** Jobs of each lane: waiting for their turn, begun, and put off until later. @throws QueueUnavailableError, QueueMayEvictError */
  depths(): Promise<Depth[]>
  /**
   * From now on, for whoever works a lane off in whatever process. How long a window is each process has to be told itself;
   * how many fit in it all learn from the queue.
   *
   * @throws QueueUnavailableError, QueueMayEvictError
   */
  setPace(lane: JobLane, callsPerSecond: number): Promise<void>
  /** After companies were erased: see the backend. */
  rewriteLog: QueueBackend['rewriteLog']
  /** BullMQ's own queues, for a board that shows them. @throws QueueUnavailableError, QueueMayEvictError */
  board(): Promise<BackendQueue[]>
  /** For readiness. @throws QueueUnavailableError, QueueMayEvictError with a message for the operator */
  check(): Promise<void>
  close(): Promise<void>
}

export type Depth = {
  lane: JobLane
  waiting: number
  active: number
  delayed: number
  failed: number
  /** Somebody has stopped it, and nothing in it is done until somebody lets it go on. */
  isPaused: boolean
}

/** How fast each lane is worked off. */
export type Pace = {
  registers: Record<RegisterLane, { atOnce: number; callsPerSecond: number }>
  erasure: { atOnce: number }
  sales: { atOnce: number }
  batches: { atOnce: number }
  push: { endpointsAtOnce: number; endpointsApartAtOnce: number }
}

/**
 * The queue: in Redis when there is one for it, otherwise in PostgreSQL. Opens nothing yet and never fails: a server that
 * is away is found when it is first asked, and again each time after.
 */
export function openQueue({
  redisUrl,
  databaseUrl,
  waitingMax,
  policy,
  onFault,
}: {
  redisUrl: string | null
  databaseUrl: string
  waitingMax: number
  policy: QueuePolicy
  onFault: (fault: QueueFault) => void
}): JobQueue {
  const { deadlineMs } = policy
  const backend =
    redisUrl === null
      ? createPostgresBackend({ databaseUrl, deadlineMs })
      : createRedisBackend({ url: redisUrl, deadlineMs })
  /** Of the workers of this process, each lane's the same object from first to last. */
  const limiters = new Map<JobLane, Limiter>()
  const faults = createFaults({ prove: () => backend.prove(), tell: onFault, quietMs: policy.quietMs })
  const producers = createProducers({ backend, deadlineMs, onFault: (error) => faults.queue(error, null) })

  async function tellPace(lane: JobLane): Promise<void> {
    const limit = limiters.get(lane)
    if (limit === undefined) return
    const queue = await producers.of(lane)
    await withinDeadline(deadlineMs, queue.setGlobalRateLimit(limit.max, limit.duration))
  }

  return {
    kind: backend.kind,
    enqueue: createEnqueue({ producers, waitingMax, deadlineMs }),
    forget: (organisasjonsnummer) => forget(organisasjonsnummer, { producers, backend, deadlineMs }),
    work(handlers, { registers, erasure, sales, batches, push }) {
      const paceOf = (lane: JobLane) => {
        if (lane === 'utvisking') return { atOnce: erasure.atOnce, limiter: null }
        if (lane === 'levering') return { atOnce: sales.atOnce, limiter: null }
        if (lane === 'sokeindeks' || lane === 'bestillinger_prove') return { atOnce: 1, limiter: null }
        if (lane === 'bestillinger') return { atOnce: batches.atOnce, limiter: null }
        if (lane === 'varsling') return { atOnce: push.endpointsAtOnce, limiter: null }
        if (lane === 'varsling_treg' || lane === 'varsling_prove')
          return { atOnce: push.endpointsApartAtOnce, limiter: null }
        const { atOnce, callsPerSecond } = registers[lane]
        const limiter = limiters.get(lane) ?? limiterOf(callsPerSecond)
        limiters.set(lane, limiter)
        return { atOnce, limiter }
      }
      const working = lanes.map((lane) =>
        workLane({
          backend,
          lane,
          handlers,
          policy,
          faults,
          ...paceOf(lane),
          // What another release has told the queue is none of these windows.
          onProved: () => tellPace(lane),
        }),
      )
      const bringing = createRepeat(
        { everyMs: policy.bringBackEveryMs, onFault: (error) => faults.queue(error, null) },
        async () => {
          await backend.prove()
          await backend.bringBack(policy.lockMs)
        },
      )
      void bringing.start()
      return {
        async close() {
          await Promise.all([bringing.close(), ...working.map((lane) => lane.close())])
        },
      }
    },
    depths: () => Promise.all(lanes.map((lane) => depthOf(producers, lane, deadlineMs))),
    async setPace(lane, callsPerSecond) {
      const limit = limiterOf(callsPerSecond)
      // A worker's own duration goes before the queue's, the queue's own number before a worker's.
      limiters.set(lane, Object.assign(limiters.get(lane) ?? limit, limit))
      await tellPace(lane)
    },
    board: () => Promise.all(lanes.map((lane) => producers.of(lane))),
    rewriteLog: backend.rewriteLog,
    check: () => backend.prove(),
    async close() {
      faults.close()
      await producers.close()
      await backend.close()
    },
  }
}

/** A refresh under way stays, and one that waits for it to end: what they fetch is for the cache to refuse. */
async function forget(
  organisasjonsnummer: string,
  { producers, backend, deadlineMs }: { producers: Producers; backend: QueueBackend; deadlineMs: number },
): Promise<void> {
  await Promise.all(
    companySources.map(async (seksjon) => {
      const queue = await producers.of(laneOf(seksjon))
      for (const order of refreshOrders) {
        const key = refreshKey({ organisasjonsnummer, seksjon }, order)
        const id = await withinDeadline(deadlineMs, queue.getDeduplicationJobId(key))
        if (id !== null) await withinDeadline(deadlineMs, queue.remove(id))
      }
    }),
  )
  await Promise.all(
    registerLanes.map(async (lane) => {
      const queue = await producers.of(lane)
      for (const id of await backend.failedAbout(lane, organisasjonsnummer))
        await withinDeadline(deadlineMs, queue.remove(id))
    }),
  )
}

/** What waits in a lane that is paused is told so by BullMQ's PostgreSQL, though its types do not say it. */
const PAUSED = 'paused' as 'waiting'

async function depthOf(producers: Producers, lane: JobLane, deadlineMs: number): Promise<Depth> {
  const queue = await producers.of(lane)
  const [counts, isPaused] = await withinDeadline(
    deadlineMs,
    Promise.all([
      queue.getJobCounts('waiting', PAUSED, 'prioritized', 'active', 'delayed', 'failed'),
      queue.isPaused(),
    ]),
  )
  const { waiting = 0, paused = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = counts
  return { lane, waiting: waiting + paused + prioritized, active, delayed, failed, isPaused }
}

import type { QueueBackend } from './backend.ts'
import { withinDeadline } from './deadline.ts'
import { createEnqueue, type Enqueue } from './enqueue.ts'
import { jobs, lanes, type Section, sections } from './jobs.ts'
import { createPostgresBackend } from './postgres-backend.ts'
import { createProducers, type Producers } from './producers.ts'
import { createRedisBackend } from './redis-backend.ts'
import { type Handlers, type LaneWork, workLane } from './work.ts'

export type QueuePolicy = LaneWork['policy']

export type JobQueue = {
  readonly kind: QueueBackend['kind']
  /** Adds jobs, within the lanes' bounds. @throws QueueUnavailableError, QueueMayEvictError */
  enqueue: Enqueue
  /** Takes out the refreshes of a company that are not begun. @throws QueueUnavailableError, QueueMayEvictError */
  forget(organisasjonsnummer: string): Promise<void>
  /** Begins to work off all lanes, now or when the server can be used. To be closed before the queue. */
  work(handlers: Handlers, pace: Pace): { close(): Promise<void> }
  /** For readiness. @throws QueueUnavailableError, QueueMayEvictError with a message for the operator */
  check(): Promise<void>
  close(): Promise<void>
}

/** How fast each lane is worked off. */
export type Pace = {
  registers: Record<
    'enhetsregisteret' | 'fullmakt' | 'regnskap' | 'kunngjoringer',
    { atOnce: number; callsPerSecond: number }
  >
  erasure: { atOnce: number }
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
  onFault: LaneWork['onFault']
}): JobQueue {
  const { deadlineMs } = policy
  const backend =
    redisUrl === null
      ? createPostgresBackend({ databaseUrl, deadlineMs })
      : createRedisBackend({ url: redisUrl, deadlineMs })
  const producers = createProducers({ backend, deadlineMs, onFault: (error) => onFault(error, null) })

  return {
    kind: backend.kind,
    enqueue: createEnqueue({ producers, waitingMax, deadlineMs }),
    forget: (organisasjonsnummer) => forget(producers, organisasjonsnummer, deadlineMs),
    work(handlers, { registers, erasure }) {
      const working = lanes.map((lane) =>
        workLane({
          backend,
          lane,
          handlers,
          policy,
          onFault,
          ...(lane === 'utvisking' ? { atOnce: erasure.atOnce, callsPerSecond: null } : registers[lane]),
        }),
      )
      return {
        async close() {
          await Promise.all(working.map((lane) => lane.close()))
        },
      }
    },
    check: () => backend.prove(),
    async close() {
      await producers.close()
      await backend.close()
    },
  }
}

/** A refresh under way stays, and one that waits for it to end: what they fetch is for the cache to refuse. */
async function forget(producers: Producers, organisasjonsnummer: string, deadlineMs: number): Promise<void> {
  const { laneOf, keyOf } = jobs['refresh-company']
  await Promise.all(
    sections.map(async (seksjon: Section) => {
      const queue = await producers.of(laneOf({ seksjon }))
      const key = keyOf({ organisasjonsnummer, seksjon })
      const id = await withinDeadline(deadlineMs, queue.getDeduplicationJobId(key))
      if (id !== null) await withinDeadline(deadlineMs, queue.remove(id))
    }),
  )
}

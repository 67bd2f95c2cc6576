import { traced, whereTraced } from '#src/core/trace.ts'
import type { BackendQueue } from './backend.ts'
import { withinDeadline } from './deadline.ts'
import { publishQueueEvent } from './events.ts'
import { FAILED_KEPT, type JobLane, type JobName, jobs, type Payload } from './jobs.ts'
import type { Producers } from './producers.ts'

/** `refused`: the lane had no room; they are counted and forgotten. */
type Enqueued = { queued: number; refused: number }

export type Enqueue = ReturnType<typeof createEnqueue>

/** Adds jobs to their lanes, within each lane's bound. */
export function createEnqueue({
  producers,
  waitingMax,
  deadlineMs,
  nowMs = () => performance.now(),
}: {
  producers: Producers
  waitingMax: number
  deadlineMs: number
  nowMs?: () => number
}) {
  const counts = new Map<JobLane, { waiting: number; countedAtMs: number }>()

  /** How many more the lane takes. Counted anew every second, so the bound is kept roughly: several processes add. */
  async function roomIn(lane: JobLane, queue: BackendQueue, most: number): Promise<number> {
    let count = counts.get(lane)
    if (count === undefined || nowMs() - count.countedAtMs > COUNT_EVERY_MS) {
      count = { waiting: await withinDeadline(deadlineMs, queue.count()), countedAtMs: nowMs() }
      counts.set(lane, count)
    }
    return Math.max(0, most - count.waiting)
  }

  async function addTo<Name extends JobName>(
    lane: JobLane,
    name: Name,
    payloads: Payload<Name>[],
  ): Promise<Enqueued> {
    const queue = await producers.of(lane)
    const taken = payloads.slice(0, await roomIn(lane, queue, waitingMax * partFor(name, payloads)))
    for (let from = 0; from < taken.length; from += AT_ONCE) {
      const some = taken.slice(from, from + AT_ONCE)
      await withinDeadline(deadlineMs, queue.addBulk(some.map((payload) => describe(name, payload))))
    }
    const count = counts.get(lane)
    if (count !== undefined) count.waiting += taken.length
    const refused = payloads.length - taken.length
    if (refused > 0) publishQueueEvent({ kind: 'refused', lane, job: name, count: refused })
    return { queued: taken.length, refused }
  }

  /**
   * Adds all of them, or as many as there is room for. When it throws, some may have been added: adding them again is
   * harmless, since two of a kind are one.
   *
   * @throws QueueUnavailableError, QueueMayEvictError
   */
  return async function enqueue<Name extends JobName>(
    name: Name,
    payloads: readonly Payload<Name>[],
  ): Promise<Enqueued> {
    const laneOf = jobs[name].laneOf as (payload: Payload<Name>) => JobLane
    const total = { queued: 0, refused: 0 }
    for (const [lane, some] of Map.groupBy(payloads, laneOf)) {
      const { queued, refused } = await traced(
        'sending',
        `queue ${name}`,
        { lane, jobs: some.length },
        () => addTo(lane, name, some),
        { told: (added) => added },
      )
      total.queued += queued
      total.refused += refused
    }
    return total
  }
}

/** What a kind of job says of one of its jobs, where it does. */
function saidOf<Name extends JobName>(
  name: Name,
  what: 'priorityOf' | 'roomOf',
): ((payload: Payload<Name>) => number) | null {
  const job = jobs[name] as { [said in typeof what]?: (payload: Payload<Name>) => number }
  return job[what] ?? null
}

/** Of the bound of their lane, for all of them. */
function partFor<Name extends JobName>(name: Name, payloads: readonly Payload<Name>[]): number {
  const roomOf = saidOf(name, 'roomOf')
  if (roomOf === null) return 1
  return payloads.reduce((least, payload) => Math.min(least, roomOf(payload)), Number.POSITIVE_INFINITY)
}

const COUNT_EVERY_MS = 1000
/** Jobs in one command: some hundred kilobytes. */
const AT_ONCE = 500

function describe<Name extends JobName>(name: Name, payload: Payload<Name>) {
  const { attempts, backoffMs, keyOf, keepsFailed } = jobs[name]
  return {
    name,
    data: carrying(payload),
    opts: {
      attempts,
      priority: saidOf(name, 'priorityOf')?.(payload) ?? 0,
      backoff: { type: 'exponential', delay: backoffMs, jitter: 0.5 },
      // Nothing is kept of a job that is done: whom it was about is nobody's business any more.
      removeOnComplete: true,
      removeOnFail: keepsFailed ? FAILED_KEPT : true,
      stackTraceLimit: 0,
      deduplication: { id: (keyOf as (payload: Payload<Name>) => string)(payload), keepLastIfActive: true },
    },
  }
}

/** With where it comes from, when that is traced. */
function carrying<Name extends JobName>(payload: Payload<Name>): Payload<Name> {
  const spor = whereTraced()
  return spor === null ? payload : { ...payload, spor }
}

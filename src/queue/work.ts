import { type Job, UnrecoverableError } from 'bullmq'
import { Check } from 'typebox/value'
import { askedBy } from '#src/core/asker.ts'
import { OppslagError } from '#src/core/errors.ts'
import { traced } from '#src/core/trace.ts'
import { tellUnreadable } from '#src/core/unreadable.ts'
import { abortAfter, rest } from '#src/core/wait.ts'
import type { BackendWorker, Limiter, QueueBackend, WorkerOptions } from './backend.ts'
import { withinDeadline } from './deadline.ts'
import { publishQueueEvent } from './events.ts'
import type { createFaults } from './faults.ts'
import { type JobLane, type JobName, jobs, type Payload } from './jobs.ts'

/** One handler for each job; it may be run twice for one job, also at once. `signal`: the process is shutting down. */
export type Handlers = {
  [Name in JobName]: (payload: Payload<Name>, run: { signal: AbortSignal }) => Promise<void>
}

export type LaneWork = {
  backend: QueueBackend
  lane: JobLane
  atOnce: number
  limiter: Limiter | null
  handlers: Handlers
  policy: {
    deadlineMs: number
    retryMs: number
    retryMsMax: number
    lockMs: number
    finishMs: number
    closeMs: number
  }
  faults: Pick<ReturnType<typeof createFaults>, 'queue' | 'job'>
  /** Done before each worker is made. */
  onProved: () => Promise<void>
}

/**
 * Works off one lane until it is closed. Begins when the server can be used, however long that takes, and makes its
 * worker anew when an error would have BullMQ ask again without a pause.
 */
export function workLane(work: LaneWork): { close(): Promise<void> } {
  const { backend, lane, policy } = work
  const closed = new AbortController()
  const tellFault = (error: unknown) => work.faults.queue(error, lane)
  const running = run()

  async function run(): Promise<void> {
    for (let failures = 0; !closed.signal.aborted; failures += 1) {
      try {
        await backend.prove()
        await work.onProved()
        await workUntilBroken(() => {
          failures = 0
        })
      } catch (error) {
        tellFault(error)
      }
      const waitMs = Math.min(policy.retryMs * 2 ** Math.min(failures, 10), policy.retryMsMax)
      await rest(waitMs, closed.signal)
    }
  }

  /** Returns after the first error that needs a new worker, or when closed. */
  async function workUntilBroken(onReady: () => void): Promise<void> {
    if (closed.signal.aborted) return
    const stopped = new AbortController()
    const broken = Promise.withResolvers<void>()
    const end = () => broken.resolve()
    const worker = backend.openWorker(lane, optionsOf(work, stopped.signal))
    // Without a listener an error ends the process.
    worker.on('error', (error) => {
      tellFault(error)
      if (backend.isSpinning(error)) end()
    })
    closed.signal.addEventListener('abort', end)
    try {
      await withinDeadline(2 * policy.deadlineMs, worker.waitUntilReady())
      onReady()
      publishQueueEvent({ kind: 'working', lane, isWorking: true })
      await broken.promise
    } finally {
      closed.signal.removeEventListener('abort', end)
      publishQueueEvent({ kind: 'working', lane, isWorking: false })
      await closeWorker(worker, stopped)
    }
  }

  /** What is in progress is let finish, then told to stop, then left: its lock runs out, and another does it again. */
  async function closeWorker(worker: BackendWorker, stopped: AbortController): Promise<void> {
    const finished = abortAfter(policy.finishMs, stopped)
    try {
      await withinDeadline(policy.closeMs, worker.close())
    } catch {
      await withinDeadline(policy.deadlineMs, worker.getBackend().close(true)).catch(() => {})
    } finally {
      finished()
    }
  }

  return {
    async close() {
      closed.abort()
      await running
    },
  }
}

function optionsOf(
  { lane, atOnce, limiter, handlers, policy, faults }: LaneWork,
  signal: AbortSignal,
): WorkerOptions {
  return {
    atOnce,
    limiter,
    lockMs: policy.lockMs,
    process: async (job) => {
      const { name, payload, from } = read(job)
      const startedAtMs = performance.now()
      try {
        const work = () => (handlers[name] as Handlers[JobName])(payload as never, { signal })
        // Where readers are answered in the same process, what they wait for goes before this.
        const handle = () => askedBy(`arbeid ${lane}`, work)
        await traced('working', `job ${name}`, { lane, attempt: job.attemptsMade + 1 }, handle, { from })
        publishQueueEvent({ kind: 'done', lane, job: name, tookMs: performance.now() - startedAtMs })
      } catch (error) {
        faults.job(error, lane, name)
        const code = error instanceof OppslagError ? error.code : 'ukjent_feil'
        const isLast = job.attemptsMade + 1 >= jobs[name].attempts
        publishQueueEvent({ kind: 'failed', lane, job: name, code, isLast })
        // The queue keeps this text with the job: a code, and nothing anybody wrote.
        throw new Error(code)
      }
    },
  }
}

/** What stands in the queue may come from another release: it is read at this door like anything from outside. */
function read({ name, data }: Pick<Job, 'name' | 'data'>): {
  name: JobName
  payload: Payload<JobName>
  /** The step it was queued in, when that was traced. */
  from: string | null
} {
  if (!Object.hasOwn(jobs, name) || !Check(jobs[name as JobName].payload, data)) {
    tellUnreadable('jobb')
    throw new UnrecoverableError('ugyldig_jobb')
  }
  const { spor } = data as { spor?: unknown }
  return { name: name as JobName, payload: data, from: typeof spor === 'string' ? spor : null }
}

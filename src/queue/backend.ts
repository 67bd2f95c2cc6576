import type { Processor, Queue, Worker } from 'bullmq'
import { MINUTE_MS } from '#src/core/units.ts'
import type { JobLane, JobName, Payload } from './jobs.ts'

export type AnyPayload = Payload<JobName>

/** What is used of BullMQ's queue. It may fail to get ready, and then never will: it is to be closed and made anew. */
export type BackendQueue = Pick<
  Queue<AnyPayload, void, string>,
  | 'addBulk'
  | 'count'
  | 'getDeduplicationJobId'
  | 'getJobCounts'
  | 'isPaused'
  | 'remove'
  | 'setGlobalRateLimit'
  | 'waitUntilReady'
  | 'close'
> & { on(event: 'error', listener: (error: Error) => void): unknown }

/** What is used of BullMQ's worker. It fetches jobs from the moment it is made. */
export type BackendWorker = Pick<Worker<AnyPayload, void, string>, 'waitUntilReady' | 'close'> & {
  on(event: 'error', listener: (error: Error) => void): unknown
  getBackend(): { close(force?: boolean): Promise<void> }
}

/** So many jobs in so long, in milliseconds. May be changed while workers work. */
export type Limiter = { max: number; duration: number }

export type WorkerOptions = {
  process: Processor<AnyPayload, void, string>
  atOnce: number
  /** Over all workers of the lane, in whichever process; null for as many as come. Looked at before each job. */
  limiter: Limiter | null
  /** A job whose worker died is taken up by another after about twice this; jobs of its key wait as long. */
  lockMs: number
}

/** Where the queue lives: Redis, or PostgreSQL. Nothing is opened before it is asked for. */
export type QueueBackend = {
  readonly kind: 'redis' | 'postgresql'
  /**
   * Makes sure that the server can be used now and is fit for it. BullMQ's objects are made after this only: some of them
   * never get over a server that was away when they were made.
   *
   * @throws QueueUnavailableError, QueueMayEvictError, QueueRefusesError
   */
  prove(): Promise<void>
  openQueue(lane: JobLane): BackendQueue
  openWorker(lane: JobLane, options: WorkerOptions): BackendWorker
  /**
   * Brings back what is put off, or taken, for longer than anything ever is: it was dated by a clock that was ahead. Whoever's own is
   * not the server's leaves it. And makes room for what can not be asked for again, since its job was thrown away.
   *
   * @param lockMs for so long what was taken stays so: whoever has it and lives says that they do meanwhile
   */
  bringBack(lockMs: number): Promise<void>
  /**
   * Which of those that are kept since they failed for good are about this company. The server looks through them: a lane has a thousand
   * after a register's bad day, and to have them all sent takes as long as a company's erasure may.
   */
  failedAbout(lane: JobLane, organisasjonsnummer: string): Promise<string[]>
  /** True for an error after which a worker would ask again and again without a pause. */
  isSpinning(error: Error): boolean
  /**
   * Takes what jobs that are gone have left behind out of the server's own log on disk.
   *
   * @param mark of what is gone: for the same mark, by whichever process, it is done once
   * @throws what the server answers when it can not, or `signal`'s reason
   */
  rewriteLog(mark: string, signal: AbortSignal): Promise<'rewritten' | 'done before' | 'no log'>
  close(): Promise<void>
}

/** Longer than a window, a pause before another try, and the lock of a job. */
export const PUT_OFF_MS_MAX = 5 * MINUTE_MS

/** Clocks that differ by less are the same to whoever brings back. */
export const CLOCKS_DIFFER_MS = 10_000

/**
 * So that over any ten seconds no more are begun than ten seconds' share (rounded up), however they come and whoever takes them.
 *
 * BullMQ lets `max` through from the first on, and no more before `duration` is over. A second's share in a window of a second
 * would be two of them within a moment, where one window ends and the next begins: the windows are a fifth of a second, and a
 * little slower than the pace, by as much as stands at the edges and as what was taken may be late in being sent. Below ten a
 * second they come one by one, which has no edges.
 */
export function limiterOf(callsPerSecond: number): Limiter {
  const max = Math.max(1, Math.floor(callsPerSecond / 5))
  const most = max === 1 ? callsPerSecond : callsPerSecond * SHARE_USED
  // A server's clock has whole milliseconds: a window may seem over one too early.
  return { max, duration: Math.ceil((1000 * max) / most) + 1 }
}

/** Of ten seconds: fifty windows less the one that stands at the edge, and two for what was late. */
const SHARE_USED = 0.94

/** Lanes are named so in Redis and PostgreSQL. */
export function queueName(lane: JobLane): string {
  return `bedriftsoppslag-${lane}`
}

/** A job is taken up again so often when its process is killed: it goes on where that ended, and is seldom the reason. */
export const STALLS_MAX = 5

/** BullMQ tells of every step in a stream that nobody here reads, and that names companies: it is kept short. */
export const EVENTS_MAX = 100

/** Everybody who asks while `work` runs gets the same answer: five lanes find out together that a server is away. */
export function together<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}

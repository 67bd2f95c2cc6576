import type { Log } from '#src/core/log.ts'
import type { JobQueue } from '#src/queue/open-queue.ts'
import type { Database } from '#src/storage/database.ts'
import { erasuresMark } from '#src/storage/tombstones.ts'

/** By this name erasures note that the queue has forgotten a company. */
export const QUEUE_PLACE = 'ko'

/**
 * The queue's Redis writes down on disk what it is told, also the numbers of companies that jobs were about: after erasures it
 * writes its log anew, without what is gone. What was erased since the last look waits for the next, when the job that
 * erased it is gone as well: a company is out of the log after two looks at the latest, and there is one rewrite in that time.
 * Safe to run twice, in any number of processes: Redis remembers for which erasures it was done.
 */
export function createQueueLogCleaner(work: {
  database: Database
  queue: Pick<JobQueue, 'rewriteLog'>
  log: Log
}): (signal: AbortSignal) => Promise<void> {
  let seen: string | null = null
  return async (signal) => {
    const mark = await erasuresMark(work.database, QUEUE_PLACE)
    const isSettled = mark === seen
    seen = mark
    if (!isSettled || mark === NONE) return
    const outcome = await work.queue.rewriteLog(mark, signal)
    if (outcome === 'rewritten') work.log.info("the queue's log was written anew after erasures")
  }
}

const NONE = '0-0'

import { channel } from 'node:diagnostics_channel'
import type { JobLane, JobName } from './jobs.ts'

/** What the queue does, for whoever counts. No event names a company. */
export type QueueEvent =
  | { kind: 'refused'; lane: JobLane; job: JobName; count: number }
  | { kind: 'done'; lane: JobLane; job: JobName; tookMs: number }
  /** `isLast`: there are no attempts left. */
  | { kind: 'failed'; lane: JobLane; job: JobName; code: string; isLast: boolean }
  | { kind: 'working'; lane: JobLane; isWorking: boolean }

export const QUEUE_CHANNEL = 'bedriftsoppslag:queue'

const queueChannel = channel(QUEUE_CHANNEL)

export function publishQueueEvent(event: QueueEvent): void {
  if (queueChannel.hasSubscribers) queueChannel.publish(event)
}

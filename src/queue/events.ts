import { channel } from 'node:diagnostics_channel'
import type { JobName, Lane } from './jobs.ts'

/** What the queue does, for whoever counts. No event names a company. */
export type QueueEvent =
  | { kind: 'refused'; lane: Lane; job: JobName; count: number }
  | { kind: 'done'; lane: Lane; job: JobName; tookMs: number }
  /** `isLast`: there are no attempts left. */
  | { kind: 'failed'; lane: Lane; job: JobName; code: string; isLast: boolean }
  | { kind: 'working'; lane: Lane; isWorking: boolean }

export const QUEUE_CHANNEL = 'bedriftsoppslag:queue'

const queueChannel = channel(QUEUE_CHANNEL)

export function publishQueueEvent(event: QueueEvent): void {
  if (queueChannel.hasSubscribers) queueChannel.publish(event)
}

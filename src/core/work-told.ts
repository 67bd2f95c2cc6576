import { channel } from 'node:diagnostics_channel'

/** How one run ended of work that a process does now and then; its name is the one in the log. */
export type WorkTold = { work: string; isDone: boolean }

/** Listeners get a `WorkTold`, synchronously. */
export const WORK_CHANNEL = 'bedriftsoppslag:work'

const works = channel(WORK_CHANNEL)

export function tellWork(told: WorkTold): void {
  if (works.hasSubscribers) works.publish(told)
}

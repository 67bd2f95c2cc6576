import { channel } from 'node:diagnostics_channel'

/** How one run ended of work that a process does now and then, or one of what runs found due. Its name is the one in the log, up to a colon. */
export type WorkTold = { work: string; isDone: boolean }

/** Listeners get a `WorkTold`, synchronously. */
export const WORK_CHANNEL = 'bedriftsoppslag:work'

const works = channel(WORK_CHANNEL)

const begun = new Set<string>()

/** Before its first run. */
export function beginWork(work: string): void {
  begun.add(work)
}

/** By name, what has been begun in this process, whether any of it has ended yet. */
export function worksBegun(): ReadonlySet<string> {
  return begun
}

export function tellWork(told: WorkTold): void {
  if (works.hasSubscribers) works.publish(told)
}

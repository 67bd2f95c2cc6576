import { channel } from 'node:diagnostics_channel'

/** Listeners get the name of the source that has said of a company that it is removed on legal grounds (410), synchronously. */
export const REMOVAL_CHANNEL = 'bedriftsoppslag:removal'

const removals = channel(REMOVAL_CHANNEL)

export function tellRemoval(source: string): void {
  if (removals.hasSubscribers) removals.publish(source)
}

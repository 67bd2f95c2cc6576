import { isatty } from 'node:tty'

/**
 * Who tells a whole group of processes to end is heard from the group, and from npm or whoever else hands it on: a signal that comes
 * again within this has been sent once. Later it is somebody in haste.
 */
const SAME_SIGNAL_MS = 1000

/** @returns whether being told to end is somebody's haste by now; asked for the first time when it was first told */
export function fromFirstSignal(): () => boolean {
  const until = performance.now() + SAME_SIGNAL_MS
  return () => performance.now() > until
}

/** SIGHUP says of a terminal that it was closed, which ends what runs in it. To who has none it says that the log's file is another. */
export function hasTerminal(): boolean {
  return isatty(0) || isatty(1)
}

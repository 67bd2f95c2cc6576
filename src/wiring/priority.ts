import { readdirSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

/**
 * On a machine that this process shares with fronts, readers come first: whenever both have something to do at once, it is their
 * turn. What is done here waits for registers and receivers most of its time, and is in no hurry for milliseconds; it keeps a share
 * also beside fronts that are never idle (P140). Where each has a group of its own (systemd's units, containers), the groups'
 * weights decide instead.
 */
export function comeAfterReaders(): void {
  if (getPriority() >= LOWER) return
  for (const thread of threads()) {
    try {
      setPriority(thread, LOWER)
    } catch {
      // One that has just ended.
    }
  }
}

/** A third of the weight: beside one front that is never idle a quarter of a core (335 of 1,359). */
const LOWER = 5

/** Linux keeps a priority for each thread, and Node's own run already. What is started later has that of whoever starts it. */
function threads(): number[] {
  try {
    return readdirSync('/proc/self/task').map(Number)
  } catch {
    return [process.pid]
  }
}

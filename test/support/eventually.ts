import { setTimeout as pause } from 'node:timers/promises'

/**
 * Waits until the claim holds, looking often; fails with `what` when it never does. The time is for the busiest machine and
 * no promise: how soon what is promised holds is measured by the bench (feed, outages). It is less than the minute in which
 * processes find out by themselves what they were not told.
 */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 30_000,
): Promise<void> {
  const begunAt = Date.now()
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs = Date.now() - begunAt) {
    if (await holds()) return
    // To look takes time from what is waited for: the longer that takes already, the less often.
    await pause(Math.min(5 + waitedMs / 10, 250))
  }
  throw new Error(`not within ${withinMs} ms: ${what}`)
}

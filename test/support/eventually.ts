import { setTimeout as pause } from 'node:timers/promises'

/** Waits until the claim holds, looking often; fails with `what` when it never does. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 10_000,
): Promise<void> {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await pause(10)) {
    if (await holds()) return
  }
  throw new Error(`not within ${withinMs} ms: ${what}`)
}

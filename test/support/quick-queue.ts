import { type JobQueue, openQueue, type Pace } from '#src/queue/open-queue.ts'
import { everyLane } from './register-paces.ts'

/** Of a queue that tries again at once, and gives up no sooner than a busy machine needs. */
export const quickPolicy = {
  deadlineMs: 5000,
  retryMs: 20,
  retryMsMax: 200,
  quietMs: 200,
  bringBackEveryMs: 50,
  // Long enough for a busy machine: a job whose lock runs out while it is worked on is done twice, as is promised.
  lockMs: 5000,
  finishMs: 100,
  closeMs: 5000,
}

/** Four at once in every lane. `callsPerSecond`: to each register. */
export const paceOf = (callsPerSecond: number): Pace => ({
  registers: everyLane({ atOnce: 4, callsPerSecond }),
  erasure: { atOnce: 4 },
  sales: { atOnce: 4 },
  batches: { atOnce: 4 },
  push: { endpointsAtOnce: 4, endpointsApartAtOnce: 4 },
})

/** A queue in this Redis alone. */
export function openQuickQueue(redisUrl: string, { waitingMax }: { waitingMax: number }): JobQueue {
  return openQueue({
    redisUrl,
    databaseUrl: 'postgres://127.0.0.1:1/none',
    waitingMax,
    policy: quickPolicy,
    onFault: () => {},
  })
}

import type { Clock } from '#src/core/clock.ts'
import type { Database } from '#src/storage/database.ts'
import { fanOut } from '#src/storage/push/fan-out.ts'
import { dueEndpoints } from '#src/storage/push/sending.ts'
import { removeOldDeliveries, removeRested, restWithoutKey } from '#src/storage/push/upkeep.ts'
import { createDeliver, type DeliverPolicy } from './deliver.ts'

export type PushWork = ReturnType<typeof createPushWork>

/** What goes on behind the front for endpoints. Any number of processes may: whatever is taken up is taken up by one. */
export function createPushWork({
  db,
  clock,
  follow,
  mayRemove,
  policy,
  ...sending
}: Omit<Parameters<typeof createDeliver>[0], 'policy'> & {
  db: Database
  clock: Clock
  /** Told of each change that is written, as PostgreSQL tells it. */
  follow: (onTold: () => void) => { close(): Promise<void> }
  /** Whether it is sure enough what time it is to take away for good what its owner has made. */
  mayRemove: () => Promise<boolean>
  policy: DeliverPolicy & {
    fanOutChangesMax: number
    fanOutDeliveriesMax: number
    sweepEndpointsMax: number
    deliveriesKeptMs: number
    endpointsRestMs: number
    deliveriesOfTestMax: number
    testEndpointsAtOnce: number
    removedAtOnce: number
  }
}) {
  return {
    ...createDeliver({ db, clock, policy, ...sending }),
    follow,
    fanOut: () =>
      fanOut(db, { changesMax: policy.fanOutChangesMax, deliveriesMax: policy.fanOutDeliveriesMax }),
    due: () => dueEndpoints(db, policy.sweepEndpointsMax),
    async upkeep(): Promise<void> {
      await restWithoutKey(db, clock.now())
      const { removedAtOnce: atOnce } = policy
      await removeOldDeliveries(db, { ...policy, atOnce })
      if (await mayRemove()) await removeRested(db, policy)
    },
  }
}

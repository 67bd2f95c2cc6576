import { policy } from '#config/policy.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Queryable } from '#src/storage/database.ts'
import { clockAheadOf } from '#src/storage/processes.ts'

export type ClockWatch = ReturnType<typeof createClockWatch>

/** How far this process' clock is from PostgreSQL's, which all processes have in common. */
export function createClockWatch(database: Queryable, clock: Clock) {
  let aheadMs: number | null = null
  return {
    /** @throws what the database throws; what was known stays so */
    async look(): Promise<void> {
      aheadMs = await clockAheadOf(database, clock.now, { withinMs: policy.ops.clockSkewMaxMs })
    },

    /** Null: not known. */
    aheadMs: () => aheadMs,
  }
}

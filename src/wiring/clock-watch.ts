import { policy } from '#config/policy.ts'
import type { Clock } from '#src/core/clock.ts'
import { OppslagError } from '#src/core/errors.ts'
import { type Queryable, StorageUnavailableError } from '#src/storage/database.ts'
import { clockAheadOf } from '#src/storage/processes.ts'

export type ClockWatch = ReturnType<typeof createClockWatch>

/** The cause of what is dated by nobody now. */
class TimeUnknownError extends OppslagError {
  constructor(aheadMs: number | null) {
    const why =
      aheadMs === null ? 'has not been heard' : `and this process' differ by ${Math.round(aheadMs)} ms`
    super('tiden_er_ukjent', `it is not known what time it is: PostgreSQL's clock ${why}`)
  }
}

/** How far this process' clock is from PostgreSQL's, which all processes have in common. */
export function createClockWatch(database: Queryable, clock: Clock) {
  let aheadMs: number | null = null
  /** What was measured last: a clock that is set between two looks changes nothing of it. */
  let heard: { aheadMs: number; commonMs: number; atMs: number } | null = null
  return {
    /** @throws what the database throws; what was known stays so */
    async look(): Promise<void> {
      aheadMs = await clockAheadOf(database, clock.now, { withinMs: policy.ops.clockSkewMaxMs })
      if (aheadMs !== null)
        heard = { aheadMs, commonMs: clock.now().getTime() - aheadMs, atMs: performance.now() }
    },

    /** Null: not known. */
    aheadMs: () => aheadMs,

    /**
     * The time all processes have in common, PostgreSQL's, whatever this process' clock says. Not when they are so far apart that
     * one of them is broken: nobody can say which, and what is over would be cancelled and removed by it.
     *
     * @throws StorageUnavailableError
     */
    common: {
      now(): Date {
        if (heard === null || Math.abs(heard.aheadMs) > policy.ops.clockBrokenMs)
          throw new StorageUnavailableError(new TimeUnknownError(heard?.aheadMs ?? null))
        return new Date(heard.commonMs + performance.now() - heard.atMs)
      },
    } satisfies Clock,
  }
}

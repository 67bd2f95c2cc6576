import { policy } from '#config/policy.ts'
import type { Clock } from '#src/core/clock.ts'
import { OppslagError } from '#src/core/errors.ts'
import { type Queryable, StorageUnavailableError } from '#src/storage/database.ts'
import { databaseTime, wasCountedADayAgo } from '#src/storage/processes.ts'

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
  /** Since when PostgreSQL's has gone on as time does, as far as this process has heard. */
  let steadySinceMs: number | null = null
  const isBroken = () => heard !== null && Math.abs(heard.aheadMs) > policy.ops.clockBrokenMs
  const commonMs = ({ commonMs, atMs }: NonNullable<typeof heard>) => commonMs + performance.now() - atMs

  async function look(): Promise<void> {
    const told = await databaseTime(database, { withinMs: policy.ops.clockSkewMaxMs })
    aheadMs = told && clock.now().getTime() - told.commonMs
    if (told === null || aheadMs === null) return
    const { commonMs, atMs } = heard ?? told
    const wasSet = Math.abs(told.commonMs - commonMs - (told.atMs - atMs)) > policy.ops.clockBrokenMs
    if (steadySinceMs === null || wasSet) steadySinceMs = told.atMs
    heard = { ...told, aheadMs }
  }

  return {
    /** @throws what the database throws; what was known stays so */
    look,

    /** Null: not known. */
    aheadMs: () => aheadMs,

    /**
     * Whether what is over may be taken away for good: by a clock that has gone on for nearly a day, as this process has heard or as
     * somebody who counted then has left it. One that is set ahead by more, and back within that time, has cost nothing (P194).
     *
     * @throws what the database throws
     */
    async hasStood(): Promise<boolean> {
      await look()
      if (steadySinceMs === null || isBroken()) return false
      return performance.now() - steadySinceMs >= policy.ops.clockStoodMs || wasCountedADayAgo(database)
    },

    /** Whether what is sold, due and over can be dated now. */
    isTimeKnown: () => heard !== null && !isBroken(),

    /**
     * The time all processes have in common, PostgreSQL's, whatever this process' clock says. Not when they are so far apart that
     * one of them is broken: nobody can say which, and what is over would be cancelled and removed by it.
     *
     * @throws StorageUnavailableError
     */
    common: {
      now(): Date {
        if (heard === null || isBroken())
          throw new StorageUnavailableError(new TimeUnknownError(heard?.aheadMs ?? null))
        return new Date(commonMs(heard))
      },
    } satisfies Clock,

    /**
     * The same for what goes on whatever the clocks say. While one of them is broken it is what the earlier of the two says, so that
     * nobody's key ends, and nothing is removed, before its time; until PostgreSQL's has been heard it is this process' own.
     */
    lenient: {
      now(): Date {
        if (heard === null) return clock.now()
        const common = commonMs(heard)
        return new Date(isBroken() ? Math.min(common, clock.now().getTime()) : common)
      },
    } satisfies Clock,
  }
}

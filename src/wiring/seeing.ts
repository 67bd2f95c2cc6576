import { policy } from '#config/policy.ts'
import type { Clock } from '#src/core/clock.ts'
import { DAY_MS } from '#src/core/units.ts'
import { type Overview, readOverview } from '#src/ops/overview.ts'
import type { Tunable } from '#src/ops/tunables.ts'
import { readTuningState, type TuningState } from '#src/ops/tuning.ts'
import { costOfTuning, type TuningCost } from '#src/ops/tuning-cost.ts'
import type { JobQueue } from '#src/queue/open-queue.ts'
import { isAboutCompanies } from '#src/sources/index.ts'
import { laneOf } from '#src/sources/lanes.ts'
import { countSales } from '#src/storage/customers.ts'
import { type Database, takesWrites } from '#src/storage/database.ts'
import { readProcessEnds } from '#src/storage/process-ends.ts'
import { aliveProcesses, minutesSince } from '#src/storage/processes.ts'
import { readPushState } from '#src/storage/push/upkeep.ts'

/** What operators can see of all processes: at the operators' side of one of them and by the oppslag command. */
export type Seeing = {
  overview(): Promise<Overview>
  tuning(): Promise<TuningState>
  /** What the last day would have cost with another value. @throws InputError, StorageUnavailableError */
  cost(name: string, value: number): Promise<TuningCost>
}

/** Sees what stands in PostgreSQL, and how deep the queues are. */
export function openSeeing({
  database,
  queue,
  tunables,
  clock,
}: {
  database: Database
  queue: Pick<JobQueue, 'depths'>
  tunables: readonly Tunable[]
  clock: Clock
}): Seeing {
  const { ops } = policy
  const minutes = (since: Date) => minutesSince(database, since, ops.minuteRowsMax)
  const tuning = () => readTuningState(database, tunables)
  return {
    tuning,
    overview: () =>
      readOverview({
        clock,
        takesWrites: () => takesWrites(database),
        processes: () => aliveProcesses(database, { aliveMs: ops.aliveMs, limit: ops.processesMax }),
        minutesSince: minutes,
        sales: (at) => countSales(database, at),
        push: () => readPushState(database),
        tuning,
        ends: () => readProcessEnds(database),
        depths: queue.depths,
        budgetOf: (source, state) => budgetOf(source, state, tunables),
        policy: ops,
      }),
    async cost(name, value) {
      const now = clock.now()
      const [rows, { current }] = await Promise.all([minutes(new Date(now.getTime() - DAY_MS)), tuning()])
      return costOfTuning(rows, { name, value, tuning: current.verdier, now }, tunables)
    },
  }
}

/** A source's background budget is its lane's; null for what has none, like the search. */
function budgetOf(source: string, { current }: TuningState, tunables: readonly Tunable[]): number | null {
  if (!isAboutCompanies(source)) return null
  const name = `${laneOf(source)}.kall` as const
  return current.verdier[name] ?? tunables.find((each) => each.name === name)?.standard ?? null
}

import { readEnvironment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { createCache } from '#src/cache/cache.ts'
import { createMemoryTier } from '#src/cache/memory-tier.ts'
import { type Clock, systemClock } from '#src/core/clock.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { SeenCompany } from '#src/ops/company.ts'
import { type Overview, readOverview } from '#src/ops/overview.ts'
import type { Steering } from '#src/ops/steering.ts'
import { type Tunable, type TunedBudget, tunablesOf } from '#src/ops/tunables.ts'
import { readTuningState, type TuningState } from '#src/ops/tuning.ts'
import { costOfTuning, type TuningCost } from '#src/ops/tuning-cost.ts'
import { type Depth, openQueue } from '#src/queue/open-queue.ts'
import { STORED_SCHEMA_VERSION } from '#src/record/stored-answer.ts'
import { countSales } from '#src/storage/customers.ts'
import type { Database } from '#src/storage/database.ts'
import { openStorage } from '#src/storage/open-storage.ts'
import { aliveProcesses, minutesSince } from '#src/storage/processes.ts'
import { budgetOfSource } from './budget-of-source.ts'
import { openSharedTier } from './shared-cache.ts'
import { companyLook, openSteering } from './steering.ts'
import { defaultsOf } from './tuning.ts'

/** What a command works with: the same functions as the operators' side of a process. */
export type CommandGround = {
  database: Database
  clock: Clock
  steering: Steering
  tunables: readonly Tunable[]
  tuning(): Promise<TuningState>
  cost(name: string, value: number): Promise<TuningCost>
  overview(): Promise<Overview>
  /** What all processes share of a company. What each has in its own memory is seen at its operators' side. */
  look(orgnr: Organisasjonsnummer): Promise<SeenCompany>
  depths(): Promise<Depth[]>
}

/** Opens what the environment names for as long as `work` runs, beside whatever processes run on it. */
export async function withCommandGround<T>(
  env: Readonly<Record<string, string | undefined>>,
  work: (ground: CommandGround) => Promise<T>,
): Promise<T> {
  const environment = readEnvironment(env)
  const { databaseUrl, dataDir, cacheRedisUrl, queueRedisUrl } = environment
  const clock = systemClock
  const storage = await openStorage({ databaseUrl, dataDir, applicationName: 'oppslag command', poolMax: 4 })
  const queue = openQueue({
    redisUrl: queueRedisUrl,
    databaseUrl: storage.url,
    waitingMax: policy.refresh.waitingMax,
    policy: policy.queue,
    onFault: () => {},
  })
  const shared = openSharedTier(cacheRedisUrl, clock)
  const cache = createCache({
    memory: createMemoryTier({ bytesMax: 1, companyBytesMax: 1, isErased: () => false }),
    ...shared,
    schemaVersion: STORED_SCHEMA_VERSION,
    policy: policy.cache,
    tombstones: { isErased: () => false, learned: () => {} },
    isOutage: () => false,
    onStale: () => {},
  })
  const { database } = storage
  const defaults = defaultsOf(environment)
  const tunables = tunablesOf(defaults)
  const tuning = () => readTuningState(database, tunables)
  try {
    await shared.redis?.isReady(policy.cache.redisChangeMs)
    return await work({
      database,
      clock,
      tunables,
      tuning,
      steering: openSteering({ storage, queue, cache, tuning: { tunables }, clock }),
      async cost(name, value) {
        const now = clock.now()
        const since = new Date(now.getTime() - DAY_MS)
        const rows = await minutesSince(database, since, policy.ops.minuteRowsMax)
        const { current } = await tuning()
        return costOfTuning(rows, { name, value, tuning: current.verdier, now }, tunables)
      },
      overview: () =>
        readOverview({
          clock,
          processes: () =>
            aliveProcesses(database, { aliveMs: policy.ops.aliveMs, limit: policy.ops.processesMax }),
          minutesSince: (since) => minutesSince(database, since, policy.ops.minuteRowsMax),
          sales: (at) => countSales(database, at),
          tuning,
          depths: queue.depths,
          budgetOf: (source, { current }) => {
            const lane = budgetOfSource(source)
            return lane === null ? null : (current.verdier[`${lane}.kall`] ?? standardOf(tunables, lane))
          },
          policy: policy.ops,
        }),
      look: companyLook({ database, cache, clock }),
      depths: queue.depths,
    })
  } finally {
    await cache.close()
    await queue.close()
    await storage.close()
  }
}

const DAY_MS = 24 * 60 * 60_000

function standardOf(tunables: readonly Tunable[], budget: TunedBudget): number | null {
  return tunables.find(({ name }) => name === `${budget}.kall`)?.standard ?? null
}

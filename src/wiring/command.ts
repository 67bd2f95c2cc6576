import { readEnvironment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { type Clock, systemClock } from '#src/core/clock.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { SeenCompany } from '#src/ops/company.ts'
import type { Steering } from '#src/ops/steering.ts'
import { type Tunable, tunablesOf } from '#src/ops/tunables.ts'
import { type Depth, openQueue } from '#src/queue/open-queue.ts'
import type { Database } from '#src/storage/database.ts'
import { createClockWatch } from './clock-watch.ts'
import { openCommandStorage } from './command-storage.ts'
import { openSeeing, type Seeing } from './seeing.ts'
import { openSharedCache } from './shared-cache.ts'
import { companyLook, openSteering } from './steering.ts'

/** What a command works with: the same functions as the operators' side of a process. */
export type CommandGround = Seeing & {
  database: Database
  clock: Clock
  steering: Steering
  tunables: readonly Tunable[]
  /** Whether the Redis they share it in can be asked; also where there is none. */
  isCacheThere: boolean
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
  const storage = await openCommandStorage({ databaseUrl, dataDir, poolMax: 4 })
  const queue = openQueue({
    redisUrl: queueRedisUrl,
    databaseUrl: storage.url,
    waitingMax: policy.refresh.waitingMax,
    policy: policy.queue,
    onFault: () => {},
  })
  const { cache, ready } = openSharedCache(cacheRedisUrl, systemClock)
  const { database } = storage
  const clocks = createClockWatch(database, systemClock)
  // As the service dates by it, whatever the clock of this machine says.
  const clock = clocks.lenient
  const tunables = tunablesOf(environment)
  try {
    const [isCacheThere] = await Promise.all([ready(), clocks.look().catch(() => {})])
    return await work({
      isCacheThere,
      database,
      clock,
      tunables,
      ...openSeeing({ database, queue, tunables, clock }),
      steering: openSteering({ storage, queue, cache, tuning: { tunables }, clock }),
      look: companyLook({ database, cache, clock }),
      depths: queue.depths,
    })
  } finally {
    await cache.close()
    await queue.close()
    await storage.close()
  }
}

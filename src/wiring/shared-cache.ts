import { policy } from '#config/policy.ts'
import { createBus } from '#src/cache/bus.ts'
import { createCache } from '#src/cache/cache.ts'
import { publishCacheEvent } from '#src/cache/events.ts'
import { createMemoryTier } from '#src/cache/memory-tier.ts'
import { createRedisTier } from '#src/cache/redis-tier.ts'
import { type Clock, systemClock } from '#src/core/clock.ts'
import { obey } from '#src/ops/cache-orders.ts'
import { STORED_SCHEMA_VERSION } from '#src/record/stored-answer.ts'
import type { CacheOrder } from '#src/storage/cache-orders.ts'

/** The tier the processes share and the line on which they tell each other of changes; both null without a Redis. */
export function openSharedTier(url: string | null, clock: Clock) {
  if (url === null) return { redis: null, bus: null }
  const { cache: bounds } = policy
  const common = { url, schemaVersion: STORED_SCHEMA_VERSION, onEvent: publishCacheEvent }
  return {
    redis: createRedisTier({
      ...common,
      answerMs: bounds.redisAnswerMs,
      changeMs: bounds.redisChangeMs,
      leaseMs: bounds.leaseMs,
      generationKeepMs: bounds.generationKeepMs,
      failuresMax: bounds.redisFailuresMax,
      probeEveryMs: bounds.redisProbeEveryMs,
    }),
    bus: createBus({ ...common, clock, heartbeatMs: bounds.busHeartbeatMs }),
  }
}

/**
 * What the processes share as a command sees it, which holds no companies itself and fetches none. The processes that do are
 * told by the tier. `ready` waits until the tier can be asked, as long as that is worth waiting for, and says whether it can.
 */
export function openSharedCache(url: string | null, clock: Clock) {
  const shared = openSharedTier(url, clock)
  const cache = createCache({
    memory: createMemoryTier({ bytesMax: 1, companyBytesMax: 1, isErased: () => false }),
    ...shared,
    schemaVersion: STORED_SCHEMA_VERSION,
    policy: policy.cache,
    tombstones: { isErased: () => false, learned: () => {} },
    isOutage: () => false,
  })
  return { cache, ready: async () => (await shared.redis?.isReady(policy.cache.redisChangeMs)) ?? true }
}

/**
 * Carries out an order on the shared tier alone. Where there is none (null), nothing is to be done.
 *
 * @throws CacheUnavailableError
 */
export async function orderSharedCache(url: string | null, order: CacheOrder): Promise<void> {
  if (url === null) return
  const { cache, ready } = openSharedCache(url, systemClock)
  try {
    await ready()
    await obey(cache, order)
  } finally {
    await cache.close()
  }
}

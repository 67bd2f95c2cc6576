import type { Cache } from '#src/cache/cache.ts'
import type { Log } from '#src/core/log.ts'
import { createRepeat } from '#src/core/repeat.ts'
import type { CacheOrder } from '#src/storage/cache-orders.ts'

type Numbered = CacheOrder & { number: number }

/** Carries out one order on a cache: in this process, and in the shared tier where there is one. May be done twice. */
export async function obey(cache: Pick<Cache, 'purge' | 'purgeAll'>, order: CacheOrder): Promise<void> {
  const { company, isHard: hard } = order
  const sections = order.sections ?? 'all'
  if (company.length === 9) await cache.purge(company, { hard, sections })
  else await cache.purgeAll({ hard, sections, prefix: company })
}

/**
 * Follows the operators' orders in PostgreSQL, so that they reach processes that share nothing else. What was ordered before
 * this process began is not about anything it holds.
 */
export function createCacheOrders(options: {
  newest: () => Promise<number>
  after: (number: number, limit: number) => Promise<Numbered[]>
  cache: Pick<Cache, 'purge' | 'purgeAll'>
  log: Log
  policy: { lookEveryMs: number; pageSize: number }
}) {
  const { log, policy } = options
  let obeyedTo: number | null = null
  const onFault = (error: unknown) =>
    log.warn({ err: error }, 'orders to the cache could not be read or carried out; trying again')
  const { start, close } = createRepeat({ everyMs: policy.lookEveryMs, onFault }, async () => {
    obeyedTo ??= await options.newest()
    for (const order of await options.after(obeyedTo, policy.pageSize)) {
      await obey(options.cache, order)
      obeyedTo = order.number
    }
  })
  return { start, close }
}

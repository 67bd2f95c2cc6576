import type { Cache } from '#src/cache/cache.ts'
import { CacheUnavailableError } from '#src/cache/errors.ts'
import type { Log } from '#src/core/log.ts'
import { createRepeat } from '#src/core/repeat.ts'
import type { CacheOrder, OrderPlace } from '#src/storage/cache-orders.ts'

type Placed = CacheOrder & OrderPlace

/** Carries out one order on a cache: in this process, and in the shared tier where there is one. May be done twice. */
export async function obey(cache: Pick<Cache, 'purge' | 'purgeAll'>, order: CacheOrder): Promise<void> {
  const { company, isHard: hard } = order
  const sections = order.sections ?? 'all'
  if (company.length === 9) await cache.purge(company, { hard, sections })
  else await cache.purgeAll({ hard, sections, prefix: company })
}

/** The cache that orders are carried out on, with what is noted of them in the tier the processes share. */
type Ordered = Pick<Cache, 'purge' | 'purgeAll' | 'isShared' | 'isSharedWithin' | 'readNote' | 'writeNote'>

/**
 * Follows the operators' orders in PostgreSQL, so that they reach processes that share nothing else. What was ordered before this
 * process began is about nothing its memory holds. The tier it shares may still hold it, where nobody who heard the order could reach
 * that: there it goes on from the last that is known to have been carried out, or with all of the last day (P21).
 */
export function createCacheOrders(options: {
  newest: () => Promise<{ newest: OrderPlace; pastWaiting: OrderPlace }>
  after: (place: OrderPlace, limit: number) => Promise<Placed[]>
  cache: Ordered
  log: Log
  policy: { lookEveryMs: number; pageSize: number; sharedWithinMs: number; notedMs: number }
}) {
  const { cache, log, policy } = options
  let obeyedTo: OrderPlace | null = null
  /** As far as memory goes, which need not be gone through each time that the shared tier is found to be away. */
  let triedTo = 0
  const onFault = (error: unknown) =>
    log.warn({ err: error }, 'orders to the cache could not be read or carried out; trying again')
  const { start, close } = createRepeat({ everyMs: policy.lookEveryMs, onFault }, async () => {
    if (obeyedTo === null) {
      const { newest, pastWaiting } = await options.newest()
      triedTo = newest.number
      obeyedTo =
        cache.isShared() === null ? newest : ((await notedIn(cache, policy.sharedWithinMs)) ?? pastWaiting)
    }
    const orders = await options.after(obeyedTo, policy.pageSize)
    for (const order of orders) {
      const { number, at } = order
      if (number <= triedTo && cache.isShared() === false)
        throw new CacheUnavailableError('an order', 'unreachable')
      triedTo = number
      await obey(cache, order)
      obeyedTo = { number, at }
    }
    if (orders.length > 0) await cache.writeNote(NOTE, `${obeyedTo.number} ${obeyedTo.at}`, policy.notedMs)
  })
  return { start, close }
}

/** The last order that somebody has carried out on the shared tier; null when that is not known there, or can not be asked. */
async function notedIn(
  cache: Pick<Ordered, 'isSharedWithin' | 'readNote'>,
  withinMs: number,
): Promise<OrderPlace | null> {
  await cache.isSharedWithin(withinMs)
  const note = /^(\d{1,15}) (\d{1,20})$/.exec((await cache.readNote(NOTE)) ?? '')
  return note && { number: Number(note[1]), at: note[2] ?? '' }
}

const NOTE = 'ordre'

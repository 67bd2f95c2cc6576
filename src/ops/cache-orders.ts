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
 * process began is about nothing its memory holds; where it could not be asked then, it carries out all of the last day. The tier it
 * shares may still hold it, where nobody who heard the order could reach that: there it goes on from the last that is known to have been
 * carried out, or with all of the last day (P21). So it does where the tier knows of fewer than it has been told: another has taken its
 * place, which had not heard of the last, or holds what it once held.
 */
export function createCacheOrders(options: {
  newest: () => Promise<{ newest: OrderPlace; pastWaiting: OrderPlace }>
  after: (place: OrderPlace, limit: number) => Promise<Placed[]>
  cache: Ordered
  log: Log
  policy: { lookEveryMs: number; pageSize: number; sharedWithinMs: number; notedMs: number }
}) {
  const { cache, log, policy } = options
  let reached: Reached | null = null
  let isLate = false
  let forgotten = 0
  const onFault = (error: unknown) => {
    isLate ||= reached === null
    log.warn({ err: error }, 'orders to the cache could not be read or carried out; trying again')
  }
  const { start, close } = createRepeat({ everyMs: policy.lookEveryMs, onFault }, async () => {
    reached ??= await begin()
    const before = reached.obeyed
    const noted = await readNoted(cache)
    if (noted !== null && noted.number < reached.obeyed.number) reached.obeyed = noted
    try {
      await obeyNew(reached)
      if (isBehind(reached)) await catchUp(reached)
    } finally {
      const { obeyed } = reached
      // Where it could not be asked there may be one, which says that it knows of fewer.
      const onlyFirst = noted === null
      if (obeyed !== before || onlyFirst)
        await cache.writeNote(NOTE, `${obeyed.number} ${obeyed.at}`, policy.notedMs, { onlyFirst })
    }
  })

  async function begin(): Promise<Reached> {
    const { newest, pastWaiting } = await options.newest()
    if (isLate) await forgetSince(pastWaiting)
    const isAlone = cache.isShared() === null
    const obeyed = isAlone ? newest : ((await notedIn(cache, policy.sharedWithinMs)) ?? pastWaiting)
    return { heard: newest, obeyed }
  }

  /** What was ordered while it could not begin may be about what its memory holds since. The shared tier is told beside it. */
  async function forgetSince(place: OrderPlace): Promise<void> {
    for (let orders = await options.after(place, policy.pageSize); ; ) {
      for (const order of orders) await carryOut(order).catch(() => {})
      const last = orders.at(-1)
      if (last === undefined) return
      orders = await options.after(placeOf(last), policy.pageSize)
    }
  }

  function carryOut(order: Placed): Promise<void> {
    if (order.isHard && order.company === '') forgotten += 1
    return obey(cache, order)
  }

  /** One that the shared tier could not be told of holds up none behind it: memory forgets first. */
  async function obeyNew(reached: Reached): Promise<void> {
    let fault: unknown = null
    const wasBehind = isBehind(reached)
    for (const order of await options.after(reached.heard, policy.pageSize)) {
      reached.heard = placeOf(order)
      await carryOut(order).catch((error) => {
        fault ??= error
      })
      if (fault === null && !wasBehind) reached.obeyed = reached.heard
    }
    if (fault !== null) throw fault
  }

  /** What the shared tier could not be told of, when it can. */
  async function catchUp(reached: Reached): Promise<void> {
    const orders = await options.after(reached.obeyed, policy.pageSize)
    if (orders.length > 0 && cache.isShared() === false)
      throw new CacheUnavailableError('an order', 'unreachable')
    for (const order of orders) {
      await obey(cache, order)
      reached.obeyed = placeOf(order)
    }
    if (orders.length === 0) reached.obeyed = reached.heard
  }

  return {
    start,
    close,
    /** Another word whenever memory was told to forget something of all companies, as who holds their shares when one of them is hidden. */
    asWord: (): string => String(forgotten),
  }
}

/** How far a process has come: with its memory, which waits for nobody, and with the tier it shares as well. */
type Reached = { heard: OrderPlace; obeyed: OrderPlace }

function isBehind({ heard, obeyed }: Reached): boolean {
  return heard.number !== obeyed.number || heard.at !== obeyed.at
}

function placeOf({ number, at }: Placed): OrderPlace {
  return { number, at }
}

/** The last order that somebody has carried out on the shared tier; null when that is not known there, or can not be asked. */
async function notedIn(
  cache: Pick<Ordered, 'isSharedWithin' | 'readNote'>,
  withinMs: number,
): Promise<OrderPlace | null> {
  await cache.isSharedWithin(withinMs)
  return readNoted(cache)
}

async function readNoted(cache: Pick<Ordered, 'readNote'>): Promise<OrderPlace | null> {
  const note = /^(\d{1,15}) (\d{0,20})$/.exec((await cache.readNote(NOTE)) ?? '')
  return note && { number: Number(note[1]), at: note[2] ?? '' }
}

const NOTE = 'ordre'

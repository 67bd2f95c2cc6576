import { expect, it } from 'vitest'
import { CacheUnavailableError } from '#src/cache/errors.ts'
import { createCacheOrders } from '#src/ops/cache-orders.ts'
import { eventually } from '../support/eventually.ts'

const policy = { lookEveryMs: 5, pageSize: 2, sharedWithinMs: 5, notedMs: 1000 }
const given = (number: number) => ({
  number,
  at: String(number),
  company: String(900000000 + number),
  sections: null,
  isHard: true,
})

type Given = Pick<Parameters<typeof createCacheOrders>[0], 'newest' | 'cache'>

/** Whoever follows these orders, which become more. */
const follow = (orders: readonly ReturnType<typeof given>[], { newest, cache }: Given) =>
  createCacheOrders({
    newest,
    after: async ({ number }, limit) => orders.filter((each) => each.number > number).slice(0, limit),
    cache,
    log: { warn() {} } as never,
    policy,
  })

it('P21: attack: what one process was told while Redis was away is forgotten at once in the memory of the others, however much was told before', async () => {
  const orders = [given(1), given(2), given(3)]
  let isThere = false
  const forgotten = { here: new Set<string>(), shared: new Set<string>() }
  const notes: string[] = []
  const { start, close } = follow(orders, {
    newest: async () => ({ newest: given(1), pastWaiting: { number: 0, at: '' } }),
    cache: {
      isShared: () => isThere,
      isSharedWithin: async () => isThere,
      readNote: async () => null,
      writeNote: async (_name, note) => {
        notes.push(note)
      },
      async purge(company) {
        forgotten.here.add(company)
        if (!isThere) throw new CacheUnavailableError('an order', 'unreachable')
        return forgotten.shared.add(company).size > 0
      },
      purgeAll: async () => {},
    },
  })
  await start()
  try {
    orders.push(given(4), given(5))
    const newer = [2, 3, 4, 5].map((number) => given(number).company)
    await eventually('memory has forgotten', () => forgotten.here.isSupersetOf(new Set(newer)))
    expect(forgotten.shared.size).toBe(0)
    isThere = true
    await eventually('Redis has been told of all', () => forgotten.shared.size === orders.length)
    await eventually('it is noted there', () => notes.at(-1) === '5 5')
  } finally {
    await close()
  }
})

it('P21: attack: what was ordered while a process that had begun could not ask for orders is forgotten in its memory too', async () => {
  const orders = [given(1), given(2), given(3)]
  let isAway = true
  const forgotten = new Set<string>()
  const { start, close } = follow(orders, {
    async newest() {
      if (isAway) throw new Error('away')
      return { newest: orders.at(-1) ?? given(0), pastWaiting: given(1) }
    },
    cache: {
      isShared: () => null,
      isSharedWithin: async () => false,
      readNote: async () => null,
      writeNote: async () => {},
      async purge(company) {
        return forgotten.add(company).size > 0
      },
      purgeAll: async () => {},
    },
  })
  await start()
  try {
    orders.push(given(4), given(5))
    isAway = false
    const ofTheDay = [2, 3, 4, 5].map((number) => given(number).company)
    await eventually('memory has forgotten', () => forgotten.size === ofTheDay.length)
    expect([...forgotten]).toEqual(ofTheDay)
  } finally {
    await close()
  }
})

import { askedTogether } from '#src/core/asked-together.ts'
import { insertOrders } from '#src/storage/orders.ts'
import { IN_THE_ROOM, lockRoom, makeRoomForOrders } from '#src/storage/unpaid-orders.ts'
import type { SalesContext } from './context.ts'
import { TooManyOrdersError } from './errors.ts'

type NewOrder = Parameters<typeof insertOrders>[1][number]

/**
 * Where unpaid orders are stored: how many there are is bounded, so all who order, here and in every other process, wait for
 * whoever is in it. Those who have come meanwhile go in together, with one question for all of them.
 */
export type Room = {
  /**
   * Stores an order.
   *
   * @returns what gives way to it
   * @throws TooManyOrdersError
   */
  store(order: NewOrder): Promise<string[]>
}

export function openRoom({ db, policy, clock }: Pick<SalesContext, 'db' | 'policy' | 'clock'>): Room {
  const { unpaidPerNetworkMax: ofNetworkMax, unpaidMax: ofAllMax, givingWayMax } = policy
  const bounds = { ofNetworkMax, ofAllMax, givingWayMax }
  const waiting = new Map<string, NewOrder>()

  const goIn = askedTogether(storeAll, { atOnce: 1, namesMax: TOGETHER_MAX })

  async function storeAll(ids: string[]): Promise<ReadonlyMap<string, string[]>> {
    const orders = ids.flatMap((id) => waiting.get(id) ?? [])
    return db.transaction(async (connection) => {
      await lockRoom(connection)
      // Of two clicks at once the second needs none.
      const stored = await insertOrders(connection, orders)
      if (stored.length === 0) return new Map()
      const givingWay = await makeRoomForOrders(connection, { ids: stored, at: clock.now() }, bounds)
      if (givingWay === null) throw new TooManyOrdersError()
      return new Map(
        stored.map((id, place) => [id, givingWay.filter((_, index) => index % stored.length === place)]),
      )
    }, IN_THE_ROOM)
  }

  return {
    async store(order) {
      waiting.set(order.id, order)
      try {
        return (await goIn(order.id)) ?? []
      } finally {
        waiting.delete(order.id)
      }
    },
  }
}

/** A tenth of a second. */
const TOGETHER_MAX = 500

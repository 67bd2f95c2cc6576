import { isRightOver } from '#src/storage/key-chain.ts'
import { orderStates } from '#src/storage/order-states.ts'
import { findOrderByToken, findRenewal } from '#src/storage/orders.ts'
import {
  type OrderContext,
  type OrderRequest,
  type PlacedOrder,
  placeOrder,
  tokenHash,
} from './place-order.ts'

/**
 * The buyer of an order that came to nothing, by the token of its page, orders the same once more without typing it again.
 * Safe to run twice: the order it repeats is what the new one is known by.
 *
 * @returns null when there is nothing to repeat: the address was refused or is no longer kept, it is sold on other terms now, or what
 *   it renewed has been renewed, or is over
 * @throws what placeOrder throws
 */
export async function orderAgain(
  context: OrderContext,
  token: string,
  by: Pick<OrderRequest, 'ip' | 'sprak'>,
): Promise<PlacedOrder | null> {
  const { db, shop } = context
  const order = await findOrderByToken(db, tokenHash(token))
  if (order === null || shop === null || orderStates[order.tilstand].leadsTo !== 'nothing') return null
  const { product, priceOre, currency } = shop.offer
  const isSame = order.produkt === product && order.belopOre === priceOre && order.valuta === currency
  if (order.epost === null || order.grunn === 'adresse_avvist' || !isSame) return null
  if (order.fornyer !== null) {
    const { kjede } = order.fornyer
    if ((await findRenewal(db, kjede)) !== null || (await isRightOver(db, kjede))) return null
  }
  return placeOrder(
    context,
    { ...by, epost: order.epost, vilkaarGodtatt: true, idempotensToken: token },
    order.fornyer,
  )
}

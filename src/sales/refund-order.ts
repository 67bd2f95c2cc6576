import { orderStates, type RefundAsked } from '#src/storage/order-states.ts'
import type { SalesContext } from './context.ts'
import { orderRefundableUntil } from './order.ts'
import { holdOrder, recordFact } from './record-fact.ts'

/**
 * An operator has the money of an order given back, all of it. Its keys end here, in the same instant, before Vipps is asked:
 * nobody has both the key and the money. Safe to ask twice, also at once: an order is refunded once.
 *
 * @returns null when there is no such order
 */
export async function refundOrder(
  { db, clock, policy }: Pick<SalesContext, 'db' | 'clock' | 'policy'>,
  id: string,
): Promise<RefundAsked | null> {
  return db.transaction(async (connection) => {
    const held = await holdOrder(connection, id)
    if (held === null) return null
    const at = clock.now()
    const { state } = held.core
    if (state === 'refunderes') return 'underveis'
    if (state === 'refundert') return 'refundert'
    const { money, leadsTo } = orderStates[state]
    if (money === 'held' && leadsTo === 'key') return 'holdes'
    if (state !== 'fullfort') return 'ikke_trukket'
    if (at >= orderRefundableUntil(held.core, policy)) return 'for_sent'
    await recordFact(connection, { policy, shop: null, log: NO_ALARM }, held, { kind: 'refund_asked', at })
    return 'bedt'
  })
}

/** What is asked of Vipps is done, and told of, by whoever has access to it. */
const NO_ALARM = { error: () => {} }

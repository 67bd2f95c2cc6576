import type { OrderDecided } from '#src/storage/order-states.ts'
import type { SalesContext } from './context.ts'
import { holdOrder, recordFact } from './record-fact.ts'

/**
 * An operator has decided what becomes of an order that wanted one, in Vipps' portal or with the buyer: its alarm is put out, and
 * nothing else changes. That of money which is still to be moved goes out by itself when it is.
 *
 * @returns null when there is no such order
 */
export async function decideOrder(
  { db, clock, policy }: Pick<SalesContext, 'db' | 'clock' | 'policy'>,
  id: string,
): Promise<OrderDecided | null> {
  return db.transaction(async (connection) => {
    const held = await holdOrder(connection, id)
    if (held === null) return null
    if (held.core.alarm === null) return 'uten_alarm'
    const fact = { kind: 'decided', at: clock.now() } as const
    const now = await recordFact(connection, { policy, shop: null, log: NO_ALARM }, held, fact)
    return now === held ? 'underveis' : 'avgjort'
  })
}

/** It puts one out. */
const NO_ALARM = { error: () => {} }

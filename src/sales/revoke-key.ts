import { chainOfKey, revokeKey } from '#src/storage/keys.ts'
import type { SalesContext } from './context.ts'
import { holdOrder, recordFact } from './record-fact.ts'

/**
 * An operator revokes a key, or all of an order, for ever. An order whose key is still on its way gives no other one: it is let go,
 * and nothing is charged. One that was delivered is paid for, and is refunded apart from this.
 *
 * @returns since when it is revoked; null when there is no such key, and no such order on its way
 */
export async function revokeAsOperator(
  { db, clock, policy }: Pick<SalesContext, 'db' | 'clock' | 'policy'>,
  id: string,
): Promise<Date | null> {
  return db.transaction(async (connection) => {
    const at = clock.now()
    const held = await holdOrder(connection, (await chainOfKey(connection, id)) ?? id)
    const after =
      held &&
      (await recordFact(connection, { policy, shop: null, log: NO_ALARM }, held, { kind: 'revoked', at }))
    const revokedAt = await revokeKey(connection, id, at)
    return revokedAt ?? (after === held ? null : at)
  })
}

/** What is asked of Vipps is done, and told of, by whoever has access to it. */
const NO_ALARM = { error: () => {} }

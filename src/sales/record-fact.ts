import { endChainErrands, lockChain, revokeChain } from '#src/storage/chain-lock.ts'
import type { Queryable } from '#src/storage/database.ts'
import { putErrand } from '#src/storage/errands.ts'
import { changeOrder, lockOrder, type StoredOrder } from '#src/storage/orders.ts'
import { insertCreditNote, insertReceipt } from '#src/storage/receipts.ts'
import type { SalesContext } from './context.ts'
import { type OrderAlarm, type OrderCore, type OrderFact, type OrderReason, step } from './order.ts'

/** An order that is held: nobody else changes it, or its keys, before the transaction ends. */
export type HeldOrder = { stored: StoredOrder; core: OrderCore }

/** Holds an order and its chain of keys, in the order everybody takes them. */
export async function holdOrder(connection: Queryable, id: string): Promise<HeldOrder | null> {
  const stored = await lockOrder(connection, id)
  if (stored === null) return null
  await lockChain(connection, id)
  return { stored, core: coreOf(stored) }
}

/**
 * Lets a held order take the step a fact leads to, and stores it with all that follows from it: errands, the end of its keys,
 * the line in the books. All of it with the transaction, or nothing.
 *
 * @returns the order as it is now; the very same when the fact changed nothing
 */
export async function recordFact(
  connection: Queryable,
  { policy, shop, log }: Pick<SalesContext, 'policy' | 'shop'> & { log: Pick<SalesContext['log'], 'error'> },
  held: HeldOrder,
  fact: OrderFact,
): Promise<HeldOrder> {
  const { order, effects } = step(held.core, fact, policy)
  if (order === held.core) return held
  const { stored } = held
  await changeOrder(connection, stored.id, changeOf(order), fact.at)
  for (const effect of effects) {
    if (effect === 'tilbakekall_nokler') {
      await revokeChain(connection, stored.id, fact.at)
      await endChainErrands(connection, stored.id, { outcome: order.state, at: fact.at })
    } else {
      const { errand: slag, number: nr, notBefore } = effect
      await putErrand(connection, { slag, gjelder: stored.id, nr, notBefore }, fact.at)
    }
  }
  if (order.capturedAt !== null && held.core.capturedAt === null) {
    const seller = stored.salg?.seller ?? shop?.offer.seller
    await insertReceipt(connection, {
      ordre: stored.id,
      betalingsreferanse: order.reference,
      dato: order.capturedAt,
      produkt: stored.produkt,
      belopOre: order.amountOre,
      valuta: order.currency,
      mva: seller?.vatText ?? '',
      selger: seller === undefined ? '' : `${seller.name}, ${seller.organisationNumber}, ${seller.address}`,
    })
  }
  if (order.refundedAt !== null && held.core.refundedAt === null)
    await insertCreditNote(connection, stored.id, order.refundedAt)
  if (order.alarm !== null && held.core.alarm === null)
    log.error({ ordre: stored.id, alarm: order.alarm }, 'an order wants an operator')
  return { stored: { ...stored, ...changeOf(order) }, core: order }
}

export function coreOf(stored: StoredOrder): OrderCore {
  return {
    reference: stored.referanse,
    amountOre: stored.belopOre,
    currency: stored.valuta,
    // The database holds these columns to the same words, or nobody but this room writes them.
    state: stored.tilstand,
    createdAt: stored.laget,
    pspReference: stored.pspReferanse,
    reservedAt: stored.reservert,
    guaranteedUntil: stored.garantertTil,
    addressUntil: stored.adressefrist,
    deliveries: stored.leveringer,
    capturedAt: stored.trukket,
    refundedAt: stored.refundert,
    moved:
      stored.trukketOre === null || stored.refundertOre === null
        ? null
        : { capturedOre: stored.trukketOre, refundedOre: stored.refundertOre },
    reason: stored.grunn as OrderReason | null,
    alarm: stored.alarm as OrderAlarm | null,
  }
}

function changeOf(order: OrderCore) {
  return {
    tilstand: order.state,
    pspReferanse: order.pspReference,
    reservert: order.reservedAt,
    garantertTil: order.guaranteedUntil,
    adressefrist: order.addressUntil,
    leveringer: order.deliveries,
    trukket: order.capturedAt,
    refundert: order.refundedAt,
    trukketOre: order.moved?.capturedOre ?? null,
    refundertOre: order.moved?.refundedOre ?? null,
    grunn: order.reason,
    alarm: order.alarm,
  }
}

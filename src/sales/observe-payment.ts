import { findOrder, type StoredOrder } from '#src/storage/orders.ts'
import { claimCheck, endCheck } from '#src/storage/payment-checks.ts'
import type { SalesContext } from './context.ts'
import { PaymentRefusedError, PaymentUnavailableError } from './errors.ts'
import type { Payment } from './payment.ts'
import { holdOrder, recordFact } from './record-fact.ts'
import { through } from './steps.ts'

/**
 * Reads the payment of an order back from Vipps and lets the order take the step that follows. Whoever has a reason to look
 * comes here: a message of Vipps, the clock, the sweep. Of many at once one reads.
 */
export async function observePayment(
  context: SalesContext,
  id: string,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { db, clock, shop, policy, reached } = context
  const at = clock.now()
  const order = await findOrder(db, id)
  if (order === null || shop === null) return
  const next = new Date(at.getTime() + pauseAfter(order, at, policy))
  if (!(await claimCheck(db, id, { at, next }))) return
  const payment = await read(context, order, signal)
  if (payment === undefined) return
  await through(reached, 'payment-stored', () =>
    db.transaction(async (connection) => {
      const held = await holdOrder(connection, id)
      if (held === null) return
      const { merchant } = shop.payments
      await recordFact(connection, context, held, { kind: 'payment', payment, merchant, at })
      await endCheck(connection, id, next)
    }),
  )
}

/** Undefined when Vipps could not be heard: it is asked again at the next turn. */
async function read(
  { shop, policy, log, reached }: SalesContext,
  order: StoredOrder,
  signal: AbortSignal,
): Promise<Payment | null | undefined> {
  try {
    return await through(reached, 'payment-read', async () =>
      shop?.payments.read(order.referanse, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(policy.paymentDeadlineMs)]),
      }),
    )
  } catch (error) {
    if (!(error instanceof PaymentUnavailableError || error instanceof PaymentRefusedError)) throw error
    log.warn({ err: error, ordre: order.id }, 'a payment could not be read back; it is tried again')
    return undefined
  }
}

function pauseAfter(order: StoredOrder, at: Date, policy: SalesContext['policy']): number {
  const age = at.getTime() - order.laget.getTime()
  return age < policy.paymentWindowMs ? policy.pollEveryMs : policy.pollSlowlyMs
}

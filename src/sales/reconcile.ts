import { setTimeout as pause } from 'node:timers/promises'
import { createPace } from '#src/core/pace.ts'
import type { Queryable } from '#src/storage/database.ts'
import { type OrderState, orderStates } from '#src/storage/order-states.ts'
import {
  type BookedOrder,
  listBookedOrders,
  listPaymentsOfNobody,
  OUR_REFERENCE,
} from '#src/storage/reconciliation.ts'
import type { Vipps } from '#src/vipps/client.ts'
import { VippsError, VippsUnknownError } from '#src/vipps/errors.ts'
import type { Payment as VippsPayment } from '#src/vipps/payment.ts'
import type { SalesPolicy } from './context.ts'
import { differencesOf } from './payment.ts'

/**
 * How an order and its payment do not go together:
 *
 * - `betalt_uten_ordre`, `reservert_uten_ordre`: Vipps has the money, or a hold on it, and there is no order here. After a restore
 *   these are the purchases since the backup.
 * - `betalt_uten_nokkel`: the order came to nothing here, and the money was taken.
 * - `ikke_trukket`: the order is done here, and the money was not taken, or not all of it.
 * - `refundert`: money was given back, and the order is done here: its key works.
 * - `annen_betaling`: the payment is of another sum, currency or seller than the order.
 * - `ukjent_hos_vipps`: Vipps knows no such payment.
 * - `ikke_lest`: Vipps did not answer for it; nothing is known.
 */
export type DifferenceCode =
  | 'betalt_uten_ordre'
  | 'reservert_uten_ordre'
  | 'betalt_uten_nokkel'
  | 'ikke_trukket'
  | 'refundert'
  | 'annen_betaling'
  | 'ukjent_hos_vipps'
  | 'ikke_lest'

export type Discrepancy = {
  kode: DifferenceCode
  referanse: string
  ordre: string | null
  tilstand: string | null
  bilag: number | null
  /** In øre of `valuta`, as Vipps says; null when it does not. */
  trukketOre: number | null
  refundertOre: number | null
  valuta: string | null
}

export type Reconciliation = {
  /** Payments that were looked up. */
  sett: number
  iOrden: number
  /** Orders that are on their way: the service brings them to their end by itself. */
  underveis: number
  /** References in the list that are not of this shop: others may sell by the same sales unit. */
  andres: number
  avvik: Discrepancy[]
}

/** More than anybody sells between two backups; the memory of one command. */
export const PAYMENTS_MAX = 50_000

/**
 * Compares the orders here with their payments, as each is when it is read back at Vipps: the orders made since, the payments
 * that `listed` names, and those Vipps has sent messages about that are of no order. Changes nothing.
 *
 * @throws RangeError when it is more than PAYMENTS_MAX; what the database throws
 */
export async function reconcile(
  {
    db,
    vipps,
    merchant,
    policy,
    signal,
  }: {
    db: Queryable
    vipps: Pick<Vipps, 'getPayment'>
    merchant: string
    policy: Pick<SalesPolicy, 'readsAtOnce' | 'readsPerSecond'>
    signal: AbortSignal
  },
  { since, listed }: { since: Date; listed: readonly string[] },
): Promise<Reconciliation> {
  const ours = [...new Set(listed)].filter((reference) => OURS.test(reference))
  const andres = new Set(listed).size - ours.length
  const orders = await listBookedOrders(db, { since, references: ours, limit: PAYMENTS_MAX + 1 })
  const byReference = new Map(orders.map((order) => [order.referanse, order]))
  const ofNobody = (await listPaymentsOfNobody(db, PAYMENTS_MAX + 1)).filter((one) => OURS.test(one))
  const references = [...new Set([...byReference.keys(), ...ours, ...ofNobody])]
  if (references.length > PAYMENTS_MAX) throw new RangeError(`more than ${PAYMENTS_MAX} payments`)

  const told: Reconciliation = { sett: references.length, iOrden: 0, underveis: 0, andres, avvik: [] }
  const isDue = createPace({ perSecond: policy.readsPerSecond })
  const left = references.values()
  async function hand(): Promise<void> {
    for (const reference of left) {
      for (let waitMs = isDue(); waitMs > 0; waitMs = isDue()) await pause(waitMs, undefined, { signal })
      const [verdict, order, payment] = await looked(reference, byReference.get(reference) ?? null)
      if (verdict === 'i_orden') told.iOrden += 1
      else if (verdict === 'underveis') told.underveis += 1
      else told.avvik.push(differenceOf(verdict, reference, order, payment))
    }
  }
  /** One that has come further since it was listed is looked at as it is now: for thousands of payments that is minutes ago. */
  async function looked(reference: string, listed: BookedOrder | null) {
    const payment = await read(vipps, reference, signal)
    const verdict = judged(listed, payment)
    if (verdict === 'i_orden' || verdict === 'underveis') return [verdict, listed, payment] as const
    const [order = null] = await listBookedOrders(db, { since: null, references: [reference], limit: 1 })
    if (order?.tilstand === listed?.tilstand) return [verdict, listed, payment] as const
    const again = await read(vipps, reference, signal)
    return [judged(order, again), order, again] as const
  }
  const judged = (order: BookedOrder | null, payment: VippsPayment | null | 'ikke_lest') =>
    payment === 'ikke_lest' ? payment : verdictOn(order, payment, merchant)

  await Promise.all(Array.from({ length: policy.readsAtOnce }, hand))
  // As they were bought, whichever answered first.
  const place = new Map(references.map((reference, index) => [reference, index]))
  told.avvik.sort((a, b) => (place.get(a.referanse) ?? 0) - (place.get(b.referanse) ?? 0))
  return told
}

const OURS = new RegExp(OUR_REFERENCE)

/** How an order and its payment go together; null where there is none. */
export function verdictOn(
  order: BookedOrder | null,
  payment: VippsPayment | null,
  merchant: string,
): DifferenceCode | 'i_orden' | 'underveis' {
  const kind = order === null ? null : moneyOf(order)
  if (kind === 'underveis') return 'underveis'
  if (payment === null) return kind === 'intet' ? 'i_orden' : 'ukjent_hos_vipps'
  const keptOre = payment.capturedOre - payment.refundedOre
  if (order === null) {
    if (keptOre > 0) return 'betalt_uten_ordre'
    const isHeld = payment.state === 'AUTHORIZED' && payment.capturedOre + payment.cancelledOre === 0
    return isHeld ? 'reservert_uten_ordre' : 'i_orden'
  }
  if (kind === 'intet') return keptOre > 0 ? 'betalt_uten_nokkel' : 'i_orden'
  const expected = {
    reference: order.referanse,
    amountOre: order.belopOre,
    currency: order.valuta,
    merchant,
  }
  if (differencesOf(payment, expected).length > 0) return 'annen_betaling'
  if (payment.capturedOre < order.belopOre) return 'ikke_trukket'
  return payment.refundedOre > 0 ? 'refundert' : 'i_orden'
}

/** What an order says of the money: taken, none, or not decided yet. */
function moneyOf({ tilstand }: { tilstand: OrderState }): 'betalt' | 'intet' | 'underveis' {
  const { money, isEnd } = orderStates[tilstand]
  if (!isEnd) return 'underveis'
  return money === 'taken' ? 'betalt' : 'intet'
}

async function read(
  vipps: Pick<Vipps, 'getPayment'>,
  reference: string,
  signal: AbortSignal,
): Promise<VippsPayment | null | 'ikke_lest'> {
  try {
    return await vipps.getPayment(reference, { signal })
  } catch (error) {
    if (error instanceof VippsUnknownError) return null
    // A command that is ended has nothing to tell.
    if (!(error instanceof VippsError) || signal.aborted) throw error
    return 'ikke_lest'
  }
}

function differenceOf(
  kode: DifferenceCode,
  referanse: string,
  order: BookedOrder | null,
  payment: VippsPayment | null | 'ikke_lest',
): Discrepancy {
  const seen = payment === 'ikke_lest' ? null : payment
  return {
    kode,
    referanse,
    ordre: order?.id ?? null,
    tilstand: order?.tilstand ?? null,
    bilag: order?.bilag ?? null,
    trukketOre: seen?.capturedOre ?? null,
    refundertOre: seen?.refundedOre ?? null,
    valuta: seen?.currency ?? null,
  }
}

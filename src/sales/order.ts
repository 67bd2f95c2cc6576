import { type OrderState, orderStates } from '#src/storage/order-states.ts'
import { differencesOf, isMoneyGone, type MovedSums, type ObservedPayment } from './payment.ts'

/** Why an order came to where it is, and what an operator has to look at. Both are codes. */
export type OrderReason =
  | 'adresse_avvist'
  | 'alt_fornyet'
  | 'levering_oppgitt'
  | 'nokkel_tilbakekalt'
  | 'reservasjon_borte'
  | 'trekk_umulig'
type NotRenewed = Extract<OrderReason, 'alt_fornyet' | 'nokkel_tilbakekalt'>
export type OrderAlarm =
  | 'betaling_avviker'
  | 'trekk_umulig'
  | 'trekk_venter'
  | 'kansellering_venter'
  | 'refusjon_venter'

/** The part of an order its steps are about. Amounts in øre. */
export type OrderCore = {
  readonly reference: string
  readonly amountOre: number
  readonly currency: string
  readonly state: OrderState
  readonly createdAt: Date
  readonly pspReference: string | null
  readonly reservedAt: Date | null
  readonly guaranteedUntil: Date | null
  readonly addressUntil: Date | null
  /** How many addresses a key has been on its way to. */
  readonly deliveries: number
  readonly capturedAt: Date | null
  readonly refundedAt: Date | null
  /** What Vipps last said was taken of it and given back, since it stands in the books; null before that. */
  readonly moved: MovedSums | null
  readonly reason: OrderReason | null
  readonly alarm: OrderAlarm | null
}

/**
 * Something that became known. `at`: when. `notRenewed`: why what it renews is not to be paid for; another order has renewed it, or
 * there is no right left to renew.
 */
export type OrderFact = { at: Date } & (
  | { kind: 'payment'; payment: ObservedPayment | null; merchant: string; notRenewed?: NotRenewed | null }
  | { kind: 'mail_accepted' }
  | { kind: 'address_refused' }
  | { kind: 'key_used' }
  | { kind: 'other_address' }
  | { kind: 'revoked' }
  | { kind: 'time' }
  | { kind: 'captured'; moved: MovedSums }
  | { kind: 'capture_impossible' }
  | { kind: 'cancelled' }
  | { kind: 'refund_asked' }
  | { kind: 'refunded'; moved: MovedSums }
  | { kind: 'money_delayed' }
  | { kind: 'decided' }
)

/**
 * What a step asks for, to be stored in the transaction that stores the order. Errands are done afterwards, until they are;
 * `not before` when they have a time.
 */
type Effect =
  | {
      errand: 'lever' | 'trekk' | 'kanseller' | 'kvittering' | 'refunder' | 'kreditnota'
      number: number
      notBefore: Date
    }
  | 'tilbakekall_nokler'

export type OrderStep = { order: OrderCore; effects: readonly Effect[] }

export type OrderPolicy = {
  /** A payment Vipps does not know by then will never be approved: ten minutes, and some for the way. */
  paymentWindowMs: number
  /** A key that could not be mailed for so long is given up. */
  deliverForMs: number
  /** No mail is tried when the reservation is this close to its end: the money is to be taken after it. */
  captureMarginMs: number
  /** How long a buyer whose address was refused may give another. */
  otherAddressMs: number
  /** Vipps gives money back for so long after it was taken. */
  refundForMs: number
  addressesMax: number
}

/**
 * An order, from the press on "buy" to money and key. Its states, how each is entered and how it is left:
 *
 * - `opprettet`: the order is stored and the buyer was sent to Vipps. Left when the payment, read back, says so: to
 *   `reservert`, `avbrutt`, `utlopt` or `avvik`; to `kanselleres` when it is the second that renews the same key, or that key's
 *   right is over: nobody pays twice for one year, or for the next year of one that was given back.
 * - `reservert`: the money is reserved, and a key is on its way to the buyer's address, attempt after attempt. Left to
 *   `sendt` when a mail server has taken a mail with a key, or when a key whose mail had no clear outcome is used, which
 *   is the receipt; to `avvist` when the address is refused for good; to `kanselleres` when it has taken too long, or an operator
 *   revokes its key; to `kansellert` when the reservation is gone.
 * - `avvist`: the address was refused. Nothing is charged. The buyer may give another until `adressefrist`: back to
 *   `reservert`. A key of an earlier attempt may still turn out to have arrived: `sendt`. Otherwise `kanselleres`.
 * - `sendt`: the buyer has the key, and only now may the money be taken (Vipps: never before delivery). Left to `fullfort`
 *   when it is, to `tapt` when it can not be.
 * - `kanselleres`: the keys are void, and the reservation is to be let go. Left to `kansellert` when it is.
 * - `fullfort`: key delivered, money taken, receipt under way. The end, unless an operator has the money given back: `refunderes`.
 * - `refunderes`: the keys are void, and the money is on its way back. Left to `refundert` when Vipps has given it.
 * - `refundert`: no key, and the money is back; the credit note is under way. The end.
 * - `kansellert`, `avbrutt`, `utlopt`: no key and no money. The end, unless Vipps tells that a payment which was not known there when
 *   the order was given up (`utlopt`) is approved after all: then as from `opprettet`.
 *   An operator is told while money of one of these, or of `kanselleres`, is taken in Vipps' portal and not given back; and of
 *   `fullfort` when all of it is given back there, or not all of it was taken, and the key works on.
 * - `tapt`: key delivered, no money to be had. The keys are revoked, and an operator is told, again where money of it comes after that. The end.
 * - `avvik`: the payment is another than we asked for. No key, no money taken; an operator is told and decides. The end.
 *
 * What an operator has been told of in one of the ends is told until they have decided what becomes of it.
 *
 * What must hold, whatever the order of events, crashes and repetitions: money is taken only after a key was delivered; no
 * key works in the end without its money; a fact that comes twice, or too late, changes nothing.
 *
 * @returns what a fact makes of an order: the very same one, and no effects, when it changes nothing
 */
export function step(order: OrderCore, fact: OrderFact, policy: OrderPolicy): OrderStep {
  switch (fact.kind) {
    case 'payment':
      return withMoved(paymentSeen(order, fact, policy), fact)
    case 'mail_accepted':
    case 'key_used':
      return isWaitingForKey(order) ? delivered(order, fact.at) : unchanged(order)
    case 'address_refused':
      return order.state === 'reservert' ? refused(order, fact.at, policy) : unchanged(order)
    case 'other_address':
      return mayGiveOtherAddress(order, fact.at, policy)
        ? startDelivery({ ...order, addressUntil: null, reason: null }, fact.at)
        : unchanged(order)
    case 'revoked':
      return isWaitingForKey(order) ? revoked(order, fact.at) : unchanged(order)
    case 'time':
      return timePassed(order, fact.at, policy)
    case 'captured':
      return order.state === 'sendt' ? captured({ ...order, moved: fact.moved }, fact.at) : unchanged(order)
    case 'capture_impossible':
      return order.state === 'sendt' ? lost(order) : unchanged(order)
    case 'cancelled':
      return order.state === 'kanselleres'
        ? { order: { ...order, state: 'kansellert', alarm: alarmAfter(order) }, effects: [] }
        : unchanged(order)
    case 'refund_asked':
      return order.state === 'fullfort'
        ? {
            order: { ...order, state: 'refunderes' },
            effects: ['tilbakekall_nokler', { errand: 'refunder', number: 1, notBefore: fact.at }],
          }
        : unchanged(order)
    case 'refunded':
      return order.state === 'refunderes'
        ? refunded({ ...order, moved: fact.moved }, fact.at)
        : unchanged(order)
    case 'money_delayed': {
      const alarm = WAITING_FOR_MONEY[order.state]
      return alarm !== undefined && order.alarm === null
        ? { order: { ...order, alarm }, effects: [] }
        : unchanged(order)
    }
    case 'decided':
      return order.alarm !== null && orderStates[order.state].isEnd
        ? { order: { ...order, alarm: null }, effects: [] }
        : unchanged(order)
  }
}

/** By when a key has to be with the buyer. */
export function deliverBy(order: OrderCore, policy: OrderPolicy): Date {
  const patience = (order.reservedAt?.getTime() ?? 0) + policy.deliverForMs
  const guarantee = (order.guaranteedUntil?.getTime() ?? Number.POSITIVE_INFINITY) - policy.captureMarginMs
  return new Date(Math.min(patience, guarantee))
}

export function orderRefundableUntil(order: OrderCore, policy: Pick<OrderPolicy, 'refundForMs'>): Date {
  return new Date((order.capturedAt?.getTime() ?? 0) + policy.refundForMs)
}

/** Each address is a new delivery, and a mail server that is asked for the first time: there is an end to it. */
export function mayGiveOtherAddress(order: OrderCore, at: Date, policy: OrderPolicy): boolean {
  return order.state === 'avvist' && at < lastAddressAt(order) && order.deliveries < policy.addressesMax
}

function isWaitingForKey({ state }: Pick<OrderCore, 'state'>): boolean {
  const { leadsTo, isDelivered } = orderStates[state]
  return leadsTo === 'key' && !isDelivered
}

function isWithoutKey({ state }: Pick<OrderCore, 'state'>): boolean {
  const { leadsTo, isDelivered } = orderStates[state]
  return leadsTo === 'nothing' && !isDelivered
}

function paymentSeen(
  order: OrderCore,
  { payment, merchant, at, notRenewed = null }: Extract<OrderFact, { kind: 'payment' }>,
  policy: OrderPolicy,
): OrderStep {
  if (payment === null) {
    // Not known there yet, or never: the buyer's way to Vipps broke off before it began.
    const isOver = at.getTime() - order.createdAt.getTime() >= policy.paymentWindowMs
    return order.state === 'opprettet' && isOver ? ended(order, 'utlopt') : unchanged(order)
  }
  if (differencesOf(payment, { ...order, merchant }).length > 0) return differs(order)
  // One that was not known there in time may be made, and approved, at the very moment it was given up.
  const isLate = order.state === 'utlopt' && payment.state === 'AUTHORIZED'
  if (order.state === 'opprettet' || isLate) return firstOutcome(order, payment, { at, notRenewed })
  if (isWithoutKey(order)) return keptOrNot(order, payment)
  // It came after all, and its keys are void: whoever had decided what becomes of it did not know that.
  if (order.state === 'tapt' && payment.capturedOre > payment.refundedOre) return differs(order)
  // Given back there when the key was out, or never taken whole: it works on, and whether it may is not ours to say.
  // What was asked before it was taken tells nothing of that.
  const isAskedAfter = order.capturedAt !== null && order.capturedAt < at
  const isUnpaid = isMoneyGone(payment) || (isAskedAfter && payment.capturedOre < order.amountOre)
  if (order.state === 'fullfort' && isUnpaid) return differs(order)
  // Somebody else took it or let it go: in the merchant's portal, or we did and never heard the answer.
  if (order.state === 'sendt' && isMoneyGone(payment)) return lost(order)
  if (order.state === 'sendt' && payment.capturedOre >= order.amountOre) return captured(order, at)
  if (isWaitingForKey(order) && isMoneyGone(payment))
    return {
      order: { ...order, state: 'kansellert', reason: 'reservasjon_borte' },
      effects: ['tilbakekall_nokler'],
    }
  return unchanged(order)
}

/** Somebody takes and gives back in the portal, in part too. What was asked before we took it, or gave it back, tells nothing of what became of it. */
function withMoved(
  step: OrderStep,
  { payment, merchant, at }: Extract<OrderFact, { kind: 'payment' }>,
): OrderStep {
  const { order, effects } = step
  const { moved } = order
  const movedAt = order.refundedAt ?? order.capturedAt
  if (payment === null || movedAt === null || movedAt > at) return step
  if (differencesOf(payment, { ...order, merchant }).length > 0) return step
  const { capturedOre, refundedOre } = payment
  // What was given back stays so: who tells of less was asked before whoever told of more, and is heard after.
  if (moved !== null && refundedOre < moved.refundedOre) return step
  const isKnown = moved?.capturedOre === capturedOre && moved.refundedOre === refundedOre
  return isKnown ? step : { order: { ...order, moved: { capturedOre, refundedOre } }, effects }
}

function firstOutcome(
  order: OrderCore,
  payment: ObservedPayment,
  { at, notRenewed }: { at: Date; notRenewed: NotRenewed | null },
): OrderStep {
  switch (payment.state) {
    case 'CREATED':
      return unchanged(order)
    case 'ABORTED':
    case 'TERMINATED':
      return ended(order, 'avbrutt')
    case 'EXPIRED':
      return ended(order, 'utlopt')
    case 'AUTHORIZED':
      if (isMoneyGone(payment)) return ended(order, 'avbrutt')
      // A part of it was taken in the portal, and the rest let go: that buys no key, and is not ours to give back.
      if (payment.cancelledOre > 0) return differs(order)
      return reserved(
        {
          ...order,
          reservedAt: at,
          pspReference: payment.pspReference,
          guaranteedUntil: guaranteeOf(payment, order),
        },
        { at, notRenewed },
      )
  }
}

/** One that was over before it was ordered is no date: believed, each sale would be let go untried, and nobody told. */
function guaranteeOf(
  { captureGuaranteedUntil: until }: ObservedPayment,
  { createdAt }: OrderCore,
): Date | null {
  return until !== null && until > createdAt ? until : null
}

function reserved(
  order: OrderCore,
  { at, notRenewed }: { at: Date; notRenewed: NotRenewed | null },
): OrderStep {
  if (notRenewed === null) return startDelivery(order, at)
  return {
    order: { ...order, state: 'kanselleres', reason: notRenewed },
    effects: [{ errand: 'kanseller', number: order.deliveries, notBefore: at }],
  }
}

/** Once a key is out the money is due all the same: then an operator is told, and nothing else changes. */
function differs(order: OrderCore): OrderStep {
  if (order.state === 'opprettet')
    return { order: { ...order, state: 'avvik', alarm: 'betaling_avviker' }, effects: [] }
  if (isWaitingForKey(order))
    return {
      order: { ...order, state: 'avvik', alarm: 'betaling_avviker' },
      effects: ['tilbakekall_nokler'],
    }
  if (order.alarm !== null) return unchanged(order)
  return { order: { ...order, alarm: 'betaling_avviker' }, effects: [] }
}

/** Money of an order that gets no key, taken in the portal: an operator is told, until it is given back. What takes long does so still. */
function keptOrNot(order: OrderCore, { capturedOre, refundedOre }: ObservedPayment): OrderStep {
  // What was taken stays so: who tells of nothing that was given back asked before whoever told of it, and is heard after.
  if (order.alarm === 'betaling_avviker' && refundedOre === 0) return unchanged(order)
  const otherwise = order.alarm === WAITING_FOR_MONEY[order.state] ? order.alarm : null
  const alarm = capturedOre > refundedOre ? 'betaling_avviker' : otherwise
  return alarm === order.alarm ? unchanged(order) : { order: { ...order, alarm }, effects: [] }
}

function lost(order: OrderCore): OrderStep {
  return {
    order: { ...order, state: 'tapt', reason: 'trekk_umulig', alarm: 'trekk_umulig' },
    effects: ['tilbakekall_nokler'],
  }
}

function startDelivery(order: OrderCore, at: Date): OrderStep {
  const deliveries = order.deliveries + 1
  return {
    order: { ...order, state: 'reservert', deliveries },
    effects: [{ errand: 'lever', number: deliveries, notBefore: at }],
  }
}

function delivered(order: OrderCore, at: Date): OrderStep {
  return {
    order: { ...order, state: 'sendt', addressUntil: null, reason: null },
    effects: [{ errand: 'trekk', number: 1, notBefore: at }],
  }
}

function refused(order: OrderCore, at: Date, policy: OrderPolicy): OrderStep {
  const patience = at.getTime() + policy.otherAddressMs
  const addressUntil = new Date(Math.min(patience, deliverBy(order, policy).getTime()))
  return {
    order: { ...order, state: 'avvist', addressUntil, reason: 'adresse_avvist' },
    effects: [{ errand: 'kanseller', number: order.deliveries, notBefore: addressUntil }],
  }
}

/** At once: the errand that came with a refused address waits for another address until its time, and has that number. */
function revoked(order: OrderCore, at: Date): OrderStep {
  return {
    order: { ...order, state: 'kanselleres', addressUntil: null, reason: 'nokkel_tilbakekalt' },
    effects: ['tilbakekall_nokler', { errand: 'kanseller', number: order.deliveries + 1, notBefore: at }],
  }
}

function timePassed(order: OrderCore, at: Date, policy: OrderPolicy): OrderStep {
  if (order.state === 'reservert' && at >= deliverBy(order, policy))
    return {
      order: {
        ...order,
        state: 'kanselleres',
        reason: 'levering_oppgitt',
        alarm: isShortOfTime(order, policy) ? 'betaling_avviker' : order.alarm,
      },
      effects: ['tilbakekall_nokler', { errand: 'kanseller', number: order.deliveries, notBefore: at }],
    }
  // The errand that came with the refusal does the cancelling: it is what has brought us here.
  if (order.state === 'avvist' && at >= lastAddressAt(order))
    return { order: { ...order, state: 'kanselleres' }, effects: ['tilbakekall_nokler'] }
  return unchanged(order)
}

/** A week is guaranteed. Where that ends before a mail server may have been away for long, nobody else would hear of it. */
function isShortOfTime(order: OrderCore, policy: OrderPolicy): boolean {
  return deliverBy(order, policy).getTime() < (order.reservedAt?.getTime() ?? 0) + policy.deliverForMs
}

function lastAddressAt(order: OrderCore): Date {
  return order.addressUntil ?? new Date(0)
}

/** What an operator is told of an order whose money takes long, until it is settled. */
const WAITING_FOR_MONEY: Partial<Record<OrderState, OrderAlarm>> = {
  sendt: 'trekk_venter',
  kanselleres: 'kansellering_venter',
  refunderes: 'refusjon_venter',
}

/** Its alarm once its money is settled. */
function alarmAfter({ state, alarm }: OrderCore): OrderAlarm | null {
  return alarm === WAITING_FOR_MONEY[state] ? null : alarm
}

function captured(order: OrderCore, at: Date): OrderStep {
  return {
    order: { ...order, state: 'fullfort', capturedAt: at, alarm: alarmAfter(order) },
    effects: [{ errand: 'kvittering', number: 1, notBefore: at }],
  }
}

function refunded(order: OrderCore, at: Date): OrderStep {
  return {
    order: { ...order, state: 'refundert', refundedAt: at, alarm: alarmAfter(order) },
    effects: [{ errand: 'kreditnota', number: 1, notBefore: at }],
  }
}

function ended(order: OrderCore, state: 'avbrutt' | 'utlopt'): OrderStep {
  return { order: { ...order, state }, effects: [] }
}

function unchanged(order: OrderCore): OrderStep {
  return { order, effects: [] }
}

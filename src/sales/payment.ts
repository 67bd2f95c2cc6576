/** A payment as Vipps shows it when it is read back: what of it the sale looks at. */
export type ObservedPayment = {
  reference: string
  /** AUTHORIZED stays, whatever is captured or cancelled of it; CREATED alone can still become something else. */
  state: 'CREATED' | 'AUTHORIZED' | 'ABORTED' | 'EXPIRED' | 'TERMINATED'
  amountOre: number
  currency: string
  /** Null when the answer does not tell whose it is. */
  merchantSerialNumber: string | null
  authorizedOre: number
  capturedOre: number
  refundedOre: number
  cancelledOre: number
  pspReference: string
  /** Until when the reserved money can be counted on; null when it is not told. */
  captureGuaranteedUntil: Date | null
}

/** What of a payment has gone from hand to hand. */
export type MovedSums = Pick<ObservedPayment, 'capturedOre' | 'refundedOre'>

/** What the payment of an order has to be. */
export type ExpectedPayment = { reference: string; amountOre: number; currency: string; merchant: string }

/**
 * How a payment differs from the one we asked for; empty when it is the same. Nothing moves on a payment that differs: it
 * is not ours, or somebody has changed it.
 */
export function differencesOf(payment: ObservedPayment, expected: ExpectedPayment): string[] {
  const { merchantSerialNumber, amountOre } = payment
  const isReserved = payment.state === 'AUTHORIZED'
  const found = {
    referanse: payment.reference !== expected.reference,
    selger: merchantSerialNumber !== null && merchantSerialNumber !== expected.merchant,
    valuta: payment.currency !== expected.currency,
    belop: amountOre !== expected.amountOre || (isReserved && payment.authorizedOre !== expected.amountOre),
  }
  return Object.entries(found).flatMap(([name, isDifferent]) => (isDifferent ? [name] : []))
}

/**
 * Somebody let it go, or took it and gave it back, in the merchant's portal: nothing is left to be paid a key with, and nothing is
 * held any more.
 */
export function isMoneyGone(payment: ObservedPayment): boolean {
  const { authorizedOre, cancelledOre, capturedOre, refundedOre } = payment
  const isOver = capturedOre + cancelledOre >= authorizedOre
  return isOver && cancelledOre + refundedOre > 0 && capturedOre <= refundedOre
}

/** It was let go, or what was left of it; or it came to nothing that could be. One that was taken whole in the portal is not let go. */
export function isHeldNoMore(payment: ObservedPayment): boolean {
  const { state, authorizedOre, cancelledOre, capturedOre } = payment
  const isRestLetGo = cancelledOre > 0 && capturedOre + cancelledOre >= authorizedOre
  return state !== 'AUTHORIZED' || isRestLetGo || isMoneyGone(payment)
}

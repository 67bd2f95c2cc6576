import { VippsOurFaultError } from './errors.ts'

/** In øre, or whatever the hundredth of the currency (ISO 4217) is called. */
export type Sum = { amountOre: number; currency: string }

export type NewPayment = Sum & {
  /** Ours, of `[a-zA-Z0-9-]`, 8 to 50 long, unique for the sales unit for ever. */
  reference: string
  /** What the buyer reads in the app, 3 to 100 characters. */
  description: string
  /** Where the buyer comes back to, whatever the outcome. */
  returnUrl: string
  /** At most 50 characters. The same key with the same payment makes one payment, however often it is sent. */
  idempotencyKey: string
}

/**
 * What Vipps would refuse is refused here, before it costs a key or a reference. The reference stands in a path, so it is
 * also what keeps a call from reaching another interface.
 *
 * @throws VippsOurFaultError
 */
export function assertReference(reference: string, idempotencyKey?: string): void {
  // 50 in the 2024 specification and 64 in later text: what is within both is safe. Digits alone, or a zero in front, are
  // lost where somebody takes a reference for a number.
  if (!/^[a-zA-Z0-9-]{8,50}$/.test(reference) || /^[0-9]+$/.test(reference) || reference.startsWith('0')) {
    throw new VippsOurFaultError(
      'a reference is 8 to 50 of a-z, A-Z, 0-9 and -, not all digits, no 0 in front',
    )
  }
  if (idempotencyKey !== undefined && !/^[a-zA-Z0-9._-]{1,50}$/.test(idempotencyKey)) {
    throw new VippsOurFaultError('an idempotency key is 1 to 50 of a-z, A-Z, 0-9, ., _ and -')
  }
}

export function assertNewPayment(payment: NewPayment, { mayBePlain }: { mayBePlain: boolean }): void {
  assertReference(payment.reference, payment.idempotencyKey)
  assertSum(payment)
  if (payment.amountOre < SMALLEST_PAYMENT_ORE) {
    throw new VippsOurFaultError(`a payment is at least ${SMALLEST_PAYMENT_ORE} øre`)
  }
  if (payment.description.length < 3 || payment.description.length > 100) {
    throw new VippsOurFaultError('a description is 3 to 100 characters')
  }
  const { protocol } = URL.parse(payment.returnUrl) ?? {}
  if (protocol !== 'https:' && !(mayBePlain && protocol === 'http:')) {
    throw new VippsOurFaultError('the buyer comes back to an https address')
  }
}

export function assertSum({ amountOre, currency }: Sum): void {
  if (!Number.isSafeInteger(amountOre) || amountOre < 1) {
    throw new VippsOurFaultError('a sum is a whole number of øre above 0')
  }
  if (!/^[A-Z]{3}$/.test(currency)) throw new VippsOurFaultError('a currency is three capital letters')
}

const SMALLEST_PAYMENT_ORE = 100

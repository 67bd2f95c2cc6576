import type { Vipps } from '#src/vipps/client.ts'
import {
  VippsAlreadyDoneError,
  VippsError,
  VippsGoneError,
  VippsOurFaultError,
  VippsRefusedError,
  VippsUnknownError,
} from '#src/vipps/errors.ts'
import { PaymentRefusedError, PaymentUnavailableError } from './errors.ts'
import type { Payments, Settlement } from './ports.ts'

/** Payments by way of Vipps: what its refusals mean for an order. */
export function createPayments(
  vipps: Pick<Vipps, 'createPayment' | 'getPayment' | 'capture' | 'cancel' | 'refund'>,
  merchant: string,
): Payments {
  return {
    merchant,

    create: (payment, call) => orUnavailable(vipps.createPayment(payment, call)),

    async read(reference, call) {
      try {
        return await vipps.getPayment(reference, call)
      } catch (error) {
        if (error instanceof VippsUnknownError) return null
        throw meaningOf(error)
      }
    },

    capture: (capture, call) => settlement(vipps.capture(capture, call), 'refused'),

    refund: (refund, call) => settlement(vipps.refund(refund, call), 'refused'),

    letGo: (cancel, call) => settlement(vipps.cancel({ ...cancel, onlyUnapproved: true }, call), 'gone'),

    // A payment Vipps does not know reserves nothing.
    cancel: (cancel, call) => settlement(vipps.cancel(cancel, call), 'gone'),
  }
}

async function settlement(change: Promise<void>, ifUnknown: Settlement): Promise<Settlement> {
  try {
    await change
    return 'done'
  } catch (error) {
    if (error instanceof VippsGoneError) return 'gone'
    if (error instanceof VippsUnknownError) return ifUnknown
    throw meaningOf(error)
  }
}

async function orUnavailable<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw meaningOf(error)
  }
}

/** Credentials that are not taken say nothing of the payment: once they are right the same call is made again. */
function meaningOf(error: unknown): unknown {
  if (!(error instanceof VippsError)) return error
  const isRefused =
    error instanceof VippsOurFaultError ||
    error instanceof VippsRefusedError ||
    error instanceof VippsAlreadyDoneError ||
    error instanceof VippsUnknownError
  const isMade = error instanceof VippsOurFaultError
  return isRefused ? new PaymentRefusedError(error, { isMade }) : new PaymentUnavailableError(error)
}

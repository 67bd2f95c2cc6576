import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { VippsAnswerError } from './errors.ts'

/** The events of a payment that are worth a webhook to us. */
export const PAYMENT_EVENTS = [
  'epayments.payment.authorized.v1',
  'epayments.payment.captured.v1',
  'epayments.payment.cancelled.v1',
  'epayments.payment.refunded.v1',
  'epayments.payment.aborted.v1',
  'epayments.payment.expired.v1',
  'epayments.payment.terminated.v1',
] as const

/** A signal that something happened to a payment, never the truth about it: that is read back. */
export type WebhookEvent = {
  merchantSerialNumber: string
  reference: string
  /** The event's own, which is not the payment's. */
  pspReference: string
  /** `AUTHORIZED`, `CAPTURED` …; with the reference it names the event, however often it is delivered. */
  name: string
  amountOre: number
  currency: string
  occurredAt: Date
  isSuccess: boolean
}

/**
 * Reads the body of a delivery whose signature was verified. Fields that are not listed are left out: with shared profiles
 * a delivery may carry the buyer's name and address, which nobody here has asked for.
 *
 * @throws VippsAnswerError
 */
export function parseWebhookEvent(rawBody: Uint8Array): WebhookEvent {
  let body: unknown
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(rawBody))
  } catch {
    throw new VippsAnswerError('the delivery is not readable JSON')
  }
  const occurredAt = isEvent.Check(body) ? new Date(body.timestamp) : null
  if (!isEvent.Check(body) || occurredAt === null || Number.isNaN(occurredAt.getTime())) {
    throw new VippsAnswerError('the delivery does not have the shape of an event')
  }
  return {
    merchantSerialNumber: body.msn,
    reference: body.reference,
    pspReference: body.pspReference,
    name: body.name,
    amountOre: body.amount.value,
    currency: body.amount.currency,
    occurredAt,
    isSuccess: body.success,
  }
}

const isEvent = Compile(
  Type.Object({
    msn: Type.String({ minLength: 1, maxLength: 50 }),
    // Of ASCII alone, as both are: NUL is no text to PostgreSQL, and would be sent again for a week.
    reference: Type.String({ pattern: '^[!-~]{1,100}$' }),
    pspReference: Type.String({ pattern: '^[!-~]{1,200}$' }),
    name: Type.String({ pattern: '^[A-Z_]{1,50}$' }),
    amount: Type.Object({
      currency: Type.String({ pattern: '^[A-Z]{3}$' }),
      value: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    }),
    timestamp: Type.String({ maxLength: 50 }),
    success: Type.Boolean(),
  }),
)

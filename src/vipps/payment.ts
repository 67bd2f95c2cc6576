import { type Static, Type } from 'typebox'
import { VippsAnswerError } from './errors.ts'
import { nullish, ShortText, shape } from './shape.ts'

/** Final but for CREATED. There is no captured state: AUTHORIZED stays, and the money is in the sums. */
type PaymentState = 'CREATED' | 'AUTHORIZED' | 'ABORTED' | 'EXPIRED' | 'TERMINATED'

/** A payment as Vipps tells it now. Sums in øre of `currency`; nothing here was compared with what we asked for. */
export type Payment = {
  reference: string
  state: PaymentState
  amountOre: number
  currency: string
  /** null when the answer does not say: the documented one does not, but the call was made as one sales unit. */
  merchantSerialNumber: string | null
  pspReference: string
  authorizedOre: number
  capturedOre: number
  refundedOre: number
  cancelledOre: number
  /** Until when the card issuer stands by the reservation; null when not told. */
  captureGuaranteedUntil: Date | null
}

/** One line of a payment's log, oldest first as Vipps sends it. */
export type PaymentEvent = {
  name: string
  pspReference: string
  amountOre: number
  currency: string
  occurredAt: Date
  idempotencyKey: string | null
  isSuccess: boolean
}

export type WebhookRegistration = { id: string; url: string; events: string[] }

const Ore = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Amount = Type.Object({ currency: Type.String({ pattern: '^[A-Z]{3}$' }), value: Ore })

const CreatedBody = Type.Object({
  redirectUrl: Type.String({ minLength: 1, maxLength: 4000 }),
  reference: ShortText,
})

const PaymentBody = Type.Object({
  reference: ShortText,
  state: Type.Enum(['CREATED', 'AUTHORIZED', 'ABORTED', 'EXPIRED', 'TERMINATED'] satisfies PaymentState[]),
  amount: Amount,
  aggregate: Type.Object({
    authorizedAmount: Amount,
    cancelledAmount: Amount,
    capturedAmount: Amount,
    refundedAmount: Amount,
  }),
  pspReference: ShortText,
  merchantSerialNumber: nullish(ShortText),
  captureGuaranteedUntil: nullish(ShortText),
})

const EventsBody = Type.Array(
  Type.Object({
    name: ShortText,
    pspReference: ShortText,
    amount: Amount,
    timestamp: ShortText,
    idempotencyKey: nullish(ShortText),
    success: nullish(Type.Boolean()),
  }),
  { maxItems: 1000 },
)

const RegisteredBody = Type.Object({ id: ShortText, secret: Type.String({ minLength: 16, maxLength: 500 }) })

const RegistrationsBody = Type.Object({
  webhooks: Type.Array(
    Type.Object({ id: ShortText, url: Type.String({ maxLength: 4000 }), events: Type.Array(ShortText) }),
    { maxItems: 1000 },
  ),
})

const TokenBody = Type.Object({
  access_token: Type.String({ pattern: '^[\\x21-\\x7e]{1,8000}$' }),
  // Sent as text; the documents show it as a number too.
  expires_in: Type.Union([Type.Integer({ minimum: 1 }), Type.String({ pattern: '^[0-9]{1,9}$' })]),
})

const readCreated = shape(CreatedBody, 'a created payment')
const readPaymentBody = shape(PaymentBody, 'a payment')
const readEventBodies = shape(EventsBody, "a payment's log")
const readRegistrationBodies = shape(RegistrationsBody, 'a list of webhooks')

/** @throws VippsAnswerError, as every reader here, when the answer has another shape. Fields not known are passed over. */
export const parseCreated: (body: unknown) => Static<typeof CreatedBody> = readCreated

export const parseRegistered: (body: unknown) => Static<typeof RegisteredBody> = shape(
  RegisteredBody,
  'a registered webhook',
)

export const parseToken: (body: unknown) => Static<typeof TokenBody> = shape(TokenBody, 'an access token')

export function parsePayment(body: unknown): Payment {
  const { aggregate, amount, ...payment } = readPaymentBody(body)
  if (Object.values(aggregate).some(({ currency }) => currency !== amount.currency)) {
    throw new VippsAnswerError('the sums of one payment are in different currencies')
  }
  return {
    reference: payment.reference,
    state: payment.state,
    amountOre: amount.value,
    currency: amount.currency,
    merchantSerialNumber: payment.merchantSerialNumber ?? null,
    pspReference: payment.pspReference,
    authorizedOre: aggregate.authorizedAmount.value,
    capturedOre: aggregate.capturedAmount.value,
    refundedOre: aggregate.refundedAmount.value,
    cancelledOre: aggregate.cancelledAmount.value,
    captureGuaranteedUntil: dateOrNull(payment.captureGuaranteedUntil),
  }
}

export function parseEvents(body: unknown): PaymentEvent[] {
  return readEventBodies(body).map(({ amount, timestamp, idempotencyKey, success, ...event }) => {
    const occurredAt = dateOrNull(timestamp)
    if (occurredAt === null) throw new VippsAnswerError("a line of a payment's log has no readable time")
    return {
      name: event.name,
      pspReference: event.pspReference,
      amountOre: amount.value,
      currency: amount.currency,
      occurredAt,
      idempotencyKey: idempotencyKey ?? null,
      isSuccess: success !== false,
    }
  })
}

export function parseRegistrations(body: unknown): WebhookRegistration[] {
  return readRegistrationBodies(body).webhooks.map(({ id, url, events }) => ({ id, url, events }))
}

function dateOrNull(text: string | null | undefined): Date | null {
  const at = Date.parse(text ?? '')
  return Number.isNaN(at) ? null : new Date(at)
}

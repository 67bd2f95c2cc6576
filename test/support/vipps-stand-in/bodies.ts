import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { StandInPayment } from './payments.ts'
import { Refusal } from './problems.ts'
import { EVENT_TYPES } from './webhooks.ts'

/** What may be asked; a field that is not here is refused. */
const strict = { additionalProperties: false }
const Amount = Type.Object(
  { currency: Type.String({ pattern: '^[A-Z]{3}$' }), value: Type.Integer() },
  strict,
)
const CreateBody = Type.Object(
  {
    amount: Amount,
    paymentMethod: Type.Object({ type: Type.Literal('WALLET') }, strict),
    reference: Type.String({ pattern: '^[a-zA-Z0-9-]{8,50}$' }),
    userFlow: Type.Literal('WEB_REDIRECT'),
    returnUrl: Type.String(),
    paymentDescription: Type.String({ minLength: 3, maxLength: 100 }),
  },
  strict,
)
const SumBody = Type.Object({ modificationAmount: Amount }, strict)
const CancelBody = Type.Object({ cancelTransactionOnly: Type.Optional(Type.Boolean()) }, strict)
const WebhookBody = Type.Object(
  { url: Type.String(), events: Type.Array(Type.String(), { minItems: 1 }) },
  strict,
)

export function newPayment(body: string) {
  const { amount, reference, returnUrl, paymentDescription } = read(CreateBody, body)
  if (amount.value < 100) throw new Refusal(400, 'Amount too small', { errorCode: 6010 })
  if (amount.currency !== 'NOK') throw new Refusal(400, 'Invalid currency for merchant', { errorCode: 5040 })
  if (!isAddress(returnUrl)) throw new Refusal(400, 'Invalid URL', { errorCode: 4090 })
  const { value: amountOre, currency } = amount
  return { reference, amountOre, currency, description: paymentDescription, returnUrl }
}

export function sumOf(body: string) {
  const { value: amountOre, currency } = read(SumBody, body).modificationAmount
  if (amountOre < 1) throw new Refusal(400, 'Invalid amount', { errorCode: 4040 })
  return { amountOre, currency }
}

export function isForUnapprovedOnly(body: string): boolean {
  return read(CancelBody, body === '' ? '{}' : body).cancelTransactionOnly ?? false
}

export function newWebhook(body: string) {
  const { url, events } = read(WebhookBody, body)
  if (!isAddress(url)) throw new Refusal(400, 'Invalid URL', { field: 'url' })
  if (!events.every((event) => EVENT_TYPES.includes(event))) {
    throw new Refusal(400, 'Unknown event', { field: 'events' })
  }
  return { url, events }
}

function read<S extends TSchema>(schema: S, body: string): Static<S> {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    throw new Refusal(400, 'The body is not JSON')
  }
  const [error] = Compile(schema).Errors(value)
  if (error !== undefined) throw new Refusal(400, 'Malformed body', { field: error.instancePath || 'body' })
  return value as Static<S>
}

/** The real one takes https alone; pages of this machine are what the stand-in is for. */
function isAddress(text: string): boolean {
  const url = URL.parse(text)
  if (url?.protocol === 'https:') return true
  return url?.protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(url.hostname)
}

export function created({ reference, landing }: StandInPayment, origin: string) {
  return { redirectUrl: `${origin}/betal/${landing}`, reference }
}

export function paymentBody(payment: StandInPayment) {
  const authorized = payment.events.find(({ name }) => name === 'AUTHORIZED')
  return {
    ...modified(payment),
    paymentMethod: { type: 'WALLET' },
    profile: {},
    ...(authorized === undefined
      ? {}
      : { captureGuaranteedUntil: new Date(authorized.at.getTime() + 7 * 24 * 3_600_000).toISOString() }),
  }
}

export function modified(payment: StandInPayment) {
  const { currency } = payment
  const amount = (value: number) => ({ currency, value })
  return {
    aggregate: {
      authorizedAmount: amount(payment.authorizedOre),
      cancelledAmount: amount(payment.cancelledOre),
      capturedAmount: amount(payment.capturedOre),
      refundedAmount: amount(payment.refundedOre),
    },
    amount: amount(payment.amountOre),
    state: payment.state,
    pspReference: payment.pspReference,
    reference: payment.reference,
  }
}

export function eventBodies({ reference, currency, events }: StandInPayment) {
  return events.map(({ name, pspReference, amountOre, idempotencyKey, at }) => ({
    reference,
    pspReference,
    name,
    amount: { currency, value: amountOre },
    timestamp: at.toISOString(),
    ...(idempotencyKey === null ? {} : { idempotencyKey }),
    success: true,
  }))
}

import { randomBytes, randomUUID } from 'node:crypto'
import type { Clock } from '#src/core/clock.ts'
import { Refusal } from './problems.ts'

export type StandInEvent = {
  name:
    | 'CREATED'
    | 'AUTHORIZED'
    | 'ABORTED'
    | 'EXPIRED'
    | 'TERMINATED'
    | 'CAPTURED'
    | 'CANCELLED'
    | 'REFUNDED'
  pspReference: string
  amountOre: number
  idempotencyKey: string | null
  at: Date
}

export type StandInPayment = {
  reference: string
  amountOre: number
  currency: string
  description: string
  returnUrl: string
  state: 'CREATED' | 'AUTHORIZED' | 'ABORTED' | 'EXPIRED' | 'TERMINATED'
  authorizedOre: number
  capturedOre: number
  refundedOre: number
  cancelledOre: number
  pspReference: string
  /** Stands in the address the buyer is sent to. */
  landing: string
  createdAt: Date
  events: StandInEvent[]
}

type New = Pick<StandInPayment, 'reference' | 'amountOre' | 'currency' | 'description' | 'returnUrl'>
type Change = { reference: string; idempotencyKey: string | null }
type Sum = { amountOre: number; currency: string }

export type StandInPayments = ReturnType<typeof createStandInPayments>

/**
 * Payments and the money in them, by the rules of ePayment: what is approved is reserved; captured and cancelled together
 * are never more than reserved, refunded never more than captured; AUTHORIZED is the last state there is.
 * A payment nobody approves within `lifeMs` of the clock has expired by the time anybody looks.
 */
export function createStandInPayments(options: {
  clock: Clock
  lifeMs: number
  /** Called after each change, with the payment as it is then. */
  onEvent: (payment: StandInPayment, event: StandInEvent) => void
}) {
  const { clock, lifeMs, onEvent } = options
  const byReference = new Map<string, StandInPayment>()

  function found(reference: string): StandInPayment {
    expireOld()
    const payment = byReference.get(reference)
    if (payment === undefined) throw new Refusal(404, 'Reference not found', { errorCode: 5090 })
    return payment
  }

  function happened(
    payment: StandInPayment,
    name: StandInEvent['name'],
    amountOre: number,
    idempotencyKey: string | null,
  ): StandInPayment {
    // The payment's own reference is that of its first event; the others have one each.
    const pspReference = name === 'CREATED' ? payment.pspReference : randomUUID()
    const event = { name, pspReference, amountOre, idempotencyKey, at: clock.now() }
    payment.events.push(event)
    onEvent(payment, event)
    return payment
  }

  function expireOld(): void {
    for (const payment of byReference.values()) {
      const isOver = clock.now().getTime() >= payment.createdAt.getTime() + lifeMs
      if (payment.state === 'CREATED' && isOver) end(payment, 'EXPIRED')
    }
  }

  function end(
    payment: StandInPayment,
    state: 'ABORTED' | 'EXPIRED' | 'TERMINATED',
    key: string | null = null,
  ) {
    payment.state = state
    return happened(payment, state, payment.amountOre, key)
  }

  function undecided(reference: string): StandInPayment {
    const payment = found(reference)
    if (payment.state !== 'CREATED') throw new Error(`the payment ${reference} is ${payment.state} already`)
    return payment
  }

  return {
    find(reference: string): StandInPayment | null {
      expireOld()
      return byReference.get(reference) ?? null
    },

    get: found,

    ofLanding(landing: string): StandInPayment | null {
      expireOld()
      return [...byReference.values()].find((payment) => payment.landing === landing) ?? null
    },

    /** Oldest first. */
    all(): StandInPayment[] {
      expireOld()
      return [...byReference.values()]
    },

    create(payment: New, idempotencyKey: string | null): StandInPayment {
      if (byReference.has(payment.reference)) throw new Refusal(409, 'Reference exists', { errorCode: 4150 })
      const created: StandInPayment = {
        ...payment,
        state: 'CREATED',
        authorizedOre: 0,
        capturedOre: 0,
        refundedOre: 0,
        cancelledOre: 0,
        pspReference: randomUUID(),
        landing: randomBytes(16).toString('hex'),
        createdAt: clock.now(),
        events: [],
      }
      byReference.set(payment.reference, created)
      return happened(created, 'CREATED', payment.amountOre, idempotencyKey)
    },

    /** The buyer says yes. Throws when there is nothing left to decide, and so do `refuse` and `expire`. */
    approve(reference: string): StandInPayment {
      const payment = undecided(reference)
      payment.state = 'AUTHORIZED'
      payment.authorizedOre = payment.amountOre
      return happened(payment, 'AUTHORIZED', payment.amountOre, null)
    },

    refuse: (reference: string) => end(undecided(reference), 'ABORTED'),

    expire: (reference: string) => end(undecided(reference), 'EXPIRED'),

    capture({ reference, amountOre, currency, idempotencyKey }: Change & Sum): StandInPayment {
      const payment = found(reference)
      sameCurrency(payment, currency)
      if (payment.state === 'CREATED') refuse(6080, 'Cannot capture before reservation')
      if (payment.state !== 'AUTHORIZED') refuse(6200, 'Payment cannot be captured')
      if (payment.capturedOre === payment.authorizedOre) refuse(6170, 'Payment already captured')
      if (payment.cancelledOre > 0) refuse(6070, 'Cannot capture a cancelled payment')
      if (amountOre > payment.authorizedOre - payment.capturedOre) refuse(6090, 'Capture amount too high')
      payment.capturedOre += amountOre
      return happened(payment, 'CAPTURED', amountOre, idempotencyKey)
    },

    cancel({
      reference,
      idempotencyKey,
      onlyUnapproved,
    }: Change & { onlyUnapproved: boolean }): StandInPayment {
      const payment = found(reference)
      if (payment.state === 'CREATED') return end(payment, 'TERMINATED', idempotencyKey)
      if (payment.state !== 'AUTHORIZED') refuse(6190, 'Payment cannot be cancelled')
      if (onlyUnapproved) refuse(6060, 'Cannot cancel authorized payment')
      const left = payment.authorizedOre - payment.capturedOre - payment.cancelledOre
      if (left === 0 && payment.capturedOre > 0) refuse(6040, 'Cannot cancel a captured payment')
      if (left === 0) refuse(6190, 'Payment cannot be cancelled')
      payment.cancelledOre += left
      return happened(payment, 'CANCELLED', left, idempotencyKey)
    },

    refund({ reference, amountOre, currency, idempotencyKey }: Change & Sum): StandInPayment {
      const payment = found(reference)
      sameCurrency(payment, currency)
      if (payment.state !== 'AUTHORIZED') refuse(6210, 'Payment cannot be refunded')
      if (payment.capturedOre === 0) refuse(6210, 'Payment cannot be refunded')
      if (payment.refundedOre === payment.capturedOre) refuse(6180, 'Payment already refunded')
      if (amountOre > payment.capturedOre - payment.refundedOre) refuse(6150, 'Not enough refundable')
      payment.refundedOre += amountOre
      return happened(payment, 'REFUNDED', amountOre, idempotencyKey)
    },
  }
}

function sameCurrency(payment: StandInPayment, currency: string): void {
  if (currency !== payment.currency) refuse(5040, 'Invalid currency for merchant')
}

function refuse(errorCode: number, title: string): never {
  throw new Refusal(400, title, { errorCode })
}

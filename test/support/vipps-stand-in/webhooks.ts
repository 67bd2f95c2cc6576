import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '#src/core/clock.ts'
import type { StandInEvent, StandInPayment } from './payments.ts'
import { signWebhook } from './sign-webhook.ts'

type Registration = { id: string; url: string; events: string[]; secret: string }

type EventBody = {
  msn: string
  reference: string
  pspReference: string
  name: string
  amount: { currency: string; value: number }
  timestamp: string
  idempotencyKey?: string
  success: boolean
}

/** One event on its way to one registration. `answers`: the status of every attempt, null where none came. */
type Delivery = { registration: Registration; event: EventBody; answers: (number | null)[] }

/** A delivery as it goes over the wire; what changes one byte of it is a forgery. */
export type SignedRequest = { url: string; headers: Record<string, string>; body: Buffer }

type DeliverHow = {
  order?: (held: readonly Delivery[]) => readonly Delivery[]
  times?: number
  /** All at one moment instead of one after another. */
  together?: boolean
}

export type StandInWebhooks = {
  /** As over the interface. Without `events`, all there are. */
  register(url: string, events?: readonly string[]): Registration
  registrations(): Registration[]
  /** As when nobody answered for two weeks: the registration is gone without a word. */
  forget(id: string): void
  /** From now on events wait. */
  hold(): void
  held(): readonly Delivery[]
  /** Sends what waits, once or so many `times`, and gives the statuses in the order sent. What is not taken goes on waiting. */
  deliverHeld(how?: DeliverHow): Promise<(number | null)[]>
  /** What waits is delivered in its order, and what comes is delivered at once again. */
  release(): void
  /** From now on every delivery is made so many times at one moment. */
  duplicate(times: number): void
  /** From now on no event is ever delivered. `release` ends it; what happened meanwhile is lost. */
  never(): void
  /** Any event, signed with the secret of the first registration. `tamper` changes what was signed. */
  send(event: Partial<EventBody>, tamper?: (request: SignedRequest) => SignedRequest): Promise<number | null>
  /** Every delivery since the start, the lost ones too. */
  deliveries(): readonly Delivery[]
  /** When all that is to be delivered was taken. */
  settled(): Promise<void>
}

export const EVENT_TYPES = [
  'created',
  'authorized',
  'captured',
  'cancelled',
  'refunded',
  'aborted',
  'expired',
  'terminated',
].map((name) => `epayments.payment.${name}.v1`)

/**
 * Delivers events as Vipps does: signed, again after anything but 200, and in order: while one event of a payment is not
 * taken, those that follow it wait behind it, for each registration by itself.
 */
export function createStandInWebhooks(options: {
  clock: Clock
  merchantSerialNumber: string
  /** Before the second attempt, the third and so on; the last one for all that follow. */
  retryWaitsMs: readonly number[]
  /** An attempt that is not answered within this has failed. */
  answerWithinMs: number
}): StandInWebhooks & {
  publish(payment: StandInPayment, event: StandInEvent): void
  close(): Promise<void>
} {
  const { clock, merchantSerialNumber, retryWaitsMs, answerWithinMs } = options
  const closed = new AbortController()
  const registrations = new Map<string, Registration>()
  const deliveries: Delivery[] = []
  const lines = new Map<string, Promise<void>>()
  let held: Delivery[] = []
  let mode: 'at once' | 'held' | 'never' = 'at once'
  let copies = 1

  async function attempt(delivery: Delivery): Promise<number | null> {
    const status = await post(signed(delivery.registration, delivery.event))
    delivery.answers.push(status)
    return status
  }

  function signed({ url, secret }: Registration, event: EventBody): SignedRequest {
    const body = Buffer.from(JSON.stringify(event))
    const headers = signWebhook({ url, body, secret, date: clock.now() })
    return { url, headers: { 'content-type': 'application/json; charset=utf-8', ...headers }, body }
  }

  async function post({ url, headers, body }: SignedRequest): Promise<number | null> {
    const signal = AbortSignal.any([closed.signal, AbortSignal.timeout(answerWithinMs)])
    try {
      const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
      await answer.arrayBuffer()
      return answer.status
    } catch {
      return null
    }
  }

  async function untilTaken(delivery: Delivery): Promise<void> {
    for (
      let failures = 0;
      !closed.signal.aborted && registrations.has(delivery.registration.id);
      failures += 1
    ) {
      const statuses = await Promise.all(Array.from({ length: copies }, () => attempt(delivery)))
      if (statuses.every((status) => status === 200)) return
      const waitMs = retryWaitsMs[Math.min(failures, retryWaitsMs.length - 1)] ?? 0
      await pause(waitMs, undefined, { signal: closed.signal }).catch(() => undefined)
    }
  }

  function inLine(delivery: Delivery): void {
    const line = `${delivery.registration.id} ${delivery.event.reference}`
    const before = lines.get(line) ?? Promise.resolve()
    const turn = before
      .then(() => untilTaken(delivery))
      .finally(() => {
        if (lines.get(line) === turn) lines.delete(line)
      })
    lines.set(line, turn)
  }

  function register(url: string, events: readonly string[] = EVENT_TYPES): Registration {
    const secret = randomBytes(64).toString('base64')
    const registration = { id: randomUUID(), url, events: [...events], secret }
    registrations.set(registration.id, registration)
    return registration
  }

  return {
    register,
    registrations: () => [...registrations.values()],
    forget: (id) => void registrations.delete(id),

    publish(payment, event) {
      for (const registration of registrations.values()) {
        if (!registration.events.includes(`epayments.payment.${event.name.toLowerCase()}.v1`)) continue
        const delivery = { registration, event: bodyOf(merchantSerialNumber, payment, event), answers: [] }
        deliveries.push(delivery)
        if (mode === 'held') held.push(delivery)
        if (mode === 'at once') inLine(delivery)
      }
    },

    hold() {
      mode = 'held'
    },
    held: () => held,

    async deliverHeld({ order = (waiting) => waiting, times = 1, together = false }: DeliverHow = {}) {
      const taken = new Set<Delivery>()
      const sendOne = async (delivery: Delivery) => {
        const status = await attempt(delivery)
        if (status === 200) taken.add(delivery)
        return status
      }
      const all = order(held).flatMap((delivery) => Array<Delivery>(times).fill(delivery))
      const statuses: (number | null)[] = []
      if (together) statuses.push(...(await Promise.all(all.map(sendOne))))
      else for (const delivery of all) statuses.push(await sendOne(delivery))
      held = held.filter((delivery) => !taken.has(delivery))
      return statuses
    },

    release() {
      mode = 'at once'
      for (const delivery of held.splice(0)) inLine(delivery)
    },
    duplicate(times) {
      copies = times
    },
    never() {
      mode = 'never'
    },

    async send(event, tamper = (request) => request) {
      const [registration] = registrations.values()
      if (registration === undefined) throw new Error('nothing is registered that could be sent to')
      const body = {
        msn: merchantSerialNumber,
        reference: 'ukjent-referanse-1',
        pspReference: randomUUID(),
        name: 'AUTHORIZED',
        amount: { currency: 'NOK', value: 100 },
        timestamp: clock.now().toISOString(),
        success: true,
        ...event,
      }
      return post(tamper(signed(registration, body)))
    },

    deliveries: () => deliveries,

    async settled() {
      while (lines.size > 0) await Promise.all(lines.values())
    },

    async close() {
      closed.abort()
      await Promise.all(lines.values())
    },
  }
}

function bodyOf(msn: string, payment: StandInPayment, event: StandInEvent): EventBody {
  return {
    msn,
    reference: payment.reference,
    pspReference: event.pspReference,
    name: event.name,
    amount: { currency: payment.currency, value: event.amountOre },
    timestamp: event.at.toISOString(),
    ...(event.idempotencyKey === null ? {} : { idempotencyKey: event.idempotencyKey }),
    success: true,
  }
}

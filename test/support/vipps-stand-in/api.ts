import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '#src/core/clock.ts'
import { jsonReply, type Reply } from '../register-stand-in/reply.ts'
import {
  created,
  eventBodies,
  isForUnapprovedOnly,
  modified,
  newPayment,
  newWebhook,
  paymentBody,
  sumOf,
} from './bodies.ts'
import type { VippsCallName } from './faults.ts'
import { createAnswered, isKept } from './idempotency.ts'
import type { StandInPayments } from './payments.ts'
import { problem, Refusal } from './problems.ts'
import { ledgers, report } from './report.ts'
import type { ApiRequest, Route } from './routes.ts'
import type { StandInWebhooks } from './webhooks.ts'

export type Credentials = {
  clientId: string
  clientSecret: string
  subscriptionKey: string
  merchantSerialNumber: string
}

/**
 * The interface itself: tokens, ePayment and webhooks of one sales unit, with the refusals it is documented to give.
 * Fields it does not know are refused, as the real one does.
 */
export function createVippsApi(options: {
  credentials: Credentials
  clock: Clock
  payments: StandInPayments
  webhooks: StandInWebhooks
  /** Where buyers are sent: the stand-in's own address. */
  origin: () => string
  tokenLifeSeconds: number
  withRateLimits: boolean
}) {
  const { credentials, clock, payments, webhooks } = options
  const tokens = new Map<string, number>()
  const answered = createAnswered()
  const recent = new Map<string, number[]>()

  function token({ headers, body }: ApiRequest): Reply {
    const isOurs =
      headers.client_id === credentials.clientId &&
      headers.client_secret === credentials.clientSecret &&
      isSalesUnit(headers)
    if (!isOurs) return problem(401, 'Unauthorized')
    if (body !== '') return problem(400, 'The body has to be empty')
    const access_token = `standin.${randomBytes(32).toString('base64url')}`
    tokens.set(access_token, clock.now().getTime() + options.tokenLifeSeconds * 1000)
    return jsonReply(200, {
      token_type: 'Bearer',
      expires_in: String(options.tokenLifeSeconds),
      access_token,
    })
  }

  function isSalesUnit(headers: IncomingHttpHeaders): boolean {
    return (
      headers['ocp-apim-subscription-key'] === credentials.subscriptionKey &&
      headers['merchant-serial-number'] === credentials.merchantSerialNumber
    )
  }

  function isAuthorized(headers: IncomingHttpHeaders): boolean {
    const given = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
    return isSalesUnit(headers) && (tokens.get(given) ?? 0) > clock.now().getTime()
  }

  function isTooOften(call: VippsCallName, reference: string | null): boolean {
    const most = PER_MINUTE[call]
    if (!options.withRateLimits || most === undefined) return false
    const now = clock.now().getTime()
    const name = `${call} ${reference}`
    const within = (recent.get(name) ?? []).filter((at) => at > now - 60_000)
    recent.set(name, [...within, now])
    return within.length >= most
  }

  function act(route: Route, request: ApiRequest): Reply {
    const reference = route.reference ?? ''
    const key = keyOf(request)
    switch (route.call) {
      case 'create':
        return jsonReply(201, created(payments.create(newPayment(request.body), key), options.origin()))
      case 'get':
        return jsonReply(200, paymentBody(payments.get(reference)))
      case 'events':
        return jsonReply(200, eventBodies(payments.get(reference)))
      case 'capture':
        return jsonReply(
          200,
          modified(payments.capture({ reference, idempotencyKey: key, ...sumOf(request.body) })),
        )
      case 'refund':
        return jsonReply(
          200,
          modified(payments.refund({ reference, idempotencyKey: key, ...sumOf(request.body) })),
        )
      case 'cancel': {
        const onlyUnapproved = isForUnapprovedOnly(request.body)
        return jsonReply(200, modified(payments.cancel({ reference, idempotencyKey: key, onlyUnapproved })))
      }
      case 'ledgers':
        return jsonReply(200, ledgers(credentials.merchantSerialNumber))
      case 'report':
        return jsonReply(200, report(payments.all(), reference, request.query, clock.now()))
      case 'registerWebhook': {
        const { url, events } = newWebhook(request.body)
        const { id, secret } = webhooks.register(url, events)
        return jsonReply(201, { id, secret })
      }
      case 'listWebhooks':
        return jsonReply(200, {
          webhooks: webhooks.registrations().map(({ id, url, events }) => ({ id, url, events })),
        })
      case 'deleteWebhook': {
        if (!webhooks.registrations().some(({ id }) => id === reference))
          throw new Refusal(404, 'Webhook not found')
        webhooks.forget(reference)
        return { status: 204, headers: {}, body: Buffer.alloc(0) }
      }
      case 'token':
        return token(request)
    }
  }

  return {
    /** From now on no token that was given out is taken. */
    revokeTokens: () => tokens.clear(),

    /** `instead`: the answer a fault puts in the place of the work; it is kept for the idempotency key as any other. */
    answer(route: Route, request: ApiRequest, instead: Reply | null): Reply {
      if (route.call !== 'token' && !isAuthorized(request.headers)) return problem(401, 'Unauthorized')
      if (isTooOften(route.call, route.reference)) {
        return problem(429, 'Too many requests', {}, { 'retry-after': '60' })
      }
      // What passes is told to every call it meets, also to one that was answered before.
      if (instead !== null && !isKept(instead)) return instead
      const isChange = ['create', 'capture', 'refund', 'cancel'].includes(route.call)
      const key = isChange ? keyOf(request) : null
      if (isChange && route.call !== 'cancel' && key === null) {
        return problem(400, 'Idempotency-Key is required', { field: 'Idempotency-Key' })
      }
      return answered.once(route.call, key, `${request.path}\n${request.body}`, () => {
        try {
          return instead ?? act(route, request)
        } catch (error) {
          if (error instanceof Refusal) return error.reply
          throw error
        }
      })
    },
  }
}

const PER_MINUTE: Partial<Record<VippsCallName, number>> = {
  create: 5,
  capture: 5,
  cancel: 5,
  refund: 5,
  get: 120,
  events: 120,
}

function keyOf({ headers }: ApiRequest): string | null {
  const key = headers['idempotency-key']
  return typeof key === 'string' && key !== '' && key.length <= 50 ? key : null
}

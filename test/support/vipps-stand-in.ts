import { randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Clock, systemClock } from '#src/core/clock.ts'
import type { Reply } from './register-stand-in/reply.ts'
import { type Credentials, createVippsApi } from './vipps-stand-in/api.ts'
import { createVippsFaults, type VippsCallName, type VippsFaults } from './vipps-stand-in/faults.ts'
import { createLedger, type Ledger } from './vipps-stand-in/ledger.ts'
import { insteadOfWork, send } from './vipps-stand-in/misbehave.ts'
import { backTo, landingPage, noSuchPage, paymentsPage } from './vipps-stand-in/pages.ts'
import { createStandInPayments, type StandInPayment } from './vipps-stand-in/payments.ts'
import { nowhere } from './vipps-stand-in/problems.ts'
import { type ApiRequest, routeOf } from './vipps-stand-in/routes.ts'
import { createStandInWebhooks, type StandInWebhooks } from './vipps-stand-in/webhooks.ts'

export type { VippsFault } from './vipps-stand-in/faults.ts'
export type { SignedRequest } from './vipps-stand-in/webhooks.ts'

/** A call that reached the stand-in, refused or not. */
type VippsCallSeen = {
  call: VippsCallName
  reference: string | null
  idempotencyKey: string | null
  headers: IncomingHttpHeaders
  body: string
}

export type VippsStandIn = VippsFaults & {
  /** Origin, without a slash at the end. `/betalinger` there lists all payments. */
  url: string
  credentials: Credentials
  payments: {
    find(reference: string): StandInPayment | null
    all(): StandInPayment[]
  }
  /** What the buyer does, or the clock. Throws when nothing is left to decide. */
  approve(reference: string): void
  refuse(reference: string): void
  expire(reference: string): void
  webhooks: StandInWebhooks
  ledger(): Ledger
  /** Calls seen since the start: by name and payment, or all of them. */
  calls(call?: VippsCallName, reference?: string): VippsCallSeen[]
  /** From now on no access token that was given out is taken. */
  revokeTokens(): void
  /** Ends every connection, delivery and wait, and stops listening. */
  close(): Promise<void>
}

/**
 * Starts a real HTTP server that is Vipps to whoever is told its address: access tokens, ePayment, webhooks that are signed
 * and delivered, and a page where one approves or refuses. Its payments and its ledger are its own and outlive the service.
 *
 * @param webhookUrl registered for every event from the start; others register over the interface
 * @param paymentLifeMs by `clock`, after which a payment nobody approved is expired by the time anybody looks
 * @param withRateLimits 5 changes and 120 readings a minute for each payment, by `clock`
 */
export async function startVippsStandIn({
  webhookUrl,
  clock = systemClock,
  port = 0,
  host = '127.0.0.1',
  paymentLifeMs = 10 * 60_000,
  tokenLifeSeconds = 3600,
  withRateLimits = false,
  retryWaitsMs = [20, 20, 20, 20, 200, 500],
  answerWithinMs = 10_000,
}: {
  webhookUrl?: string
  clock?: Clock
  port?: number
  host?: string
  paymentLifeMs?: number
  tokenLifeSeconds?: number
  withRateLimits?: boolean
  retryWaitsMs?: readonly number[]
  answerWithinMs?: number
} = {}): Promise<VippsStandIn> {
  const credentials = inventedCredentials()
  const { merchantSerialNumber } = credentials
  const webhooks = createStandInWebhooks({ clock, merchantSerialNumber, retryWaitsMs, answerWithinMs })
  const ledger = createLedger()
  const payments = createStandInPayments({
    clock,
    lifeMs: paymentLifeMs,
    onEvent: (payment, event) => {
      ledger.enter(payment, event)
      webhooks.publish(payment, event)
    },
  })
  const faults = createVippsFaults()
  const seen: VippsCallSeen[] = []
  let url = ''
  const origin = () => url
  const api = createVippsApi({
    credentials,
    clock,
    payments,
    webhooks,
    origin,
    tokenLifeSeconds,
    withRateLimits,
  })

  const server = createServer(answerOne)

  async function answerOne(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = new AbortController()
    response.once('close', () => left.abort())
    // A caller may be gone before its request is whole: then nothing was asked.
    const body = await text(incoming).catch(() => null)
    if (body === null) return
    const [path = '', query = ''] = incoming.url?.split('?') ?? []
    const request: ApiRequest = {
      method: incoming.method ?? '',
      path,
      query: new URLSearchParams(query),
      headers: incoming.headers,
      body,
    }
    const page = pageOf(request)
    if (page !== null) return send(response, page, null, left.signal)

    const route = routeOf(request)
    if (route === null) return send(response, nowhere(), null, left.signal)
    const key = request.headers['idempotency-key']
    seen.push({
      ...route,
      idempotencyKey: typeof key === 'string' ? key : null,
      headers: request.headers,
      body,
    })
    const fault = faults.meets(route.call, route.reference)
    const reply = api.answer(route, request, insteadOfWork(fault))
    await send(response, reply, fault, left.signal)
  }

  function pageOf({ method, path }: ApiRequest): Reply | null {
    if (method === 'GET' && (path === '/' || path === '/betalinger')) return paymentsPage(payments.all())
    const [, landing, act] = /^\/betal\/([0-9a-f]+)(?:\/(godkjenn|avvis))?$/.exec(path) ?? []
    if (landing === undefined) return null
    const payment = payments.ofLanding(landing)
    if (payment === null) return noSuchPage()
    if (method !== 'POST' || act === undefined || payment.state !== 'CREATED') return landingPage(payment)
    if (act === 'godkjenn') payments.approve(payment.reference)
    else payments.refuse(payment.reference)
    return backTo(payment.returnUrl)
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  url = `http://${host}:${(server.address() as AddressInfo).port}`
  if (webhookUrl !== undefined) webhooks.register(webhookUrl)

  return {
    url,
    credentials,
    payments: { find: payments.find, all: payments.all },
    approve: (reference) => void payments.approve(reference),
    refuse: (reference) => void payments.refuse(reference),
    expire: (reference) => void payments.expire(reference),
    misbehave: faults.misbehave,
    behave: faults.behave,
    webhooks,
    ledger: ledger.read,
    calls: (call, reference) =>
      seen.filter(
        (one) =>
          (call === undefined || one.call === call) &&
          (reference === undefined || one.reference === reference),
      ),
    revokeTokens: api.revokeTokens,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await Promise.all([closed, webhooks.close()])
    },
  }
}

/** Of their own for each stand-in, so that a test can look for them where they must not be. */
function inventedCredentials(): Credentials {
  return {
    clientId: `klient-${randomBytes(8).toString('hex')}`,
    clientSecret: `hemmelig-${randomBytes(16).toString('hex')}`,
    subscriptionKey: `abonnement-${randomBytes(16).toString('hex')}`,
    merchantSerialNumber: '123456',
  }
}

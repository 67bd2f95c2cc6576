import { policy } from '#config/policy.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { untilAborted } from '#src/core/wait.ts'
import { createCaller, type VippsCall } from './call.ts'
import {
  VippsAnswerError,
  VippsCredentialsError,
  VippsError,
  VippsOurFaultError,
  VippsUnavailableError,
  VippsUnknownError,
} from './errors.ts'
import {
  type Payment,
  type PaymentEvent,
  parseCreated,
  parseEvents,
  parsePayment,
  parseRegistered,
  parseRegistrations,
  parseToken,
  type WebhookRegistration,
} from './payment.ts'
import { assertNewPayment, assertReference, assertSum, type NewPayment, type Sum } from './request.ts'
import { parseEntries, parseLedgers, type SettledEntry, type SettlementPage } from './settlements.ts'
import { createTokens } from './token.ts'

export type { NewPayment } from './request.ts'

/** Ends a call before its deadline. */
type Patience = { signal?: AbortSignal }

/** One change to a payment. A retry repeats key and sum exactly; a refused one needs a new key. */
type Change = { reference: string; idempotencyKey: string }

/**
 * Vipps as we use it: ePayment and webhooks of one sales unit. Every call has a deadline and is made once; only a token
 * that Vipps no longer takes is renewed and the call made again. What to do about a failure is told by its class
 * (`errors.ts`) and decided by whoever holds the order.
 */
export type Vipps = {
  /**
   * Registers a payment of `amountOre` and says where the buyer is to be sent, unchanged.
   *
   * @throws VippsOurFaultError for a reference or key that can not be, and one that was used for something else
   */
  createPayment(payment: NewPayment, patience?: Patience): Promise<{ redirectUrl: string }>
  /** @throws VippsUnknownError when no payment was ever registered by that reference */
  getPayment(reference: string, patience?: Patience): Promise<Payment>
  listEvents(reference: string, patience?: Patience): Promise<PaymentEvent[]>
  /** @throws VippsGoneError, VippsAlreadyDoneError, and what every call throws. What was moved is read with `getPayment`. */
  capture(capture: Change & Sum, patience?: Patience): Promise<void>
  /** Gives back all that was not captured. `onlyUnapproved`: refused when the buyer has approved meanwhile. */
  cancel(cancel: Change & { onlyUnapproved?: boolean }, patience?: Patience): Promise<void>
  refund(refund: Change & Sum, patience?: Patience): Promise<void>
  /**
   * What Vipps' own books have of a day (YYYY-MM-DD, as the ledger counts its days) for this sales unit. They trail by seconds, or
   * hours when something is wrong there: `isOpen` when more of the day may come. Not to be had in Vipps' test environment.
   *
   * @throws VippsUnknownError when no ledger is this sales unit's
   */
  listSettled(day: string, patience?: Patience): Promise<{ entries: SettledEntry[]; isOpen: boolean }>
  /** The secret is shown this once, and never again. */
  registerWebhook(
    webhook: { url: string; events: readonly string[] },
    patience?: Patience,
  ): Promise<{ id: string; secret: string }>
  listWebhooks(patience?: Patience): Promise<WebhookRegistration[]>
  /** @throws VippsUnknownError when it is gone already */
  deleteWebhook(id: string, patience?: Patience): Promise<void>
  /** Ends every connection; calls under way fail as unavailable. */
  close(): Promise<void>
}

export type VippsOptions = {
  baseUrl: string
  clientId: string
  clientSecret: string
  subscriptionKey: string
  merchantSerialNumber: string
  /** Name and version of this service; Vipps takes 30 characters of each. */
  systemName: string
  systemVersion: string
  clock: Clock
  /** For one whole call, its token included. */
  deadlineMs: number
  log?: Pick<Log, 'warn'>
}

export function createVipps(options: VippsOptions): Vipps {
  const { clock, deadlineMs, log } = options
  const baseUrl = new URL(options.baseUrl)
  const { connectionsMax, forOneMax, connectTimeoutMs, bodyBytesMax } = policy.vipps
  const bounds = { connectionsMax, forOneMax, connectTimeoutMs, deadlineMs, bodyBytesMax }
  const caller = createCaller({ ...bounds, baseUrl, clock })
  const salesUnit = {
    'ocp-apim-subscription-key': options.subscriptionKey,
    'merchant-serial-number': options.merchantSerialNumber,
    'vipps-system-name': options.systemName.slice(0, SYSTEM_NAME_MAX),
    'vipps-system-version': options.systemVersion.slice(0, SYSTEM_NAME_MAX),
  }
  const tokens = createTokens({ fetch: fetchToken, clock })

  /** One fetch serves many callers: it has a deadline of its own, and none of them can end it for the others. */
  async function fetchToken() {
    const credentials = { client_id: options.clientId, client_secret: options.clientSecret }
    const answer = await caller.send({
      method: 'POST',
      path: '/accesstoken/get',
      headers: { ...credentials, ...salesUnit },
      body: null,
      signal: AbortSignal.timeout(deadlineMs),
    })
    const { access_token, expires_in } = parseToken(answer)
    return { token: access_token, livesForSeconds: Number(expires_in) }
  }

  async function call(
    asked: Pick<VippsCall, 'method' | 'path' | 'query'> & { body?: object; idempotencyKey?: string },
    patience: Patience = {},
  ): Promise<unknown> {
    const deadline = AbortSignal.timeout(deadlineMs)
    const signal = patience.signal === undefined ? deadline : AbortSignal.any([deadline, patience.signal])
    const once = (token: string) =>
      caller.send({
        method: asked.method,
        path: asked.path,
        ...(asked.query && { query: asked.query }),
        headers: {
          ...salesUnit,
          authorization: `Bearer ${token}`,
          ...(asked.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(asked.idempotencyKey === undefined ? {} : { 'idempotency-key': asked.idempotencyKey }),
        },
        body: asked.body === undefined ? null : JSON.stringify(asked.body),
        signal,
      })

    const token = await beforeAborted(tokens.current(), signal)
    try {
      return await once(token)
    } catch (error) {
      if (!(error instanceof VippsCredentialsError) || error.status !== 401) throw error
      log?.warn({ traceId: error.traceId }, 'Vipps refused our access token; it is fetched anew once')
      tokens.drop(token)
      return once(await beforeAborted(tokens.current(), signal))
    }
  }

  const change = (act: string, { reference, idempotencyKey }: Change, body: object | null, patience = {}) => {
    assertReference(reference, idempotencyKey)
    const path = `${pathOf(reference)}/${act}`
    return call({ method: 'POST', path, idempotencyKey, ...(body === null ? {} : { body }) }, patience)
  }

  /** All pages of a list. */
  async function pages<T>(path: string, read: (body: unknown) => SettlementPage<T>, patience?: Patience) {
    const items: T[] = []
    let cursor: string | null = null
    for (let number = 0; number < PAGES_MAX; number += 1) {
      const query = cursor === null ? {} : { query: { cursor } }
      const page: SettlementPage<T> = read(await call({ method: 'GET', path, ...query }, patience))
      items.push(...page.items)
      if (page.cursor === null) return { items, isOpen: page.isOpen }
      cursor = page.cursor
    }
    throw new VippsAnswerError(`the list has more than ${PAGES_MAX} pages`)
  }

  /** What there is no report of yet, whoever says so, is a day that is not over. */
  async function reportOf(ledger: string, day: string, patience?: Patience) {
    try {
      return await pages(`/report/v2/ledgers/${ledger}/funds/dates/${day}`, parseEntries, patience)
    } catch (error) {
      if (error instanceof VippsError && error.status === 404) return { items: [], isOpen: true }
      throw error
    }
  }

  return {
    async createPayment(payment, patience) {
      // Without TLS we do not speak to Vipps itself, and pages of this machine may stand in for those of the buyer.
      const mayBePlain = baseUrl.protocol === 'http:'
      assertNewPayment(payment, { mayBePlain })
      const answer = await call(
        {
          method: 'POST',
          path: PAYMENTS,
          body: createBody(payment),
          idempotencyKey: payment.idempotencyKey,
        },
        patience,
      )
      const { redirectUrl, reference } = parseCreated(answer)
      if (reference !== payment.reference) {
        caller.leave()
        throw new VippsAnswerError('the answer is about another payment')
      }
      const { protocol } = URL.parse(redirectUrl) ?? {}
      const isWeb = protocol === 'https:' || (mayBePlain && protocol === 'http:')
      // It goes into a header, as it is.
      if (!isWeb || !/^[!-~]+$/.test(redirectUrl)) {
        throw new VippsAnswerError('the address to send the buyer to is not one')
      }
      return { redirectUrl }
    },

    async getPayment(reference, patience) {
      assertReference(reference)
      const payment = parsePayment(await call({ method: 'GET', path: pathOf(reference) }, patience))
      // Told as it came. What follows over that connection may be another's as well, and not say so, as a success of a capture does not.
      if (payment.reference !== reference) caller.leave()
      return payment
    },

    async listEvents(reference, patience) {
      assertReference(reference)
      return parseEvents(await call({ method: 'GET', path: `${pathOf(reference)}/events` }, patience))
    },

    async capture(capture, patience) {
      await change('capture', capture, { modificationAmount: amountOf(capture) }, patience)
    },

    async cancel(cancel, patience) {
      const body = cancel.onlyUnapproved === true ? { cancelTransactionOnly: true } : null
      await change('cancel', cancel, body, patience)
    },

    async refund(refund, patience) {
      await change('refund', refund, { modificationAmount: amountOf(refund) }, patience)
    },

    async listSettled(day, patience) {
      if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) throw new VippsOurFaultError('a day is YYYY-MM-DD')
      const ledgers = await pages('/settlement/v1/ledgers', parseLedgers, patience)
      const ours = ledgers.items.filter(({ salesUnits }) =>
        salesUnits.includes(`api:${options.merchantSerialNumber}`),
      )
      if (ours.length === 0) throw new VippsUnknownError()
      const entries: SettledEntry[] = []
      let isOpen = false
      for (const { id } of ours) {
        const report = await reportOf(id, day, patience)
        entries.push(...report.items)
        isOpen ||= report.isOpen
      }
      return { entries, isOpen }
    },

    async registerWebhook({ url, events }, patience) {
      const { id, secret } = parseRegistered(
        await call({ method: 'POST', path: WEBHOOKS, body: { url, events } }, patience),
      )
      return { id, secret }
    },

    async listWebhooks(patience) {
      return parseRegistrations(await call({ method: 'GET', path: WEBHOOKS }, patience))
    },

    async deleteWebhook(id, patience) {
      await call({ method: 'DELETE', path: `${WEBHOOKS}/${encodeURIComponent(id)}` }, patience)
    },

    close: () => caller.close(),
  }
}

const PAYMENTS = '/epayment/v1/payments'
const WEBHOOKS = '/webhooks/v1/webhooks'
const SYSTEM_NAME_MAX = 30
const PAGES_MAX = 200

const pathOf = (reference: string) => `${PAYMENTS}/${reference}`

/** Field by field: Vipps refuses a body with a field it does not know. */
function createBody(payment: NewPayment) {
  return {
    amount: amountOf(payment),
    paymentMethod: { type: 'WALLET' },
    reference: payment.reference,
    userFlow: 'WEB_REDIRECT',
    returnUrl: payment.returnUrl,
    paymentDescription: payment.description,
  }
}

function amountOf(sum: Sum) {
  assertSum(sum)
  return { currency: sum.currency, value: sum.amountOre }
}

/** @throws VippsUnavailableError when the deadline comes first */
async function beforeAborted<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  return untilAborted(shared, signal).catch((error) => {
    if (!signal.aborted) throw error
    throw new VippsUnavailableError('no access token within the deadline', { cause: error })
  })
}

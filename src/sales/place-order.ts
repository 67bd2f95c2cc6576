import { createHash, randomInt } from 'node:crypto'
import { networkOf } from '#src/core/client-network.ts'
import { parseKeptAddress } from '#src/core/email-address.ts'
import type { Language } from '#src/core/language.ts'
import { MINUTE_MS } from '#src/core/units.ts'
import { orderStates } from '#src/storage/order-states.ts'
import { findOrderByToken, insertOrder, type StoredOrder, setPaymentLink } from '#src/storage/orders.ts'
import type { SalesContext } from './context.ts'
import {
  formOutdated,
  PaymentRefusedError,
  SaleClosedError,
  TooManyOrdersError,
  termsNotAccepted,
} from './errors.ts'
import { observePayment } from './observe-payment.ts'
import type { Offer, Payments } from './ports.ts'
import type { Room } from './room.ts'
import { failpoint } from './steps.ts'

export type OrderRequest = {
  epost: string
  vilkaarGodtatt: boolean
  /** Made with the form, 22 random characters or more: the same form sent twice is one order. */
  idempotensToken: string
  /** Who asks: unpaid orders are bounded for a network. Left out, it is nobody in particular. */
  ip?: string
  /** In which language the buyer's page is come back to; left out, the browser says. */
  sprak?: Language | null
}

/** What orders are taken with. */
export type OrderContext = SalesContext & { room: Room }

/**
 * `ordre`: the token of the buyer's page, the proof that they are the buyer. `redirectUrl`: where to pay; null when there is
 * nothing to pay any more, and the page tells why.
 */
export type PlacedOrder = { ordre: string; redirectUrl: string | null }

/**
 * Stores an order and registers its payment, which bears the order's number: however often the same form comes in, at once
 * or after a crash, there is one order with one payment. An order that came to nothing makes room for the next.
 *
 * How many are unpaid is bounded for a network and in all, never for an address, which is not the buyer's until it has paid
 * (P45). Nobody is refused for it: older ones give way. What gives way is let go at Vipps, which does so only as long as
 * nobody has approved it, and is then read back like any other: one that was approved at that moment gets its key.
 *
 * @throws SaleClosedError, TooManyOrdersError, PaymentUnavailableError, PaymentRefusedError; InputError for what was typed
 */
export async function placeOrder(
  context: OrderContext,
  { epost, vilkaarGodtatt, idempotensToken, ip, sprak = null }: OrderRequest,
  fornyer: StoredOrder['fornyer'] = null,
): Promise<PlacedOrder> {
  const { db, shop } = context
  if (shop === null || !shop.isOpen) throw new SaleClosedError()
  const { offer, payments } = shop
  const address = parseKeptAddress(epost)
  const nettverk = ip === undefined ? null : networkOf(ip)
  if (!vilkaarGodtatt) throw termsNotAccepted()
  if (!TOKEN.test(idempotensToken)) throw formOutdated()
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const token = createHash('sha256')
      .update(`ordre\n${idempotensToken}\n${address.toLowerCase()}\n${attempt}`)
      .digest('base64url')
    const order =
      (await findOrderByToken(db, tokenHash(token))) ??
      (await store(context, offer, { token, address, fornyer, nettverk }))
    const { leadsTo, isEnd } = orderStates[order.tilstand]
    if (leadsTo === 'nothing' && isEnd) continue
    if (leadsTo !== 'payment') return { ordre: token, redirectUrl: null }
    const redirectUrl =
      order.betalingslenke ?? (await createPayment(context, payments, order, { token, sprak }))
    return { ordre: token, redirectUrl }
  }
  throw new TooManyOrdersError()
}

/** How a token of the buyer's page is kept: whoever reads the database can not open the page. */
export function tokenHash(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

const TOKEN = /^[A-Za-z0-9_-]{22,128}$/
const ATTEMPTS_MAX = 10

async function store(
  context: OrderContext,
  offer: Offer,
  {
    token,
    address,
    fornyer,
    nettverk,
  }: { token: string; address: string; nettverk: string | null } & Pick<StoredOrder, 'fornyer'>,
): Promise<StoredOrder> {
  const { db, clock, policy, reached, room } = context
  const id = orderNumber()
  const at = clock.now()
  const hash = tokenHash(token)
  const order = {
    id,
    tokenHash: hash,
    referanse: `bo-${id}-1`,
    epost: address,
    nettverk,
    miljo: offer.miljo,
    produkt: offer.product,
    belopOre: offer.priceOre,
    valuta: offer.currency,
    salg: { seller: offer.seller, english: offer.english },
    fornyer,
    vilkaarGodtatt: at,
    laget: at,
    nesteSjekk: new Date(at.getTime() + policy.pollFirstMs),
  }
  const givingWay = await failpoint(reached, 'order-stored', () =>
    fornyer === null ? room.store(order) : insertOrder(db, order).then(() => []),
  )
  // Whoever pushes others out waits until they are gone. What is left over is found by the clock.
  const signal = AbortSignal.timeout(policy.givingWayWaitMs)
  await Promise.allSettled(givingWay.map((each) => observePayment(context, each, { signal })))
  // Of two clicks at once one has stored it.
  const stored = await findOrderByToken(db, hash)
  if (stored === null) throw new Error('an order that was just stored is not there')
  return stored
}

async function createPayment(
  { db, clock, links, policy, reached }: SalesContext,
  payments: Payments,
  order: StoredOrder,
  { token, sprak }: { token: string; sprak: Language | null },
): Promise<string> {
  // Of all questions: whoever orders is told in time that Vipps is silent.
  const signal = AbortSignal.timeout(policy.paymentDeadlineMs)
  const create = (key: string) =>
    payments.create(
      {
        reference: order.referanse,
        amountOre: order.belopOre,
        currency: order.valuta,
        description: order.produkt,
        returnUrl: links.order(token, sprak),
        idempotencyKey: `${order.referanse}-${key}`,
      },
      { signal },
    )
  const { redirectUrl } = await failpoint(reached, 'payment-created', () =>
    create('opprett').catch((refused) => {
      if (!(refused instanceof PaymentRefusedError)) throw refused
      const now = clock.now().getTime()
      const since = Math.max(order.laget.getTime(), now - policy.paymentWindowMs)
      return createInItsMinute(create, { now, since })
    }),
  )
  await failpoint(reached, 'payment-link-stored', () => setPaymentLink(db, order.id, redirectUrl))
  return redirectUrl
}

/**
 * What was refused is so for ever under its key: it is asked for under another, of the minute. The reference sees to it that there is one
 * payment. One that was made under a key of a minute before, where the answer was lost, is told of under that key alone: most of them
 * were when it was ordered, or just now, and Vipps takes five questions of these a minute.
 */
async function createInItsMinute<T>(
  create: (key: string) => Promise<T>,
  { now, since }: { now: number; since: number },
): Promise<T> {
  let refusal: unknown
  for (const minute of fromBothEnds(minuteOf(Math.min(since, now)), minuteOf(now))) {
    try {
      return await create(`opprett-${minute}`)
    } catch (error) {
      if (!(error instanceof PaymentRefusedError && error.isMade)) throw error
      refusal = error
    }
  }
  throw refusal
}

/** The last, the first, the last but one, and so on. */
function fromBothEnds(first: number, last: number): number[] {
  const all: number[] = []
  for (let [low, high] = [first, last]; low <= high; low++, high--) all.push(...new Set([high, low]))
  return all
}

function minuteOf(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS)
}

/** Ten characters that are not taken for one another when read aloud: 50 bits. */
function orderNumber(): string {
  return Array.from({ length: 10 }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'

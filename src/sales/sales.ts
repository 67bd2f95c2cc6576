import { parseEmailAddress } from '#src/core/email-address.ts'
import { type Each, uncounted } from '#src/core/repeat.ts'
import { StorageUnavailableError } from '#src/storage/database.ts'
import { dueSubjects, type Errand, nextErrandOf } from '#src/storage/errands.ts'
import { readSalesState } from '#src/storage/orders.ts'
import { notePaymentEvent, type PaymentMessage } from '#src/storage/payment-checks.ts'
import type { LostReason } from '#src/storage/replacements.ts'
import type { SalesContext } from './context.ts'
import { deliverKey } from './deliver-key.ts'
import { lookAgain } from './look-again.ts'
import { mailReplacement } from './mail-replacement.ts'
import { observeDuePayments, observePayment } from './observe-payment.ts'
import { orderAgain } from './order-again.ts'
import { type OrderRequest, placeOrder } from './place-order.ts'
import type { Offer } from './ports.ts'
import { giveOtherAddress, readOrder } from './read-order.ts'
import { sendReminder, writeReminders } from './remind.ts'
import { readRenewal, renew } from './renew.ts'
import {
  confirmReplacement,
  type LinkFollowed,
  lookIntoWishes,
  readReplacement,
  requestReplacement,
  sendReplacementLink,
} from './replace-key.ts'
import { removeOldTraces } from './retain.ts'
import { openRoom } from './room.ts'
import { sendCreditNote } from './send-credit-note.ts'
import { sendReceipt } from './send-receipt.ts'
import { cancelPayment, captureMoney, refundMoney } from './settle.ts'
import { tellEndpointOff } from './tell-endpoint-off.ts'
import { forgetTestKeyWishes, mailTestKeys, requestTestKey } from './test-keys.ts'

export type Sales = ReturnType<typeof createSales>

type Call = { signal: AbortSignal }
type Run = Call & { each?: Each }

/**
 * The sale of keys. PostgreSQL holds all there is to know of it, so any number of these work side by side, and one that dies
 * leaves nothing undone for longer than a lease.
 *
 * @param given.ring tells whoever works in the background that something is due for an order or chain. It may fail, and
 *   tell nobody: what is due is found within a second or two.
 */
export function createSales(given: SalesContext & { ring: (subject: string) => Promise<void> }) {
  const context = { ...given, room: openRoom(given) }
  const { db, clock, log, policy, shop } = context

  /** Not waited for: an answer does not depend on the bell. */
  function ring(subject: string): void {
    context.ring(subject).catch((error) => log.debug({ err: error }, 'the bell is out of order'))
  }

  /** Brings an order, or a chain of keys, as far as it can be brought now. */
  async function follow(subject: string, call: Call): Promise<void> {
    await observePayment(context, subject, call)
    for (let done = 0; done < ERRANDS_IN_A_ROW_MAX && !call.signal.aborted; done += 1) {
      const errand = await nextErrandOf(db, subject, clock.now())
      if (errand === null) return
      await run(context, errand, call)
    }
  }

  return {
    /** What is sold; null when nothing is. */
    offer: (): Offer | null => (shop?.isOpen ? shop.offer : null),

    // Typed now, by the newest rule: whoever orders again has the address that was taken then.
    placeOrder: async (request: OrderRequest) =>
      placeOrder(context, { ...request, epost: parseEmailAddress(request.epost) }),
    orderAgain: (token: string, by: Parameters<typeof orderAgain>[2]) => orderAgain(context, token, by),
    readOrder: (token: string) => readOrder(context, token),
    async giveOtherAddress(token: string, epost: string): Promise<'sendes' | 'ikke_mulig'> {
      const given = await giveOtherAddress(context, token, epost)
      if (given.utfall === 'sendes') ring(given.gjelder)
      return given.utfall
    },

    /**
     * A message of Vipps whose signature was found right. Stored when this returns, once; about a payment of nobody here it is
     * put aside. It moves nothing: the payment is read back.
     */
    async noteWebhook(event: PaymentMessage & { merchantSerialNumber: string }): Promise<void> {
      if (shop !== null && event.merchantSerialNumber !== shop.payments.merchant) {
        log.error('a message of Vipps is about another merchant: it is left alone')
        return
      }
      const order = await db.transaction((connection) => notePaymentEvent(connection, event, clock.now()))
      if (order !== null) ring(order)
    },

    requestReplacement: (epost: string, grunn: LostReason) => requestReplacement(context, epost, grunn),
    readReplacement: (linkToken: string) => readReplacement(context, linkToken),
    async confirmReplacement(linkToken: string): Promise<LinkFollowed> {
      const replacement = await confirmReplacement(context, linkToken)
      if (replacement.utfall === 'sendes') ring(replacement.gjelder)
      return replacement
    },
    requestTestKey: (epost: string, ip: string) => requestTestKey(context, epost, ip),
    readRenewal: (linkToken: string) => readRenewal(context, linkToken),
    renew: (linkToken: string, consent: Parameters<typeof renew>[2]) => renew(context, linkToken, consent),

    /** For operators: how many orders wait, want somebody, or are late. */
    status: async () => ({ isOpen: shop?.isOpen ?? false, ...(await readSalesState(db, clock.now())) }),

    follow,
    /** Reads back every payment that is due. What follows is somebody else's: a mail server that hangs holds up no payment. */
    checkPayments: (call: Run) => observeDuePayments(context, call, ring),
    /**
     * Follows everything that has an errand due, and looks into what was asked. The sweep: it needs nobody's word. A few at a time, so
     * that what is more urgent, and comes while a mail server is slow, waits for those few alone. What fails is passed over until the
     * next sweep: the first failure is thrown when all else is done, or PostgreSQL is away.
     */
    async runErrands({ each = uncounted, ...call }: Run): Promise<void> {
      await lookIntoWishes(context)
      const failed = new Map<string, unknown>()
      let due: string[]
      do {
        due = await dueSubjects(db, clock.now(), policy.atOnce, [...failed.keys()])
        await Promise.all(
          due.map((subject) =>
            each(() => follow(subject, call)).catch((error) => failed.set(subject, error)),
          ),
        )
        const away = [...failed.values()].find((error) => error instanceof StorageUnavailableError)
        if (away !== undefined) throw away
      } while (due.length === policy.atOnce && !call.signal.aborted)
      for (const error of failed.values()) throw error
    },
    mailTestKeys: (call: Run) => mailTestKeys(context, call),
    forgetTestKeyWishes: () => forgetTestKeyWishes(context),
    lookAgain: () => lookAgain(context),
    writeReminders: () => writeReminders(context),
    removeOldTraces: (call?: Partial<Call>) => removeOldTraces(context, call),
  }
}

/** More than an order has errands in all. */
const ERRANDS_IN_A_ROW_MAX = 10

function run(context: SalesContext, errand: Errand, call: Call): Promise<void> {
  switch (errand.slag) {
    case 'lever':
      return deliverKey(context, errand, call)
    case 'trekk':
      return captureMoney(context, errand, call)
    case 'kanseller':
      return cancelPayment(context, errand, call)
    case 'kvittering':
      return sendReceipt(context, errand, call)
    case 'refunder':
      return refundMoney(context, errand, call)
    case 'kreditnota':
      return sendCreditNote(context, errand, call)
    case 'lenke':
      return sendReplacementLink(context, errand, call)
    case 'erstatt':
      return mailReplacement(context, errand, call)
    case 'paaminn':
      return sendReminder(context, errand, call)
    case 'avslatt':
      return tellEndpointOff(context, errand, call)
  }
}

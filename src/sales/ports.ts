import type { Miljo } from '#src/core/api-key.ts'
import type { Payment } from './payment.ts'

/**
 * What is asked of Vipps. Every call may fail with PaymentUnavailableError: nothing is known then, and the same call with
 * the same key may be made again.
 */
export type Payments = {
  /** Our merchant serial number: payments read back have to be of it. */
  readonly merchant: string
  /**
   * Registers a payment, or gives the one registered before under the same idempotency key.
   *
   * @throws PaymentRefusedError when it never will be
   */
  create(
    payment: {
      reference: string
      amountOre: number
      currency: string
      description: string
      returnUrl: string
      idempotencyKey: string
    },
    call: { signal: AbortSignal },
  ): Promise<{ redirectUrl: string }>
  /** The payment as it is now; null when Vipps does not know it. */
  read(reference: string, call: { signal: AbortSignal }): Promise<Payment | null>
  /** `done` also when it was before. */
  capture(change: Change, call: { signal: AbortSignal }): Promise<Settlement>
  cancel(
    change: Pick<Change, 'reference' | 'idempotencyKey'>,
    call: { signal: AbortSignal },
  ): Promise<Settlement>
}

export type Change = {
  reference: string
  amountOre: number
  currency: string
  idempotencyKey: string
}

/**
 * - `later`: no answer, or not now; to be asked again with the same key.
 * - `gone`: the reservation is no longer there, or the money is not.
 * - `refused`: with this key it stays refused. The payment itself tells what is true.
 */
export type Settlement = 'done' | 'later' | 'gone' | 'refused'

/** What is mailed. A letter with a key or a link in it exists in memory alone. */
export type Letter =
  | {
      kind: 'key'
      to: string
      key: string
      keyId: string
      miljo: Miljo
      expires: Date
      /** Why it comes: bought, in place of another, or issued by an operator. */
      occasion: 'kjop' | 'erstatning' | 'utstedt'
      order: string | null
      messageId: string
    }
  | {
      kind: 'receipt'
      to: string
      order: string
      receiptNumber: number
      date: Date
      product: string
      amountOre: number
      currency: string
      paymentReference: string
      seller: Seller
      messageId: string
    }
  | {
      kind: 'replacement_link'
      to: string
      keyId: string
      reason: 'tapt' | 'lekket'
      url: string
      validUntil: Date
      messageId: string
    }
  | {
      kind: 'reminder'
      to: string
      keyId: string
      daysLeft: number
      expires: Date
      url: string
      messageId: string
    }

/** `unknown`: no answer, so it may have arrived. All others are certain. `refused_us`: nothing is wrong with the address. */
export type MailOutcome = 'accepted' | 'refused_recipient' | 'refused_us' | 'temporary' | 'unknown'

export type Post = {
  /** Never throws for what a mail server did. */
  send(letter: Letter, call: { signal: AbortSignal }): Promise<MailOutcome>
}

/** Who sells, as it stands on the receipt. */
export type Seller = { name: string; organisationNumber: string; address: string; vatText: string }

/** What is sold. */
export type Offer = { product: string; priceOre: number; currency: string; miljo: Miljo; seller: Seller }

/** A sale. One that is not open takes no orders, and brings those it has to their end. */
export type Shop = { payments: Payments; offer: Offer; isOpen: boolean }

/** The addresses of pages, as they stand in mails and at Vipps. */
export type Links = {
  order(token: string): string
  replace(token: string): string
  renew(token: string): string
}

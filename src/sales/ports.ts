import type { Miljo } from '#src/core/api-key.ts'
import type { Language } from '#src/core/language.ts'
import type { MailOutcome } from '#src/mail/outcome.ts'
import type { MailData } from '#src/mail/templates/content-of.ts'
import type { Seller } from '#src/mail/templates/receipt.ts'
import type { ObservedPayment } from './payment.ts'

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
  read(reference: string, call: { signal: AbortSignal }): Promise<ObservedPayment | null>
  /** `done` also when it was before. */
  capture(change: Change, call: { signal: AbortSignal }): Promise<Settlement>
  /** Gives back what was captured; `done` also when it was before. */
  refund(change: Change, call: { signal: AbortSignal }): Promise<Settlement>
  /** Lets a payment go that nobody has approved; `refused` when somebody has, and when it is over already. */
  letGo(
    change: Pick<Change, 'reference' | 'idempotencyKey'>,
    call: { signal: AbortSignal },
  ): Promise<Settlement>
  cancel(
    change: Pick<Change, 'reference' | 'idempotencyKey'>,
    call: { signal: AbortSignal },
  ): Promise<Settlement>
}

type Change = {
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

/** What is mailed, and to whom. A letter with a key or a link in it exists in memory alone. */
export type Letter = MailData & { to: string; messageId: string }

export type Post = {
  /** Never throws for what a mail server did. */
  send(letter: Letter, call: { signal: AbortSignal }): Promise<MailOutcome>
}

/** Test keys are made by computing; null while what they are made with has not been read. */
export type TestKeys = {
  mint(): { token: string; id: string; utloper: Date } | null
  /** What an address is counted by, without being kept. */
  fingerprintOf(address: string): Buffer | null
  networkFingerprintOf(network: string): Buffer | null
}

/** What is sold. */
export type Offer = {
  product: string
  priceOre: number
  currency: string
  miljo: Miljo
  seller: Seller
  /** What is sold and what is said of VAT, for who reads English. */
  english: { product: string; vatText: string }
}

/** A sale. One that is not open takes no orders, and brings those it has to their end. */
export type Shop = { payments: Payments; offer: Offer; isOpen: boolean }

/** The addresses of pages, as they stand in mails and at Vipps. */
export type Links = {
  /** Of the buyer's page, in the language that was chosen, if one was. */
  order(token: string, sprak: Language | null): string
  replace(token: string): string
  renew(token: string): string
  endpoints(): string
}

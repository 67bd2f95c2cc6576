import { InputError, OppslagError } from '#src/core/errors.ts'

/** Nothing is sold here: the seller, the price or the payment is not configured. */
export class SaleClosedError extends OppslagError {
  constructor() {
    super('salg_stengt', 'the sale is closed: no seller, or no way to be paid, is configured')
  }
}

/** More unpaid orders than anybody needs. */
export class TooManyOrdersError extends OppslagError {
  constructor() {
    super('for_mange_bestillinger', 'too many orders are waiting to be paid')
  }
}

/** More requests for a new key wait than are looked into in a while. Said to everybody alike. */
export class TooManyWishesError extends OppslagError {
  constructor() {
    super('for_mange_onsker', 'too many requests for a new key wait to be looked into')
  }
}

/** Vipps was not there, had no time, or did not say clearly. The same call may be made again. */
export class PaymentUnavailableError extends OppslagError {
  constructor(cause: unknown) {
    super('betaling_utilgjengelig', 'Vipps can not be used now', { cause })
  }
}

/** Vipps has said no, and will say it again: something is wrong with our set-up or with what we sent. */
export class PaymentRefusedError extends OppslagError {
  /** The reference, or the key, was used before: there is a payment. */
  readonly isMade: boolean

  constructor(cause: unknown, { isMade = false }: { isMade?: boolean } = {}) {
    super('betaling_avvist', 'Vipps refused what we asked for', { cause })
    this.isMade = isMade
  }
}

export function termsNotAccepted(): InputError {
  return new InputError('vilkaar_ikke_godtatt', 'vilkaar', {
    norsk: 'Godta kjøpsvilkårene for å kjøpe.',
    english: 'Accept the terms of purchase to buy.',
  })
}

export function formOutdated(): InputError {
  return new InputError('ugyldig_skjema', 'idempotensToken', {
    norsk: 'Skjemaet er ugyldig. Last siden på nytt og prøv igjen.',
    english: 'The form is not valid. Load the page again and retry.',
  })
}

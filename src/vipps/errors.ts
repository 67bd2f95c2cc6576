import { OppslagError } from '#src/core/errors.ts'

/**
 * What an answer of Vipps, or its absence, means to whoever asked. Nothing here holds what was sent or answered: only the
 * status, Vipps' own number for the fault, and the trace that its support asks for.
 */
type VippsFacts = {
  status?: number | null
  /** `extraDetails[].ErrorCode`, such as 6160. */
  errorCode?: number | null
  traceId?: string | null
  retryAfterSeconds?: number | null
  cause?: unknown
}

export class VippsError extends OppslagError {
  readonly status: number | null
  readonly errorCode: number | null
  readonly traceId: string | null
  readonly retryAfterSeconds: number | null

  constructor(code: string, message: string, facts: VippsFacts = {}) {
    super(code, message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.status = facts.status ?? null
    this.errorCode = facts.errorCode ?? null
    this.traceId = facts.traceId ?? null
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null
  }
}

/**
 * No answer, or one that only says that something broke at Vipps. What was asked may have been done or not: ask the same
 * again with the same key, and read the payment back before giving up.
 */
export class VippsUnavailableError extends VippsError {
  constructor(message: string, facts?: VippsFacts) {
    super('vipps_utilgjengelig', message, facts)
  }
}

/** Another operation holds the payment: ask the same again shortly, with the same key. */
class VippsLockedError extends VippsError {
  constructor(facts?: VippsFacts) {
    super('vipps_last', 'the payment is held by another operation for a moment', facts)
  }
}

/** Too many calls (`retryAfterSeconds` says when), or the buyer has not approved yet. */
class VippsWaitError extends VippsError {
  constructor(facts?: VippsFacts) {
    super('vipps_vent', 'Vipps asks us to come back later', facts)
  }
}

/** We asked for what must not be asked: a changed body under an old key, a reference used before. Nothing to retry. */
export class VippsOurFaultError extends VippsError {
  constructor(message: string, facts?: VippsFacts) {
    super('vipps_var_feil', message, facts)
  }
}

/** The reservation is over or the money is not there: it will never be captured. */
export class VippsGoneError extends VippsError {
  constructor(facts?: VippsFacts) {
    super('vipps_borte', 'the reservation is gone, or the money behind it', facts)
  }
}

/** Captured or refunded before. A success when the sums of the payment, read back, are what they should be. */
export class VippsAlreadyDoneError extends VippsError {
  constructor(facts?: VippsFacts) {
    super('vipps_allerede_gjort', 'the payment was captured or refunded before', facts)
  }
}

/** Vipps knows no payment, or registration, by that name at this sales unit. */
export class VippsUnknownError extends VippsError {
  constructor(facts?: VippsFacts) {
    super('vipps_ukjent', 'Vipps knows nothing by that name', facts)
  }
}

/** Our credentials are not accepted, or lack a product. Nothing was done; the operator has to act. */
export class VippsCredentialsError extends VippsError {
  constructor(facts?: VippsFacts) {
    super('vipps_nektet', 'Vipps does not accept our credentials', facts)
  }
}

/** Refused for good: the same request with the same key stays refused. */
export class VippsRefusedError extends VippsError {
  constructor(facts?: VippsFacts) {
    super('vipps_avslatt', 'Vipps refused the request', facts)
  }
}

/** An answer that can not be believed: too long, not JSON, of another shape. As after no answer, nothing is known. */
export class VippsAnswerError extends VippsError {
  constructor(message: string, facts?: VippsFacts) {
    super('vipps_ugyldig_svar', message, facts)
  }
}

/**
 * What a refusal means, by status and number and never by text (the vendor's list of ePayment errors, 2026-08).
 * A 5xx comes first: whatever else it says, it is not known what was done.
 */
export function vippsErrorFrom(facts: VippsFacts & { status: number }): VippsError {
  const { status, errorCode = null } = facts
  if (status >= 500 || status === 408) return new VippsUnavailableError('Vipps failed', facts)
  if (status < 400) return new VippsAnswerError('neither a success nor a refusal', facts)
  if (status === 429) return new VippsWaitError(facts)
  if (status === 423) return new VippsLockedError(facts)
  const numbered = errorCode === null ? undefined : BY_NUMBER.get(errorCode)
  if (numbered !== undefined) return numbered(facts)
  if (status === 401 || status === 403) return new VippsCredentialsError(facts)
  if (status === 404) return isInVippsOwnWords(facts) ? new VippsUnknownError(facts) : notOfVipps(facts)
  if (status === 409) return ourFault(facts)
  return new VippsRefusedError(facts)
}

/**
 * A gateway, an outage page or a wrong VIPPS_URL answers 404 as well. Taken for "no such payment" it would end orders that
 * were paid, so Vipps has to say it in its own words.
 */
function isInVippsOwnWords({ errorCode = null, traceId = null }: VippsFacts): boolean {
  return errorCode !== null || traceId !== null
}

const notOfVipps = (facts: VippsFacts) => new VippsAnswerError('a 404 that Vipps itself did not write', facts)
const ourFault = (facts: VippsFacts) =>
  new VippsOurFaultError('a key or a reference was used again for something else', facts)
const locked = (facts: VippsFacts) => new VippsLockedError(facts)
const gone = (facts: VippsFacts) => new VippsGoneError(facts)
const alreadyDone = (facts: VippsFacts) => new VippsAlreadyDoneError(facts)

const BY_NUMBER: ReadonlyMap<number, (facts: VippsFacts) => VippsError> = new Map([
  [4010, ourFault],
  [4020, ourFault],
  [4150, ourFault],
  [5090, (facts) => new VippsUnknownError(facts)],
  // A cancelled reservation can no more be captured than one that ran out.
  [6070, gone],
  [6080, (facts) => new VippsWaitError(facts)],
  [6100, gone],
  [6160, locked],
  [6170, alreadyDone],
  [6180, alreadyDone],
  [6250, locked],
  [6260, gone],
  [6280, locked],
])

/** What can be asked of the stand-in. */
export type VippsCallName =
  | 'token'
  | 'create'
  | 'get'
  | 'events'
  | 'capture'
  | 'cancel'
  | 'refund'
  | 'ledgers'
  | 'report'
  | 'registerWebhook'
  | 'listWebhooks'
  | 'deleteWebhook'

/**
 * The ways Vipps can be slow, wrong or gone, as words a test can say. With `accepts` the work is done first, so that only
 * the answer is lost; without it nothing happens.
 *
 * - `hang`: no answer, until the client leaves. `reset`: the connection breaks. `status`: any status, number and headers.
 * - `locked`: 423 and 6160, which passes. `refused`: 400 with a number (6100 the reservation is over, 6260 the money is
 *   gone), which stays for that idempotency key.
 * - `wrongAmount`, `wrongCurrency`, `wrongMerchant`, `wrongReference`: the answer is whole, and about something else.
 * - `altered`: any field of the answer replaced. `notJson`, `huge`, `redirect`: no answer of Vipps at all.
 * - `hold`: the right answer, done at once, sent when the promise settles. `late`: sent so much later.
 */
export type VippsFault =
  | { kind: 'hang'; accepts?: boolean }
  | { kind: 'reset'; accepts?: boolean }
  | {
      kind: 'status'
      status: number
      errorCode?: number
      headers?: Record<string, string>
      accepts?: boolean
    }
  | { kind: 'locked' }
  | { kind: 'refused'; errorCode: number }
  | { kind: 'wrongAmount'; amountOre: number }
  | { kind: 'wrongCurrency'; currency: string }
  | { kind: 'wrongMerchant'; merchantSerialNumber: string }
  | { kind: 'wrongReference'; reference: string }
  | { kind: 'altered'; change: Record<string, unknown> }
  | { kind: 'notJson'; text?: string }
  | { kind: 'huge'; bytes: number }
  | { kind: 'redirect'; location?: string }
  | { kind: 'late'; byMs: number }
  | { kind: 'hold'; until: Promise<unknown> }

/** `reference`: only calls about this payment. `times`: only the next so many, then all is well again. */
type VippsFaultScope = { reference?: string; times?: number }

export type VippsFaults = {
  /** The newest one that fits a call counts. */
  misbehave(call: VippsCallName | 'alle', fault: VippsFault, scope?: VippsFaultScope): void
  behave(): void
}

/** @returns the faults, and `meets` for one call, which uses up a `times`. */
export function createVippsFaults(): VippsFaults & {
  meets(call: VippsCallName, reference: string | null): VippsFault | null
} {
  let set: { call: string; fault: VippsFault; reference: string | null; left: number }[] = []

  return {
    misbehave(call, fault, { reference, times = Number.POSITIVE_INFINITY } = {}) {
      set.unshift({ call, fault, reference: reference ?? null, left: times })
    },
    behave() {
      set = []
    },
    meets(call, reference) {
      const met = set.find(
        (one) =>
          (one.call === call || one.call === 'alle') &&
          (one.reference === null || one.reference === reference),
      )
      if (met === undefined) return null
      met.left -= 1
      if (met.left <= 0) set = set.filter((one) => one !== met)
      return met.fault
    },
  }
}

import type { StandInPayment } from './payments.ts'

/** The sales unit's ledger, behind one of somebody else's. */
export function ledgers(merchantSerialNumber: string) {
  const ledger = (ledgerId: string, unit: string) => ({
    ledgerId,
    currency: 'NOK',
    payoutBankAccount: { scheme: 'BBAN:NO', id: '86011117947' },
    owner: { scheme: 'business:NO:ORG', id: '987654321' },
    settlesForRecipientHandles: [unit],
  })
  return { items: [ledger('302320', 'NO:999999'), ledger('302321', `api:${merchantSerialNumber}`)] }
}

/** What was taken and given back that day, and the payout; a page at a time. A day that is not over says so. */
export function report(
  payments: readonly StandInPayment[],
  day: string,
  query: URLSearchParams,
  now: Date,
): object {
  const moved = payments.flatMap(({ reference, currency, events }) =>
    events
      .filter(({ name, at }) => KINDS[name] !== undefined && at.toISOString().startsWith(day))
      .map(({ name, amountOre, pspReference, at }) => ({
        pspReference,
        time: at.toISOString(),
        ledgerDate: day,
        entryType: KINDS[name],
        reference,
        currency,
        amount: name === 'REFUNDED' ? -amountOre : amountOre,
      })),
  )
  const payout = {
    pspReference: '3343121302',
    time: `${day}T22:00:00Z`,
    ledgerDate: day,
    entryType: 'payout-scheduled',
    currency: 'NOK',
    amount: -1,
  }
  const all = [...moved, payout]
  const from = Number(query.get('cursor') ?? 0)
  const next = from + PAGE
  const isOpen = now.toISOString().startsWith(day)
  return {
    items: all.slice(from, next),
    cursor: next < all.length ? String(next) : '',
    ...(isOpen ? { tryLater: true } : {}),
  }
}

const PAGE = 2
const KINDS: Partial<Record<string, string>> = { CAPTURED: 'capture', REFUNDED: 'refund' }

import { removeWhatIsOver } from '#src/storage/retention.ts'
import type { SalesContext } from './context.ts'

/**
 * Keeps nothing longer than it is needed: hashes, then addresses, some time after the end of a key, and the books for five
 * years after the end of their year (bokføringsloven § 13).
 * Safe to run twice: what is gone is gone.
 */
export async function removeOldTraces({ db, clock, log, policy }: SalesContext): Promise<void> {
  const now = clock.now()
  const { retention } = policy
  const ago = (ms: number) => new Date(now.getTime() - ms)
  const removed = await removeWhatIsOver(db, {
    hashes: ago(retention.hashAfterMs),
    addresses: ago(retention.addressAfterMs),
    unpaid: ago(retention.unpaidAddressAfterMs),
    events: ago(retention.eventsAfterMs),
    // The calendar year, which is the financial year of nearly all: what was sold in 2026 goes with the end of 2031.
    books: new Date(Date.UTC(now.getUTCFullYear() - retention.accountingYears, 0, 1)),
    now,
  })
  if (Object.values(removed).some((count) => count > 0)) log.info({ removed }, 'what is over was removed')
}

import { readAddress } from '#src/core/email-address.ts'
import { isoFromNorway, norwegianDay } from '#src/core/norwegian-time.ts'
import { respellAddresses } from '#src/storage/address-spelling.ts'
import { removeWhatIsOver } from '#src/storage/retention.ts'
import type { SalesContext } from './context.ts'

/**
 * Keeps nothing longer than it is needed: hashes, then addresses, some time after the end of a key, and the books for five
 * years after the end of their year (bokføringsloven § 13).
 * Safe to run twice: what is gone is gone.
 */
export async function removeOldTraces(
  { db, clock, log, policy }: SalesContext,
  { signal }: { signal?: AbortSignal } = {},
): Promise<void> {
  const now = clock.now()
  const { retention } = policy
  const ago = (ms: number) => new Date(now.getTime() - ms)
  await respellAddresses(db, readAddress)
  const before = {
    hashes: ago(retention.hashAfterMs),
    addresses: ago(retention.addressAfterMs),
    unpaid: ago(retention.unpaidAddressAfterMs),
    events: ago(retention.eventsAfterMs),
    books: booksBefore(now, retention.accountingYears),
    now,
  }
  const removed = await removeWhatIsOver(db, before, signal)
  if (Object.values(removed).some((count) => count > 0)) log.info({ removed }, 'what is over was removed')
}

/**
 * The calendar year, which is the financial year of nearly all: what was sold in 2026 goes with the end of 2031. A year is Norway's:
 * what is sold in the first hour of one is dated so, and in UTC stands in the one before.
 */
function booksBefore(now: Date, years: number): Date {
  const year = Number(norwegianDay(now).slice(0, 4)) - years
  return new Date(isoFromNorway(`${year}-01-01 00:00:00`) ?? Date.UTC(year, 0, 1))
}

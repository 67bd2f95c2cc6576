import { DAY_MS } from './units.ts'
/**
 * The first instant at which a key issued then is no longer valid: the same instant of the next calendar year, in UTC, so
 * that no clock change touches it. From 29 February it is 1 March: a year is never cut short.
 */
export function expiryOf(issued: Date): Date {
  const expiry = new Date(issued)
  expiry.setUTCFullYear(issued.getUTCFullYear() + 1)
  return expiry
}

/**
 * Days of 24 hours until then, a begun one counted as one; 0 from the expiry on.
 *
 * @param now ms since 1970
 */
export function daysLeft(expiry: Date, now: number): number {
  return Math.max(0, Math.ceil((expiry.getTime() - now) / DAY_MS))
}

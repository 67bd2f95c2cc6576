/**
 * The first instant at which a key issued then is no longer valid: the same instant of the next calendar year, in UTC, so
 * that no clock change touches it. From 29 February it is 1 March: a year is never cut short.
 */
export function expiryOf(issued: Date): Date {
  const expiry = new Date(issued)
  expiry.setUTCFullYear(issued.getUTCFullYear() + 1)
  return expiry
}

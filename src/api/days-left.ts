import { daysLeft } from '#src/core/key-expiry.ts'
import { DAY_MS } from '#src/core/units.ts'

/** On every answer to a key in its last thirty days: how many are left, begun ones counted. */
export const DAYS_LEFT = 'x-nokkel-dager-igjen'

const TOLD_FROM_MS = 30 * DAY_MS

/** What the header says, null while it is not sent. To be asked for a key that was proved and no other (P27). */
export function daysLeftHeader(utloper: Date, now: number): string | null {
  return utloper.getTime() - now <= TOLD_FROM_MS ? String(daysLeft(utloper, now)) : null
}

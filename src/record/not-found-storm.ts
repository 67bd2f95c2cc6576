import type { Clock } from '#src/core/clock.ts'

/**
 * "Nothing here" about a company we know is news once, and a fault of the source when it comes in numbers: a register that
 * lost its index answers 404 to everything (P10). What is doubted is asked for again by everybody who reads it: a company is one of the
 * number, however often it is read.
 */
export function createNotFoundStorm({
  clock,
  doubtedFrom,
  windowMs,
}: {
  clock: Clock
  doubtedFrom: number
  windowMs: number
}) {
  /** The latest, by company, the earliest first: enough to know; more would only take room. */
  const seen = new Map<string, number>()

  return {
    /** Notes one such answer. @returns true while there are too many to be believed */
    isOneOfMany(company: string): boolean {
      const now = clock.now().getTime()
      seen.delete(company)
      seen.set(company, now)
      for (const [each, at] of seen) if (at < now - windowMs || seen.size > doubtedFrom) seen.delete(each)
      return seen.size >= doubtedFrom
    },
  }
}

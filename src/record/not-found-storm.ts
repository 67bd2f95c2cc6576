import type { Clock } from '#src/core/clock.ts'

/**
 * "Nothing here" about a company we know is news once, and a fault of the source when it comes in numbers: a register that
 * lost its index answers 404 to everything (P10).
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
  const seen: number[] = []

  return {
    /** Notes one such answer. @returns true while there are too many to be believed */
    isOneOfMany(): boolean {
      const now = clock.now().getTime()
      while ((seen[0] ?? now) < now - windowMs) seen.shift()
      // Enough to know; more would only take room.
      if (seen.length < doubtedFrom) seen.push(now)
      else seen[seen.length - 1] = now
      return seen.length >= doubtedFrom
    },
  }
}

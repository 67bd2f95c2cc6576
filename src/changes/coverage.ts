import type { Policy } from '#config/policy.ts'
import type { Coverage, PlaceInLine } from '#src/storage/changes/coverage.ts'
import { type LookedSource, lookedSourcesOf, lookLineOf } from './look-work.ts'

/** A source of what is watched. */
export type CoveredSource = {
  source: LookedSource
  /** What changes in it after this is told; null: it has not been seen, and what changes until then can not be known. */
  from: Date | null
  /** When it is likely to be looked at: for the first time, or again where the look of the day is late; null: neither. */
  expected: Date | null
}

type LookPolicy = Pick<Policy['lookWork'], 'companiesAtOnce' | 'lookEveryMs' | 'lateAfterMs'>

/** From when each source of a company is watched, by one who began to at `since`. Pure. */
export function coverageOf(
  { seen, lines }: Coverage,
  { since, now }: { since: Date; now: Date },
  policy: LookPolicy,
): CoveredSource[] {
  return lookedSourcesOf(seen)
    .filter((source) => seen.has(source) || (lines !== null && source !== 'underenhet'))
    .map((source) => {
      const known = seen.get(source)
      const from = known === undefined ? null : new Date(Math.max(known.getTime(), since.getTime()))
      const line = lookLineOf(source)
      const place = lines?.[line] ?? null
      // The archive is our own, and has nothing of most companies.
      if (place === null || source === 'aksjonaerer') return { source, from, expected: null }
      const isLate = now.getTime() - place.dueAt.getTime() > policy.lateAfterMs
      return { source, from, expected: from === null || isLate ? turnOf(place, line, now, policy) : null }
    })
}

function turnOf(
  { dueAt, before }: PlaceInLine,
  line: keyof LookPolicy['companiesAtOnce'],
  now: Date,
  policy: LookPolicy,
): Date {
  return dueAt > now ? dueAt : new Date(now.getTime() + waitMs(before + 1, line, policy))
}

/** How long it takes until so many of a line have been looked at. */
export function waitMs(count: number, line: keyof LookPolicy['companiesAtOnce'], policy: LookPolicy): number {
  return Math.ceil(count / policy.companiesAtOnce[line]) * policy.lookEveryMs
}

/** How long each look takes of a line, where there are many. */
export function lookMs(line: keyof LookPolicy['companiesAtOnce'], policy: LookPolicy): number {
  return policy.lookEveryMs / policy.companiesAtOnce[line]
}

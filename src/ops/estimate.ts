/**
 * What a register's answers cost, counted: how often a copy was fetched for the first time, and how old the copy was that a
 * fetch replaced. By AGE_BOUNDS_S, the last for everything older: how many, and their ages' sum in seconds.
 */
type FetchCounts = {
  first: number
  replaced: readonly number[]
  agesS: readonly number[]
}

/** Upper bounds of a copy's age in seconds; what the program keeps for 30 min, 1 h, 1 d and 7 d has a bucket of its own. */
export const AGE_BOUNDS_S = [
  60, 300, 900, 1620, 2000, 3240, 4000, 7200, 21_600, 43_200, 77_760, 96_000, 172_800, 345_600, 544_320,
  670_000, 1_209_600, 2_592_000, 7_776_000,
] as const

export type Estimate = {
  /** Calls a day: counted, and as it would have been. */
  callsNow: number
  callsProposed: number
  /** The share of answers older than `olderThanS`. Null when nothing was replaced in the time. */
  shareOlderNow: number | null
  shareOlderProposed: number | null
  olderThanS: number
}

/**
 * What the counted time would have cost under another fresh time.
 *
 * A copy lives from one fetch to the next: a while fresh, then until its next reader. That wait has nothing to do with the
 * fresh time, so under another one a life is as much longer or shorter as the fresh time is; one that ended before its time
 * (its register told of a change, or somebody wanted it) would have ended then too, or sooner. So many companies being
 * looked at for so long, fetches are as many as lives fit in. What was fetched for the first time is fetched all the same.
 * The readers being spread over a copy's life, the share of answers older than N is the share of all lives beyond N.
 *
 * @param hours how long was counted
 */
export function estimate(
  { first, replaced: counts, agesS }: FetchCounts,
  {
    freshNowS,
    freshProposedS,
    hours,
    olderThanS,
  }: { freshNowS: number; freshProposedS: number; hours: number; olderThanS: number },
): Estimate {
  const lives = counts.flatMap((count, bucket) =>
    count > 0 ? [{ count, ageS: Math.max(1, (agesS[bucket] ?? 0) / count) }] : [],
  )
  const proposed = lives.map(({ count, ageS }) => ({
    count,
    ageS: livedUnder(ageS, freshNowS, freshProposedS),
  }))
  const replaced = lives.reduce((sum, { count }) => sum + count, 0)
  const longer = lives.length === 0 ? 1 : total(proposed) / total(lives)
  const perDay = hours > 0 ? 24 / hours : 0
  return {
    callsNow: Math.round((first + replaced) * perDay),
    callsProposed: Math.round((first + replaced / longer) * perDay),
    shareOlderNow: shareBeyond(lives, olderThanS),
    shareOlderProposed: shareBeyond(proposed, olderThanS),
    olderThanS,
  }
}

export function bucketOf(ageS: number): number {
  const found = AGE_BOUNDS_S.findIndex((bound) => ageS <= bound)
  return found === -1 ? AGE_BOUNDS_S.length : found
}

type Lives = readonly { count: number; ageS: number }[]

/** Copies within a tenth of their fresh time were replaced since it ended: it is spread by so much. */
function livedUnder(ageS: number, freshNowS: number, freshProposedS: number): number {
  if (ageS >= 0.9 * freshNowS) return Math.max(1, ageS - freshNowS) + freshProposedS
  return Math.min(ageS, freshProposedS)
}

function total(lives: Lives): number {
  return lives.reduce((sum, { count, ageS }) => sum + count * ageS, 0)
}

function shareBeyond(lives: Lives, olderThanS: number): number | null {
  const all = total(lives)
  if (all === 0) return null
  return lives.reduce((sum, { count, ageS }) => sum + count * Math.max(0, ageS - olderThanS), 0) / all
}

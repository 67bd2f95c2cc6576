import { describe, expect, it } from 'vitest'
import { AGE_BOUNDS_S, bucketOf, estimate } from '#src/ops/estimate.ts'

const DAY = 86_400

/** So many copies were replaced at each of these ages. */
function counted(ages: readonly number[], first = 0) {
  const replaced = Array.from({ length: AGE_BOUNDS_S.length + 1 }, () => 0)
  const agesS = [...replaced]
  for (const age of ages) {
    const bucket = bucketOf(age)
    replaced[bucket] = (replaced[bucket] ?? 0) + 1
    agesS[bucket] = (agesS[bucket] ?? 0) + age
  }
  return { first, replaced, agesS }
}

describe('what another lifetime would have cost', () => {
  it('halves the calls when copies that are always read live twice as long', () => {
    const seen = estimate(counted(Array.from({ length: 100 }, () => DAY + 1)), {
      freshNowS: DAY,
      freshProposedS: 2 * DAY,
      hours: 24,
      olderThanS: DAY,
    })
    expect(seen).toMatchObject({ callsNow: 100, callsProposed: 50 })
    expect(seen.shareOlderNow).toBeLessThan(0.001)
    expect(seen.shareOlderProposed).toBeCloseTo(0.5, 2)
  })

  it('changes little where nobody reads for long after a copy is stale', () => {
    const { callsProposed } = estimate(counted(Array.from({ length: 100 }, () => 10 * DAY)), {
      freshNowS: DAY,
      freshProposedS: 2 * DAY,
      hours: 24,
      olderThanS: DAY,
    })
    expect(callsProposed).toBeGreaterThan(85)
  })

  it('saves nothing on what a register told of, and on what was fetched for the first time', () => {
    const { callsNow, callsProposed } = estimate(
      counted(
        Array.from({ length: 50 }, () => 3600),
        30,
      ),
      {
        freshNowS: DAY,
        freshProposedS: 10 * DAY,
        hours: 12,
        olderThanS: DAY,
      },
    )
    expect([callsNow, callsProposed]).toEqual([160, 160])
  })

  it('asks more often under a shorter one', () => {
    const { callsProposed } = estimate(counted(Array.from({ length: 10 }, () => DAY)), {
      freshNowS: DAY,
      freshProposedS: 3600,
      hours: 24,
      olderThanS: DAY,
    })
    expect(callsProposed).toBe(240)
  })

  it('claims nothing where nothing was counted', () => {
    expect(
      estimate(counted([]), { freshNowS: DAY, freshProposedS: 60, hours: 0, olderThanS: DAY }),
    ).toMatchObject({ callsNow: 0, callsProposed: 0, shareOlderNow: null })
  })
})

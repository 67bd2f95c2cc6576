import { expect, test } from 'vitest'
import { type Limiter, limiterOf } from '#src/queue/backend.ts'

/** A lane's window as BullMQ keeps it, by a clock in the test's hand: begun by the first job, and `max` until it is over. */
function windowOf({ max, duration }: Limiter) {
  let taken = 0
  let overAt = Number.NEGATIVE_INFINITY
  return (now: number): boolean => {
    if (now >= overAt) taken = 0
    if (taken >= max) return false
    if (taken === 0) overAt = now + duration
    taken += 1
    return true
  }
}

/** The most of these moments, in their order, that lie within any ten seconds. */
function mostInTenSeconds(moments: readonly number[]): number {
  let first = 0
  let most = 0
  for (const [index, at] of moments.entries()) {
    while (at - (moments[first] ?? 0) >= 10_000) first += 1
    most = Math.max(most, index - first + 1)
  }
  return most
}

/** When jobs are begun over a minute, by as many processes as there are in turn, if so many have come by each moment. */
function begun(limiter: Limiter, processes: number, come: (now: number) => number): number[] {
  const isFree = windowOf(limiter)
  const moments: number[] = []
  for (let now = 0; now < 60_000; now += 1)
    for (let process = 0; process < processes; process += 1)
      while (moments.length < come(now) && isFree(now)) moments.push(now)
  return moments
}

const paces = [0.1, 0.5, 1, 2.5, 3, 5, 7, 9.9, 10, 12, 15, 20, 33, 50, 100]
const ALL = 1_000_000

test.each(paces)(
  'P139: %s a second are no more over any ten seconds, however many processes ask and whenever',
  (perSecond) => {
    const limiter = limiterOf(perSecond)
    const share = Math.ceil(10 * perSecond)
    for (const processes of [1, 2, 7])
      expect(mostInTenSeconds(begun(limiter, processes, () => ALL))).toBeLessThanOrEqual(share)
    // One begins a window, and the rest come at any moment of it: what is left of it is taken together with the next.
    const step = Math.max(1, Math.floor(limiter.duration / 40))
    for (let at = 1; at < Math.min(limiter.duration, 10_000); at += step) {
      const moments = begun(limiter, 2, (now) => (now < at ? 1 : ALL))
      expect(mostInTenSeconds(moments)).toBeLessThanOrEqual(share)
    }
    const atItsEnd = begun(limiter, 2, (now) => (now < limiter.duration - 1 ? 1 : ALL))
    expect(mostInTenSeconds(atItsEnd)).toBeLessThanOrEqual(share)
  },
)

test.each(paces)('P139: of %s a second nine in ten are used', (perSecond) => {
  const { max, duration } = limiterOf(perSecond)
  expect((1000 * max) / duration).toBeGreaterThan(0.9 * perSecond)
})

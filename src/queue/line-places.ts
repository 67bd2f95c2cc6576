import { createLru } from '#src/core/lru.ts'

/**
 * The places of what is enqueued, by who asks for it: each has a line of their own, and who is as far in theirs comes at the same time.
 * However much one asks for, another's first is among the first. Each process counts its own, and takes a line to be worked off at the
 * pace of the whole lane: how far it is in truth nobody needs to know. What several ask for stands in the shortest of their lines.
 *
 * @param perSecond so much of a line is worked off
 * @param linesMax who else asks begins anew
 * @param placesMax a line is no longer
 * @param nowMs of a clock that does not go back
 */
export function createLinePlaces({
  perSecond,
  linesMax,
  placesMax,
  nowMs = () => performance.now(),
}: {
  perSecond: number
  linesMax: number
  placesMax: number
  nowMs?: () => number
}): (of: string, ...orOf: readonly string[]) => number {
  const lines = createLru<string, { length: number; atMs: number }>(linesMax)

  const left = (of: string, at: number) => {
    const line = lines.get(of)
    return line === undefined ? 0 : Math.max(0, line.length - (perSecond * (at - line.atMs)) / 1000)
  }

  /** 0 is the first. */
  return function placeOf(of, ...orOf) {
    const atMs = nowMs()
    let shortest = { whose: of, length: left(of, atMs) }
    for (const whose of orOf) {
      const length = left(whose, atMs)
      if (length < shortest.length) shortest = { whose, length }
    }
    const place = Math.min(shortest.length, placesMax)
    lines.set(shortest.whose, { length: place + 1, atMs })
    return Math.floor(place)
  }
}

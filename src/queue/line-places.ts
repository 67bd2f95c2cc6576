import { createLru } from '#src/core/lru.ts'

/**
 * The places of what is enqueued, by who asks for it: each has a line of their own, and who is as far in theirs comes at the same time.
 * However much one asks for, another's first is among the first. Each process counts its own, and takes a line to be worked off at the
 * pace of the whole lane: how far it is in truth nobody needs to know.
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
}): (of: string) => number {
  const lines = createLru<string, { length: number; atMs: number }>(linesMax)

  /** 0 is the first. */
  return function placeOf(of) {
    const at = nowMs()
    const line = lines.get(of)
    const left = line === undefined ? 0 : line.length - (perSecond * (at - line.atMs)) / 1000
    const place = Math.min(Math.max(0, left), placesMax)
    lines.set(of, { length: place + 1, atMs: at })
    return Math.floor(place)
  }
}

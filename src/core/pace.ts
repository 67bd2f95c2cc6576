/**
 * So many a second and no more. Those of one second may come together; then none until time has paid for the next. Below one
 * a second they come one by one.
 *
 * @param perSecond a function is asked each time: it may be changed while the service runs
 * @param savedMax so many may come together; null: those of one second
 * @returns asked before each: 0 when it may be now, and then it is counted; otherwise the milliseconds until one may be.
 *   `keep`: so many are left for others, where there is ever one more than that
 */
export function createPace({
  perSecond,
  savedMax = null,
  nowMs = () => performance.now(),
}: {
  perSecond: number | (() => number)
  savedMax?: number | null
  nowMs?: () => number
}): (keep?: number) => number {
  const rate = () => (typeof perSecond === 'number' ? perSecond : perSecond())
  // Half of one would never come to be one.
  const most = () => savedMax ?? Math.max(1, rate())
  let saved = most()
  let countedAtMs = nowMs()

  return (keep = 0) => {
    const now = nowMs()
    // A clock that was set back saves nothing and costs nothing.
    const earned = (Math.max(0, now - countedAtMs) / 1000) * rate()
    saved = Math.min(most(), saved + earned)
    countedAtMs = now
    const needed = 1 + Math.min(keep, most() - 1)
    if (saved < needed) return Math.ceil(((needed - saved) / rate()) * 1000)
    saved -= 1
    return 0
  }
}

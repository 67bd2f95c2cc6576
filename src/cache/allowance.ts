/**
 * So many bytes in so long: what is put away for that long is never more than twice as much at a time.
 *
 * @returns whether these may be put away too; then they are counted
 */
export function createAllowance({
  bytesMax,
  withinMs,
}: {
  bytesMax: number
  withinMs: number
}): (bytes: number, now: number) => boolean {
  let since = Number.NEGATIVE_INFINITY
  let used = 0
  return (bytes, now) => {
    // A clock that was set back makes no time longer.
    if (now - since >= withinMs || now < since) {
      since = now
      used = 0
    }
    if (used + bytes > bytesMax) return false
    used += bytes
    return true
  }
}

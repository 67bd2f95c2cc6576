/**
 * Counts what is told when somebody looks, or a moment later: whoever tells of it is on the way to a reader, and has a dozen
 * things to tell for one company.
 *
 * @param now when it was told goes with it
 */
export function createCountLater<Told, At>(
  count: (told: Told, at: At) => void,
  now: () => At,
): {
  hear: (message: unknown) => void
  /** Before anything of it is looked at. */
  countNow: () => void
} {
  let heard: { told: Told; at: At }[] = []
  let timer: NodeJS.Timeout | undefined

  function countNow(): void {
    clearTimeout(timer)
    timer = undefined
    const all = heard
    heard = []
    for (const { told, at } of all) count(told, at)
  }

  return {
    hear(message) {
      heard.push({ told: message as Told, at: now() })
      if (heard.length >= HEARD_MAX) countNow()
      else timer ??= setTimeout(countNow, WITHIN_MS).unref()
    },
    countNow,
  }
}

/** Longer than it takes to put a company together of what has come. */
const WITHIN_MS = 25
const HEARD_MAX = 1000

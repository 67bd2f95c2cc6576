/** What a page of a feed needs, besides PostgreSQL, and may be away for a while. */
type Need = 'marks' | 'refreshes'

export type Patience = ReturnType<typeof createPatience>

/**
 * What is away for the moment fails the page that needs it, which is then read again, but not for ever, as behind it removals may be
 * waiting: so many tries are all there are, however much is away at once, and each page after goes on without it as it comes, until
 * all is back.
 */
export function createPatience(triesMax: number) {
  /** By what is away: whether a page has gone on without it. */
  const away = new Map<Need, boolean>()
  let failures = 0

  return {
    /** @returns why the page goes on without it, and whether it is the first that does */
    async tried<T>(
      need: Need,
      work: () => Promise<T>,
    ): Promise<{ isDone: true; value: T } | { isDone: false; cause: unknown; isFirst: boolean }> {
      try {
        const value = await work()
        away.delete(need)
        if (away.size === 0) failures = 0
        return { isDone: true, value }
      } catch (cause) {
        const goesOn = failures + 1 >= triesMax
        const isFirst = goesOn && away.get(need) !== true
        failures += 1
        away.set(need, goesOn)
        if (!goesOn) throw cause
        return { isDone: false, cause, isFirst }
      }
    },
  }
}

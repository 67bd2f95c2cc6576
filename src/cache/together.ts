/**
 * Gathers what is asked in one turn of the event loop, or within `withinMs`, and asks it as one: a command to Redis costs the
 * process about the same whatever is in it. Where there is much to ask, what comes while one question is under way can wait for
 * its answer: then few questions are asked of many things each, and who asks when there is little waits for nothing.
 *
 * @param ask gives an answer for each, in their order; null when there is none to be had
 * @param atMost in one question; what is more goes in another beside it
 * @param behindMs so long what is asked waits for a question that is under way
 */
export function createTogether<Item, Answer>(
  ask: (items: readonly Item[]) => Promise<readonly Answer[] | null>,
  { atMost, withinMs = 0, behindMs = 0 }: { atMost: number; withinMs?: number; behindMs?: number },
): {
  ask(item: Item): Promise<Answer | null>
  /** What waits is asked now, if any of it is so. */
  hurry(isSo: (item: Item) => boolean): void
} {
  type Waiting = { item: Item } & Pick<PromiseWithResolvers<Answer | null>, 'resolve' | 'reject'>
  let waiting: Waiting[] = []
  let underway = 0
  /** Those who wait wait for a question that is under way. */
  let behind: NodeJS.Timeout | undefined

  function goOrWait(): void {
    if (underway === 0 || behindMs === 0) go()
    else behind ??= setTimeout(go, behindMs)
  }

  function go(): void {
    clearTimeout(behind)
    behind = undefined
    const all = waiting
    waiting = []
    for (let from = 0; from < all.length; from += atMost) void goWith(all.slice(from, from + atMost))
  }

  async function goWith(some: readonly Waiting[]): Promise<void> {
    underway++
    try {
      const answers = await ask(some.map(({ item }) => item))
      for (const [index, { resolve }] of some.entries()) resolve(answers?.[index] ?? null)
    } catch (error) {
      for (const { reject } of some) reject(error)
    }
    underway--
    if (underway === 0 && behind !== undefined) go()
  }

  return {
    ask: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        if (waiting.length > 1) return
        if (withinMs === 0) setImmediate(goOrWait)
        else setTimeout(go, withinMs)
      }),

    hurry(isSo) {
      if (waiting.some(({ item }) => isSo(item))) go()
    },
  }
}

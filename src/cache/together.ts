/**
 * Gathers what is asked in one turn of the event loop, or within `withinMs`, and asks it as one: a command to Redis costs the
 * process about the same whatever is in it.
 *
 * @param ask gives an answer for each, in their order; null when there is none to be had
 * @param atMost in one question; what is more goes in another beside it
 */
export function createTogether<Item, Answer>(
  ask: (items: readonly Item[]) => Promise<readonly Answer[] | null>,
  { atMost, withinMs = 0 }: { atMost: number; withinMs?: number },
): {
  ask(item: Item): Promise<Answer | null>
  /** What waits is asked now, if any of it is so. */
  hurry(isSo: (item: Item) => boolean): void
} {
  type Waiting = { item: Item } & Pick<PromiseWithResolvers<Answer | null>, 'resolve' | 'reject'>
  let waiting: Waiting[] = []

  function go(): void {
    const all = waiting
    waiting = []
    for (let from = 0; from < all.length; from += atMost) void goWith(all.slice(from, from + atMost))
  }

  async function goWith(some: readonly Waiting[]): Promise<void> {
    try {
      const answers = await ask(some.map(({ item }) => item))
      for (const [index, { resolve }] of some.entries()) resolve(answers?.[index] ?? null)
    } catch (error) {
      for (const { reject } of some) reject(error)
    }
  }

  return {
    ask: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        if (waiting.length > 1) return
        if (withinMs === 0) setImmediate(go)
        else setTimeout(go, withinMs)
      }),

    hurry(isSo) {
      if (waiting.some(({ item }) => isSo(item))) go()
    },
  }
}

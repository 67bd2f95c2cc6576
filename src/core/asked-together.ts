/**
 * Questions that come while as many as may are on their way are asked together in the next: however many ask, the rate is
 * that of whoever answers. Two who wait for the same thing ask once; nobody joins a question that is on its way, so that an
 * answer is never older than its question.
 *
 * @param ask gives what there is, by name. What it throws is thrown to all who asked together
 * @returns null: there is no such thing
 */
export function askedTogether<Answer>(
  ask: (names: string[]) => Promise<ReadonlyMap<string, Answer>>,
  { atOnce, namesMax }: { atOnce: number; namesMax: number },
): (name: string) => Promise<Answer | null> {
  const waiting = new Map<string, PromiseWithResolvers<Answer | null>>()
  let underWay = 0

  function comeOn(): void {
    while (underWay < atOnce && waiting.size > 0) {
      const together = [...waiting.entries().take(namesMax)]
      for (const [name] of together) waiting.delete(name)
      underWay += 1
      void answer(together)
    }
  }

  async function answer(together: [string, PromiseWithResolvers<Answer | null>][]): Promise<void> {
    try {
      const found = await ask(together.map(([name]) => name))
      for (const [name, { resolve }] of together) resolve(found.get(name) ?? null)
    } catch (error) {
      for (const [, { reject }] of together) reject(error)
    } finally {
      underWay -= 1
      comeOn()
    }
  }

  return (name) => {
    const asked = waiting.get(name) ?? Promise.withResolvers<Answer | null>()
    if (!waiting.has(name)) {
      waiting.set(name, asked)
      // Those who ask in the same turn ask together.
      if (waiting.size === 1) setImmediate(comeOn)
    }
    return asked.promise
  }
}

/**
 * Tells a fill that began before a change from one that began after. Every change takes a number; a fill remembers the
 * number at its beginning, and what it brings is refused when its company has changed since (P11).
 *
 * The last `companiesMax` changed companies are remembered one by one. A fill older than what has been forgotten is
 * refused as well: one fetch too many, never one wrong copy.
 */
export function createFence(companiesMax: number) {
  const changedAt = new Map<string, number>()
  let count = 0
  let forgottenUpTo = 0

  return {
    /** The mark to remember when a fill begins, before anything is asked. */
    mark: (): number => count,

    changed(company: string): void {
      count++
      // Deleted first, so that the map's order is that of the last change.
      changedAt.delete(company)
      changedAt.set(company, count)
      if (changedAt.size <= companiesMax) return
      for (const [oldest, at] of changedAt) {
        changedAt.delete(oldest)
        forgottenUpTo = at
        break
      }
    },

    everythingChanged(): void {
      count++
      forgottenUpTo = count
      changedAt.clear()
    },

    hasChanged(company: string, mark: number): boolean {
      return mark < forgottenUpTo || (changedAt.get(company) ?? 0) > mark
    },
  }
}

/** Somebody whose body is being received, or waits whole to be begun with. `of`: who is counted as one. `isStranger`: has no key. */
export type SumHolder = {
  readonly of: string
  readonly isStranger: boolean
  readonly since: number
  bytes: number
  letGo: () => void
}

export type ReceivedSum = ReturnType<typeof createReceivedSum>

/**
 * What all who have a place (`received.ts`) hold, at whichever address, is bounded together as well: each address has places of its own,
 * and all of them full at once would be hundreds of megabytes. Beyond `bytesMax` those are let go who have held theirs for longest, when
 * that is longer than a list takes on a slow line; where nobody has, the newest of who holds the most. What is whole is let go no more,
 * so of strangers there is only a part of it: as much as they all hold whole would be taken from whoever comes next.
 *
 * @param bytesOfStrangersMax for strangers, who have no key of their own
 * @param heldMs as long as a list takes on a slow line
 */
export function createReceivedSum({
  bytesMax,
  bytesOfStrangersMax,
  heldMs,
}: {
  bytesMax: number
  bytesOfStrangersMax: number
  heldMs: number
}) {
  const counted = new Set<SumHolder>()
  /** Of them who is not whole yet, longest first. */
  const holders = new Set<SumHolder>()
  let sum = 0
  let sumOfStrangers = 0

  function longestOrNewestOfMost(some: readonly SumHolder[]): SumHolder | undefined {
    const [longest] = some
    if (longest === undefined || performance.now() - longest.since >= heldMs) return longest
    const bytesOf = new Map<string, number>()
    for (const { of, bytes } of some) bytesOf.set(of, (bytesOf.get(of) ?? 0) + bytes)
    const [most] = [...bytesOf].reduce((a, b) => (b[1] > a[1] ? b : a))
    return some.findLast(({ of }) => of === most)
  }

  function add(holder: SumHolder, bytes: number): void {
    sum += bytes
    if (holder.isStranger) sumOfStrangers += bytes
  }

  function makeRoom(): void {
    while (sum > bytesMax || sumOfStrangers > bytesOfStrangersMax) {
      const some = [...holders].filter(({ isStranger }) => sum > bytesMax || isStranger)
      const given = longestOrNewestOfMost(some)
      if (given === undefined) return
      leave(given)
      given.letGo()
    }
  }

  function leave(holder: SumHolder): void {
    holders.delete(holder)
    if (counted.delete(holder)) add(holder, -holder.bytes)
  }

  return {
    hold(holder: SumHolder): void {
      holders.add(holder)
      counted.add(holder)
      add(holder, holder.bytes)
    },

    /** So much more of it has come. */
    come(holder: SumHolder, bytes: number): void {
      if (!holders.has(holder)) return
      holder.bytes += bytes
      add(holder, bytes)
      makeRoom()
    },

    /** All of it has come: it is held until it is begun with, and is let go no more. */
    whole: (holder: SumHolder): void => void holders.delete(holder),

    /** Nothing of it is held any more. */
    leave,
  }
}

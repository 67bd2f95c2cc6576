/**
 * Who waits, by network: of one the oldest first, and networks in turns. A network that had no turn while anybody waits is told apart
 * from those that had: who asks for the next says which of them has it.
 *
 * @param networksMax so many that had a turn are known
 */
export function createNetworkLines<T>({ networksMax }: { networksMax: number }) {
  const lines = new Map<string, Set<T>>()
  /** Networks that had no turn, as they came. */
  const fresh: string[] = []
  /** The others: longest ago had a turn first. */
  const again = new Set<string>()
  const hadTurn = new Set<string>()
  let waiting = 0

  function takeOldest(network: string): T | null {
    const line = lines.get(network)
    const [oldest] = line ?? []
    if (line === undefined || oldest === undefined) return null
    waiting -= 1
    line.delete(oldest)
    if (line.size === 0) {
      lines.delete(network)
      takeOut(network)
    }
    return oldest
  }

  function takeOut(network: string): void {
    if (again.delete(network)) return
    fresh.splice(fresh.at(-1) === network ? -1 : fresh.indexOf(network), 1)
  }

  function networkFor(turn: Turn): string | undefined {
    const [longestAgo] = again
    if (turn === 'again' && longestAgo !== undefined) return longestAgo
    return fresh.at(turn === 'last' ? -1 : 0) ?? longestAgo
  }

  return {
    /** How many. */
    count: (): number => waiting,

    isWaiting: (one: T, network: string): boolean => lines.get(network)?.has(one) === true,

    /** How many of one network. */
    countOf: (network: string): number => lines.get(network)?.size ?? 0,

    add(one: T, network: string): void {
      const line = lines.get(network)
      waiting += 1
      if (line !== undefined) {
        line.add(one)
        return
      }
      lines.set(network, new Set([one]))
      if (hadTurn.has(network)) again.add(network)
      else fresh.push(network)
    },

    /** @returns whose turn it is, who waits no more; where none waits of those that are to have it one of the others */
    next(turn: Turn): { one: T; network: string } | null {
      const network = networkFor(turn)
      const one = network === undefined ? null : takeOldest(network)
      if (network === undefined || one === null) return null
      if (hadTurn.size >= networksMax) hadTurn.clear()
      hadTurn.add(network)
      if (lines.has(network)) {
        takeOut(network)
        again.add(network)
      }
      return { one, network }
    },

    /**
     * By those who come faster than they have a turn nobody else is kept out.
     *
     * @returns the oldest of the network of which most wait, who does no more; null where that are no more than these
     */
    giveUpOne(moreThan = 0): T | null {
      let most = moreThan
      let largest: string | null = null
      for (const [network, { size }] of lines) {
        if (size <= most) continue
        most = size
        largest = network
      }
      return largest === null ? null : takeOldest(largest)
    },

    /** Nobody waits any more: whoever comes is of another crowd. */
    forgetTurns: (): void => hadTurn.clear(),
  }
}

/** Of those that had no turn the one that came first, or last; of the others the one that had it longest ago. */
type Turn = 'first' | 'last' | 'again'

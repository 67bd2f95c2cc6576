type Connection = { close(): void }

/**
 * Who was taken and is not handed to a front yet waits here, networks in turns: the process that hands connections round takes them as fast
 * as they come, and handed round as they came, those of one who connects without a pause would be before everybody else's, as many
 * as the system lets it have open. A network that had no turn yet goes before those that had: behind two hundred who connect without a
 * pause whoever comes would wait for a turn of each. Every eighth turn is theirs all the same, since of those that had none there may be
 * no end. Where `waitingMax` wait the network with the most gives up its oldest, or the newcomer where that is its own.
 *
 * @param handOn gives one to whoever hands them round, who is given the next when that one is on its way
 */
export function createLine<C extends Connection>(
  { waitingMax }: { waitingMax: number },
  { handOn }: { handOn: (connection: C) => void },
) {
  /** Of those that had no turn since somebody waits, and of those that had: whose turn is next stands first. */
  const fresh: Lines<C> = new Map()
  const again: Lines<C> = new Map()
  const hadTurn = new Set<string>()
  let turns = 0
  let waiting = 0
  let handed: C | null = null

  function next(): void {
    if (handed !== null) return
    turns += 1
    const isOfAgain = fresh.size === 0 || (again.size > 0 && turns % AGAIN_EVERY === 0)
    const networks = isOfAgain ? again : fresh
    const [first] = networks
    if (first === undefined) {
      hadTurn.clear()
      return
    }
    const [network, line] = first
    const [connection] = line
    if (connection === undefined) return
    leave(connection, network, line)
    if (hadTurn.size >= HAD_TURN_MAX) hadTurn.clear()
    hadTurn.add(network)
    if (line.size > 0) {
      networks.delete(network)
      again.set(network, line)
    }
    handed = connection
    handOn(connection)
  }

  function leave(connection: C, network: string, line: Set<C>): void {
    waiting -= 1
    line.delete(connection)
    if (line.size > 0) return
    fresh.delete(network)
    again.delete(network)
  }

  /** @returns false when nobody has more waiting than the newcomer's network */
  function makeRoom(own: number): boolean {
    let largest: [string, Set<C>] | null = null
    for (const networks of [fresh, again])
      for (const each of networks) if (each[1].size > (largest?.[1].size ?? own)) largest = each
    if (largest === null) return false
    const [network, line] = largest
    const [oldest] = line
    if (oldest === undefined) return false
    leave(oldest, network, line)
    oldest.close()
    return true
  }

  return {
    come(connection: C, network: string): void {
      const line = fresh.get(network) ?? again.get(network) ?? new Set()
      if (waiting >= waitingMax && !makeRoom(line.size)) {
        connection.close()
        return
      }
      waiting += 1
      line.add(connection)
      if (line.size === 1) (hadTurn.has(network) ? again : fresh).set(network, line)
      next()
    },

    /** It is on its way to a front. */
    onItsWay(connection: unknown): void {
      if (connection !== handed) return
      handed = null
      next()
    },

    /** Nobody hands them round any more. */
    end(): void {
      for (const networks of [fresh, again]) {
        for (const line of networks.values()) for (const each of line) each.close()
        networks.clear()
      }
      waiting = 0
    },
  }
}

type Lines<C> = Map<string, Set<C>>

const AGAIN_EVERY = 8
const HAD_TURN_MAX = 10_000

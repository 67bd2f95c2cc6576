type Connection = { close(): void }

/**
 * Who was taken and is not handed to a front yet waits here, networks in turns: the process that hands connections round takes them as fast
 * as they come, and handed round as they came, those of one who connects without a pause would be before everybody else's, as many
 * as the system lets it have open. Where `waitingMax` wait the network with the most gives up its oldest, or the newcomer where that is its own.
 *
 * @param handOn gives one to whoever hands them round, who is given the next when that one is on its way
 */
export function createLine<C extends Connection>(
  { waitingMax }: { waitingMax: number },
  { handOn }: { handOn: (connection: C) => void },
) {
  /** The network whose turn is next stands first. */
  const networks = new Map<string, Set<C>>()
  let waiting = 0
  let handed: C | null = null

  function next(): void {
    if (handed !== null) return
    const [first] = networks
    if (first === undefined) return
    const [network, line] = first
    networks.delete(network)
    const [connection] = line
    if (connection === undefined) return
    leave(connection, network, line)
    handed = connection
    handOn(connection)
  }

  function leave(connection: C, network: string, line: Set<C>): void {
    waiting -= 1
    line.delete(connection)
    if (line.size > 0) networks.set(network, line)
    else networks.delete(network)
  }

  /** @returns false when nobody has more waiting than the newcomer's network */
  function makeRoom(own: number): boolean {
    let largest: [string, Set<C>] | null = null
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
      const line = networks.get(network) ?? new Set()
      if (waiting >= waitingMax && !makeRoom(line.size)) {
        connection.close()
        return
      }
      waiting += 1
      line.add(connection)
      networks.set(network, line)
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
      for (const line of networks.values()) for (const each of line) each.close()
      networks.clear()
      waiting = 0
    },
  }
}

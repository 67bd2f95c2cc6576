import { createNetworkLines } from '#src/core/network-lines.ts'

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
  const lines = createNetworkLines<C>({ networksMax: NETWORKS_MAX })
  let turns = 0
  let handed: C | null = null

  function next(): void {
    if (handed !== null) return
    turns += 1
    const whose = lines.next(turns % AGAIN_EVERY === 0 ? 'again' : 'first')
    if (whose === null) {
      lines.forgetTurns()
      return
    }
    handed = whose.one
    handOn(handed)
  }

  return {
    come(connection: C, network: string): void {
      if (lines.count() >= waitingMax) {
        const givesWay = lines.giveUpOne(lines.countOf(network)) ?? connection
        givesWay.close()
        if (givesWay === connection) return
      }
      lines.add(connection, network)
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
      for (let each = lines.next('first'); each !== null; each = lines.next('first')) each.one.close()
    },
  }
}

const AGAIN_EVERY = 8
const NETWORKS_MAX = 10_000

import type { Socket } from 'node:net'

export type EaseBounds = { readonly connectionsAtEaseMax: number; readonly atEaseLeftMs: number }

/** A connection as it was when it was looked at last. */
export type Ease = {
  /** null: of a proxy, which keeps connections ready and is the one to end them. */
  readonly network: string | null
  /** A request of its has begun, the first or a later one. */
  hasAsked: boolean
  /** So much had come of it, and it has asked nothing since that look; null while it is answered. */
  quiet: { readonly bytes: number; readonly since: number } | null
}

/**
 * Connections that were answered and ask nothing may be kept as long as clients like (`idleTimeoutMs`) while there are few: each takes
 * 12 kB, in bare Node too. Where more than `connectionsAtEaseMax` are open those that ask nothing give way until no more are, or all
 * that are left are at work: of the networks with the most, the one that has been silent for longest. A client makes another when it
 * has something to ask; so that who asks again and again need not, those that are silent for less than `atEaseLeftMs` are left until
 * there are twice as many.
 *
 * @param isAnswered whether a request of this connection is being answered
 */
export function createAtEase(
  { connectionsAtEaseMax, atEaseLeftMs }: EaseBounds,
  { open, isAnswered }: { open: ReadonlyMap<Socket, Ease>; isAnswered: (socket: Socket) => boolean },
) {
  /** Those that have asked nothing since they were looked at before, longest silent first, by network. */
  function silent(): Map<string, { socket: Socket; since: number }[]> {
    const now = performance.now()
    const found = new Map<string, { socket: Socket; since: number }[]>()
    for (const [socket, connection] of open) {
      const { network, quiet } = connection
      if (network === null) continue
      const bytes = socket.bytesRead
      if (!connection.hasAsked || isAnswered(socket)) connection.quiet = null
      else if (quiet?.bytes !== bytes) connection.quiet = { bytes, since: now }
      else {
        const those = found.get(network) ?? []
        those.push({ socket, since: quiet.since })
        found.set(network, those)
      }
    }
    for (const those of found.values()) those.sort((a, b) => a.since - b.since)
    return found
  }

  let newcomers = 0

  function look(): void {
    newcomers = 0
    if (open.size <= connectionsAtEaseMax) return
    // `behind`: how many of its network have been silent for less long. Who has the most behind them give way first.
    const inTurn = [...silent().values()].flatMap((those) =>
      those.map((each, index) => ({ ...each, behind: those.length - index })),
    )
    inTurn.sort((a, b) => b.behind - a.behind || a.since - b.since)
    let counted = 0
    for (const { network } of open.values()) if (network !== null) counted += 1
    const before = performance.now() - atEaseLeftMs
    const give = (those: typeof inTurn, most: number) => {
      for (const { socket } of those.slice(0, Math.max(0, counted - most))) {
        socket.destroy()
        counted -= 1
      }
    }
    give(
      inTurn.filter(({ since }) => since <= before),
      connectionsAtEaseMax,
    )
    give(
      inTurn.filter(({ since }) => since > before),
      2 * connectionsAtEaseMax,
    )
  }

  return {
    /** To be called now and again; while there are few connections it is nothing. */
    look,

    /** There is one more: where many come at a time they are not waited for. */
    connected(): void {
      newcomers += 1
      if (newcomers >= LOOK_EVERY) look()
    },
  }
}

const LOOK_EVERY = 200

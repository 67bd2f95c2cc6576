import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { networkOf } from '#src/core/client-network.ts'
import { createTurns } from '#src/core/turns.ts'

export type CrumbBounds = { readonly connectionsMax: number; readonly pieceRestMs: number }

/**
 * Reads on those who send what they send in crumbs, one after another, networks in equal turns, and rests after each for a while
 * by how many they were: what Node takes for them is known when it has taken it.
 */
export function createCrumbs({ connectionsMax, pieceRestMs }: CrumbBounds) {
  const turns = createTurns({ atOnce: 1, waitingMax: connectionsMax })

  /** Comes back when this connection, which has sent so many, may be read again; and later, where it is gone. */
  return function turnOf(socket: Socket, pieces: number): Promise<void> {
    const begun = Promise.withResolvers<void>()
    const read = async () => {
      begun.resolve()
      if (!socket.destroyed) await pause(pieces * pieceRestMs, undefined, { ref: false })
    }
    turns.run({ of: networkOf(socket.remoteAddress ?? ''), rank: 0 }, read).catch(() => socket.destroy())
    return begun.promise
  }
}

import type { IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { createTurns } from '#src/core/turns.ts'
import { networkBehind } from './network-behind.ts'

export type CrumbBounds = { readonly connectionsMax: number; readonly pieceRestMs: number }

/**
 * Reads on those who send what they send in crumbs, one after another, networks in equal turns, and rests after each for a while
 * by how many they were: what Node takes for them is known when it has taken it.
 *
 * @param isProxy whether an address is a proxy's in front: who is behind it has a network of their own
 */
export function createCrumbs(
  { connectionsMax, pieceRestMs }: CrumbBounds,
  { isProxy }: { isProxy: (ip: string) => boolean },
) {
  const turns = createTurns({ atOnce: 1, waitingMax: connectionsMax })

  /** Comes back when the connection of this request, which has sent so many, may be read again; and later, where it is gone. */
  return function turnOf(request: IncomingMessage, pieces: number): Promise<void> {
    const { socket } = request
    const begun = Promise.withResolvers<void>()
    const read = async () => {
      begun.resolve()
      if (!socket.destroyed) await pause(pieces * pieceRestMs, undefined, { ref: false })
    }
    turns.run({ of: networkBehind(request, isProxy), rank: 0 }, read).catch(() => socket.destroy())
    return begun.promise
  }
}

import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { BoundedSocket } from '#src/core/bounded-socket.ts'
import { createTurns } from '#src/core/turns.ts'

/**
 * Whoever is sent to chooses what a handshake costs before they have shown who they are: a hundred certificates are a third of a second,
 * in which nothing else is sent, and one owner's endpoints are sixty connections at a time. So what a receiver says in its handshake is
 * reckoned with piece by piece, one of an owner's at a time, and after each there is a rest as long as several of it: however dear they make
 * it, an owner has a part of the thread. Who says nothing, or is far away, holds up no other endpoint of theirs. When they have shown who
 * they are, they are heard as it comes.
 */
export function createPacedHandshakes() {
  const turns = createTurns({ atOnce: CONNECTIONS_MAX, atOnceForOne: 1, waitingMax: CONNECTIONS_MAX })

  /** @param of whose endpoint it is */
  return function paced(socket: Socket, of: string): BoundedSocket {
    return new BoundedSocket(socket, {
      saidBytesMax: SAID_BYTES_MAX,
      tooMuch: () => new Error('a receiver that says more than receivers do'),
      inTurn: (hear) =>
        turns.run({ of, rank: 0 }, async () => {
          const begunAtMs = performance.now()
          hear()
          await pause(REST * (performance.now() - begunAtMs), undefined, { ref: false })
        }),
    })
  }
}

/**
 * A handshake is less than half of it, and of the answer a few kilobytes are read. What is neither, such as tickets to come again with,
 * is told to nobody and would be reckoned with for as long as it came.
 */
const SAID_BYTES_MAX = 256 * 1024
/** A fifth of the thread. */
const REST = 4
/** More than there are endpoints sent to at a time, with all their places. */
const CONNECTIONS_MAX = 1000

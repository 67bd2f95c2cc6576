import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { createTurns } from '#src/core/turns.ts'

/**
 * Whoever is sent to chooses what a handshake costs before they have shown who they are: a hundred certificates are a third of a second,
 * in which nothing else is sent, and one owner's endpoints are sixty connections at a time. So what a receiver says in its handshake is
 * reckoned with piece by piece, one of an owner's at a time, and after each there is a rest as long as several of it: however dear they make
 * it, an owner has a part of the thread. Who says nothing, or is far away, holds up no other endpoint of theirs.
 */
export function createPacedHandshakes() {
  const turns = createTurns({ atOnce: CONNECTIONS_MAX, atOnceForOne: 1, waitingMax: CONNECTIONS_MAX })

  /** @param of whose endpoint it is */
  return function paced(socket: Socket, of: string): PacedSocket {
    const over = (reckon: () => void) =>
      turns.run({ of, rank: 0 }, async () => {
        const begunAtMs = performance.now()
        reckon()
        await pause(REST * (performance.now() - begunAtMs), undefined, { ref: false })
      })
    return new PacedSocket(socket, over)
  }
}

/** An open connection, for the TLS that is to be spoken over it: that has no socket, or it would take what comes by itself. */
class PacedSocket extends Duplex {
  readonly #socket: Socket
  #isPaced = true
  #isHeld = false
  #saidBytes = 0

  constructor(socket: Socket, inTurn: (reckon: () => void) => Promise<void>) {
    super({ allowHalfOpen: false })
    this.#socket = socket
    socket.on('data', (piece) => {
      if (!this.#isPaced) this.#hear(piece)
      else {
        this.#isHeld = true
        socket.pause()
        inTurn(() => {
          this.#isHeld = false
          this.#hear(piece)
        }).catch((error) => this.destroy(error))
      }
    })
    socket.on('end', () => this.push(null))
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy())
  }

  /** They have shown who they are: from now on it is read as it comes. */
  hasShown(): void {
    this.#isPaced = false
  }

  #hear(piece: Buffer): void {
    if (this.destroyed) return
    this.#saidBytes += piece.length
    if (this.#saidBytes > SAID_BYTES_MAX)
      this.destroy(new Error('a receiver that says more than receivers do'))
    else if (this.push(piece)) this.#socket.resume()
    else this.#socket.pause()
  }

  override _read(): void {
    if (!this.#isHeld) this.#socket.resume()
  }

  override _write(piece: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(piece, done)
  }

  override _final(done: () => void): void {
    this.#socket.end(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
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

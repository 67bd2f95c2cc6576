import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** Runs `hear` when its turn has come; rejects when it never will. */
type InTurn = (hear: () => void) => Promise<void>

/**
 * An open connection over which the other side may say so much and no more, for whatever is spoken over it. No socket by its type:
 * TLS over one of those takes what comes by itself, before anybody has counted it.
 */
export class BoundedSocket extends Duplex {
  readonly #socket: Socket
  #saidBytesMax: number
  readonly #tooMuch: () => Error
  readonly #closed: Promise<void>
  #inTurn: InTurn | null
  #isHeld = false
  #isOver = false
  #saidBytes = 0

  /** @param inTurn each piece waits for its own, until `hearAsItComes`; null for none */
  constructor(
    socket: Socket,
    {
      saidBytesMax,
      tooMuch,
      inTurn = null,
    }: { saidBytesMax: number; tooMuch: () => Error; inTurn?: InTurn | null },
  ) {
    super({ allowHalfOpen: false })
    this.#socket = socket
    this.#saidBytesMax = saidBytesMax
    this.#tooMuch = tooMuch
    this.#inTurn = inTurn
    socket.on('data', (piece) => {
      if (this.#inTurn === null) return this.#hear(piece)
      this.#isHeld = true
      socket.pause()
      this.#inTurn(() => {
        this.#isHeld = false
        this.#hear(piece)
        this.#endWhenHeard()
      }).catch((error) => this.destroy(error))
    })
    socket.on('end', () => {
      this.#isOver = true
      this.#endWhenHeard()
    })
    socket.on('timeout', () => this.emit('timeout'))
    socket.on('error', (error) => this.destroy(error))
    this.#closed = new Promise((resolve) => socket.once('close', () => resolve()))
    // What was said before a proper end is still to be read.
    this.#closed.then(() => socket.readableEnded || this.destroy())
  }

  /** By the other side so far. */
  get saidBytes(): number {
    return this.#saidBytes
  }

  /** So much in all. */
  letSay(bytesMax: number): void {
    this.#saidBytesMax = bytesMax
  }

  hearAsItComes(): void {
    this.#inTurn = null
  }

  #hear(piece: Buffer): void {
    if (this.destroyed) return
    this.#saidBytes += piece.length
    if (this.#saidBytes > this.#saidBytesMax) this.destroy(this.#tooMuch())
    else if (this.push(piece)) this.#socket.resume()
    else this.#socket.pause()
  }

  /** Who ends with what they say last does so while it still waits for its turn. */
  #endWhenHeard(): void {
    if (this.#isOver && !this.#isHeld && !this.destroyed) this.push(null)
  }

  setTimeout(ms: number): this {
    this.#socket.setTimeout(ms)
    return this
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
    this.#closed.then(() => done(error))
    this.#socket.destroy()
  }
}

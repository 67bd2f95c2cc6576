import { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { offerCurvesAlone } from '#src/core/handshakes.ts'
import { lookUp } from '#src/upstream/look-up.ts'

/** `saidBytes`: by the server so far. */
type BoundedSocket = Socket & { readonly saidBytes: number }
export type Connected = (error: Error | null, connection?: BoundedSocket) => void

/**
 * Opens a connection over which a server may say so much and no more. nodemailer holds every line until its turn comes, a turn of
 * the event loop each, and what it holds it moves at each: a megabyte of empty lines was seconds in which nobody else was answered.
 * It bounds one reply and not all of them.
 */
export function connectBounded(
  { host, port }: { host: string; port: number },
  { connectTimeoutMs }: { connectTimeoutMs: number },
  done: Connected,
): void {
  // Its own end is that of the connection made of it, behind what was said last.
  const socket = new Socket({ allowHalfOpen: true })
  const late = () =>
    socket.destroy(new ConnectionError('ETIMEDOUT', 'the mail server did not answer in time'))
  socket.setTimeout(connectTimeoutMs, late)
  socket.once('error', done)
  socket.connect({ host, port, lookup: lookUp }, () => {
    socket.off('timeout', late)
    socket.off('error', done)
    // It has what nodemailer uses of one.
    done(null, new BoundedConnection(socket) as Duplex as BoundedSocket)
  })
}

/** No socket by its type: of one that is TLS takes what comes before anybody has counted it. */
class BoundedConnection extends Duplex {
  readonly #socket: Socket
  readonly #closed: Promise<void>
  #saidBytes = 0

  constructor(socket: Socket) {
    super({ allowHalfOpen: false })
    this.#socket = socket
    socket.on('data', (chunk) => this.#hear(chunk))
    socket.on('end', () => this.push(null))
    socket.on('timeout', () => this.emit('timeout'))
    socket.on('error', (error) => this.destroy(error))
    this.#closed = new Promise((resolve) => socket.once('close', () => resolve()))
    this.#closed.then(() => socket.readableEnded || this.destroy())
  }

  get saidBytes(): number {
    return this.#saidBytes
  }

  #hear(chunk: Buffer): void {
    this.#saidBytes += chunk.length
    if (this.#saidBytes > SAID_BYTES_MAX)
      this.destroy(new ConnectionError('EPROTOCOL', 'the mail server says more than mail servers do'))
    else if (!this.push(chunk)) this.#socket.pause()
  }

  setTimeout(ms: number): this {
    this.#socket.setTimeout(ms)
    return this
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done)
  }

  override _final(done: () => void): void {
    this.#socket.end(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#closed.then(() => done(error))
    this.#socket.destroy()
  }
}

export class ConnectionError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

offerCurvesAlone()

/** A greeting, a log-in and a hundred mails are some thirty kilobytes, TLS with them. */
const SAID_BYTES_MAX = 128 * 1024

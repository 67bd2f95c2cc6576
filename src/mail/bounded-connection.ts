import { Socket } from 'node:net'
import { offerCurvesAlone } from '#src/core/handshakes.ts'
import { lookUp } from '#src/upstream/look-up.ts'

/** As nodemailer wants it told. */
export type ConnectionDone = (error: Error | null, opened?: { connection: Socket }) => void

/**
 * Opens a connection over which a server may say so much and no more. nodemailer holds every line until its turn comes, a turn of
 * the event loop each, and what it holds it moves at each: a megabyte of empty lines was seconds in which nobody else was answered.
 * It bounds one reply and not all of them. Under TLS, which it makes of the connection itself, the server is known by its certificate.
 */
export function connectBounded(
  { host, port }: { host: string; port: number },
  { connectTimeoutMs }: { connectTimeoutMs: number },
  done: ConnectionDone,
): void {
  const socket = new BoundedSocket()
  const late = () =>
    socket.destroy(new ConnectionError('ETIMEDOUT', 'the mail server did not answer in time'))
  socket.setTimeout(connectTimeoutMs, late)
  socket.once('error', done)
  socket.connect({ host, port, lookup: lookUp }, () => {
    socket.off('timeout', late)
    socket.off('error', done)
    done(null, { connection: socket })
  })
}

class BoundedSocket extends Socket {
  #saidBytes = 0

  override push(chunk: Buffer | null): boolean {
    this.#saidBytes += chunk?.length ?? 0
    if (this.#saidBytes <= SAID_BYTES_MAX) return super.push(chunk)
    this.destroy(new ConnectionError('EPROTOCOL', 'the mail server says more than mail servers do'))
    return false
  }
}

class ConnectionError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

offerCurvesAlone()

/** A greeting, a log-in and a hundred mails are some thirty kilobytes. */
const SAID_BYTES_MAX = 128 * 1024

import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { BoundedSocket } from '#src/core/bounded-socket.ts'
import { offerCurvesAlone } from '#src/core/handshakes.ts'
import { lookUp } from '#src/upstream/look-up.ts'

/** It has what nodemailer uses of a socket. */
type Connection = Socket & Pick<BoundedSocket, 'saidBytes'>
export type Connected = (error: Error | null, connection?: Connection) => void

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
    done(null, new BoundedSocket(socket, BOUND) as Duplex as Connection)
  })
}

export class ConnectionError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

offerCurvesAlone()

const BOUND = {
  /** A greeting, a log-in and a hundred mails are some thirty kilobytes, TLS with them. */
  saidBytesMax: 128 * 1024,
  tooMuch: () => new ConnectionError('EPROTOCOL', 'the mail server says more than mail servers do'),
}

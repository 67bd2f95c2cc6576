import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { BoundedSocket } from '#src/core/bounded-socket.ts'
import { offerCurvesAlone } from '#src/core/handshakes.ts'
import { lookUp } from '#src/upstream/look-up.ts'

/** It has what nodemailer uses of a socket. */
type Connection = Socket & Pick<BoundedSocket, 'saidBytes' | 'letSay'>
export type Connected = (error: Error | null, connection?: Connection) => void

/**
 * Opens a connection over which a server may say so much and no more. nodemailer holds every line until its turn comes, a turn of
 * the event loop each, and what it holds it moves at each: a megabyte of empty lines was seconds in which nobody else was answered.
 * It bounds one reply and not all of them. What it may say in all is let by whoever knows the server (`letSay`).
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
    done(
      null,
      new BoundedSocket(socket, { saidBytesMax: UNKNOWN_SAID_BYTES_MAX, tooMuch }) as Duplex as Connection,
    )
  })
}

export class ConnectionError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

function tooMuch(): ConnectionError {
  return new ConnectionError('EPROTOCOL', 'the mail server says more than mail servers do')
}

offerCurvesAlone()

/**
 * Of who has not shown who they are; a greeting and a handshake are a third of it. Certificates are looked through in one go, and a
 * hundred are a third of a second.
 */
const UNKNOWN_SAID_BYTES_MAX = 16 * 1024
/** Of a mail server. A greeting, a log-in and a hundred mails are some thirty kilobytes, TLS with them. */
export const SAID_BYTES_MAX = 128 * 1024

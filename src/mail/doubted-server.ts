import type { Socket } from 'node:net'
import { type ConnectionOptions, checkServerIdentity } from 'node:tls'
import { type Connected, ConnectionError } from './bounded-connection.ts'

/** As nodemailer wants it told; `tls` is for the handshake on it. */
export type ConnectionDone = (
  error: Error | null,
  opened?: { connection: Socket; tls?: Pick<ConnectionOptions, 'checkServerIdentity'> },
) => void

/**
 * As a register (`upstream/doubted-peers.ts`): whoever stands where the mail server should be, and shows a hundred certificates on slow
 * curves, has half a second of the process for each connection, and each mail that waits makes one. So where the handshake of one that
 * said as much came to no good end, one is tried at a time, each after a rest twice as long as the one before, and all others fail,
 * until the server has shown who it is.
 */
export function doubting(connect: (done: Connected) => void): (done: ConnectionDone) => void {
  let doubt: { restMs: number; untilMs: number; isTried: boolean } | null = null

  function isOver(isTrial: boolean, saidBytes: number): void {
    if (saidBytes > SHOWN_BYTES_MIN) {
      const restMs = isTrial && doubt !== null ? Math.min(2 * doubt.restMs, REST_LAST_MS) : REST_FIRST_MS
      doubt = { restMs, untilMs: performance.now() + restMs, isTried: false }
    } else if (isTrial && doubt !== null) doubt.isTried = false
  }

  return (done) => {
    const isTrial = doubt !== null
    if (doubt !== null) {
      if (doubt.isTried || performance.now() < doubt.untilMs) {
        const error = new ConnectionError('EDOUBTED', 'the mail server has not shown who it is')
        queueMicrotask(() => done(error))
        return
      }
      doubt.isTried = true
    }
    connect((error, connection) => {
      if (connection === undefined) {
        isOver(isTrial, 0)
        done(error)
        return
      }
      let isBelieved = false
      connection.once('close', () => isBelieved || isOver(isTrial, connection.saidBytes))
      done(null, {
        connection,
        tls: {
          // Asked when the certificates are good: whether they are this server's.
          checkServerIdentity(host, certificate) {
            const wrong = checkServerIdentity(host, certificate)
            isBelieved = wrong === undefined
            if (isBelieved) doubt = null
            return wrong
          },
        },
      })
    })
  }
}

/** What is said in the clear shows nothing. */
export function believing(connect: (done: Connected) => void): (done: ConnectionDone) => void {
  return (done) =>
    connect((error, connection) => done(error, connection === undefined ? connection : { connection }))
}

/** A greeting is less; one certificate takes five milliseconds at most, and is hardly shorter. */
const SHOWN_BYTES_MIN = 1024

/** As long as a source that fails is left alone, at first and at most. */
const REST_FIRST_MS = 1000
const REST_LAST_MS = 30_000

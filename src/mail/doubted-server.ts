import type { Socket } from 'node:net'
import { type ConnectionOptions, checkServerIdentity } from 'node:tls'
import { AS_A_SOURCE, createDoubt } from '#src/core/doubt.ts'
import { type Connected, ConnectionError, SAID_BYTES_MAX } from './bounded-connection.ts'

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
  const doubt = createDoubt(AS_A_SOURCE)
  return (done) => {
    const trial = doubt.begin()
    if (trial === null) {
      const error = new ConnectionError('EDOUBTED', 'the mail server has not shown who it is')
      queueMicrotask(() => done(error))
      return
    }
    connect((error, connection) => {
      if (connection === undefined) {
        trial.unknown()
        done(error)
        return
      }
      let isBelieved = false
      connection.once('close', () => {
        if (isBelieved) return
        if (connection.saidBytes > SHOWN_BYTES_MIN) trial.doubted()
        else trial.unknown()
      })
      done(null, {
        connection,
        tls: {
          // Asked when the certificates are good: whether they are this server's.
          checkServerIdentity(host, certificate) {
            const wrong = checkServerIdentity(host, certificate)
            isBelieved = wrong === undefined
            if (isBelieved) {
              trial.believed()
              connection.letSay(SAID_BYTES_MAX)
            }
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
    connect((error, connection) => {
      connection?.letSay(SAID_BYTES_MAX)
      done(error, connection === undefined ? connection : { connection })
    })
}

/** A greeting is less; one certificate takes five milliseconds at most, and is hardly shorter. */
const SHOWN_BYTES_MIN = 1024

import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import pg from 'pg'
import { boundMessages, hearLittleOf } from './messages.ts'

/**
 * On a port of the loopback anybody may listen once PostgreSQL is gone. A client that has to have proof gives its password to
 * nobody: it does SCRAM (RFC 5802) alone, which shows the password to neither side, and goes no further with a server that has
 * not shown that it knows it too.
 */
export function demandProof(client: pg.Client): void {
  demandOf((client as unknown as { connection: Connection }).connection)
}

boundMessages()

let areAllAsked = false

/**
 * The same of every connection with a password that this process makes from now on, wherever the server is: over TCP without TLS
 * whoever listens there, or on the way, may be anybody. Those of a pool are made where nobody else sees them.
 */
export function demandProofOfAll(): void {
  if (areAllAsked) return
  areAllAsked = true
  const client = pg.Client.prototype as unknown as {
    readonly password: unknown
    _attachListeners(connection: Connection): void
  }
  const attach = client._attachListeners
  client._attachListeners = function (connection) {
    if (this.password !== null) demandOf(connection)
    attach.call(this, connection)
  }
}

/** TLS has its own proof, and a socket stands in a folder that is closed to others, or in the system's. */
function isOpenToAnybody(stream: Socket): boolean {
  return !(stream instanceof TLSSocket) && stream.remoteAddress !== undefined
}

class NotProvenError extends Error {
  readonly code = 'NOT_PROVEN'

  constructor() {
    super('what listens there did not prove by SCRAM that it knows the password, and there is no TLS')
  }
}

/** What is used of pg's connection, which tells of each message of the server, to those first who listened first. */
type Connection = {
  readonly stream: Socket
  on(message: string, heard: () => void): unknown
}

function demandOf(connection: Connection): void {
  const { stream } = connection
  let isProven = false
  let isLetIn = false
  let isChallenged = false
  hearLittleOf(stream, true)
  // Whatever is thrown here ends the connection before pg hears of the message.
  const refuse = () => {
    if (isOpenToAnybody(connection.stream)) throw new NotProvenError()
  }
  connection.on('authenticationCleartextPassword', refuse)
  connection.on('authenticationMD5Password', refuse)
  // Each is some ten milliseconds of one of the process' few threads, and pg answers however many come with one another.
  connection.on('authenticationSASLContinue', () => {
    if (isChallenged) throw new Error('no server asks twice for one proof')
    isChallenged = true
  })
  connection.on('authenticationSASLFinal', () => {
    isProven = true
  })
  // So pg tells of a signature that is not the server's, before it hears that all is well.
  connection.on('error', () => {
    isProven = false
  })
  connection.on('authenticationOk', () => {
    if (!isProven) refuse()
    isLetIn = true
    hearLittleOf(stream, false)
  })
  // It is ready before it has said that all is well: pg would ask.
  connection.on('readyForQuery', () => {
    if (!isLetIn) refuse()
  })
}

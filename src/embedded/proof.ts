import pg from 'pg'

/**
 * On a port of the loopback anybody may listen once PostgreSQL is gone. A client that has to have proof gives its password to
 * nobody: it does SCRAM (RFC 5802) alone, which shows the password to neither side, and goes no further with a server that has
 * not shown that it knows it too.
 */
export function demandProof(client: pg.Client): void {
  demandOf((client as unknown as { connection: Connection }).connection)
}

/** The same of every connection this process makes from now on. Those of a pool are made where nobody else sees them. */
export function demandProofOfAll(): void {
  const client = pg.Client.prototype as unknown as { _attachListeners(connection: Connection): void }
  const attach = client._attachListeners
  client._attachListeners = function (connection) {
    demandOf(connection)
    attach.call(this, connection)
  }
}

/** What is used of pg's connection, which tells of each message of the server, to those first who listened first. */
type Connection = {
  stream: { destroy(error: Error): void }
  on(message: string, heard: () => void): unknown
}

function demandOf(connection: Connection): void {
  let isProven = false
  const refuse = () =>
    connection.stream.destroy(new Error('what listens here has not proven to be the embedded PostgreSQL'))
  connection.on('authenticationCleartextPassword', refuse)
  connection.on('authenticationMD5Password', refuse)
  connection.on('authenticationSASLFinal', () => {
    isProven = true
  })
  // So pg tells of a signature that is not the server's, before it hears that all is well.
  connection.on('error', () => {
    isProven = false
  })
  connection.on('authenticationOk', () => {
    if (!isProven) refuse()
  })
}

import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { createTransport } from 'nodemailer'
import { type Connected, connectBounded } from './bounded-connection.ts'
import { believing, type ConnectionDone, doubting } from './doubted-server.ts'
import { outcomeOf, type Sent } from './outcome.ts'
import type { Outlet, Posting } from './outlet.ts'

export type SmtpPolicy = {
  connectionsMax: number
  mailsPerConnectionMax: number
  connectTimeoutMs: number
  silenceMs: number
  idleMs: number
}

/**
 * A mail server, over a few connections that are kept. `smtps` speaks TLS from the first byte, `smtp+starttls` refuses to go
 * on without; `smtp` is in the clear. Certificates are always checked (NODE_EXTRA_CA_CERTS adds to those believed).
 *
 * @param name what we call ourselves (RFC 5321, 4.1.1.1)
 */
export function openSmtp({ url, name, policy }: { url: string; name: string; policy: SmtpPolicy }): Outlet {
  /** The bytes of a mail with how they are read: nodemailer hands the same object through to its plugins. */
  const handovers = new WeakMap<object, () => Readable>()
  const server = serverOf(url)
  const connections = new Set<Socket>()
  const connect = (connected: Connected) =>
    connectBounded(server, policy, (error, connection) => {
      if (connection !== undefined) {
        connections.add(connection)
        connection.once('close', () => connections.delete(connection))
      }
      connected(error, connection)
    })
  const open = server.ignoreTLS ? believing(connect) : doubting(connect)
  const pool = createTransport({
    pool: true,
    ...server,
    name,
    getSocket: (_options: unknown, done: ConnectionDone) => open(done),
    maxConnections: policy.connectionsMax,
    maxMessages: policy.mailsPerConnectionMax,
    // A connection the server has ended meanwhile: nothing of the mail was said over it, and it goes over another.
    maxRequeues: 1,
    connectionTimeout: policy.connectTimeoutMs,
    dnsTimeout: policy.connectTimeoutMs,
    greetingTimeout: policy.connectTimeoutMs,
    socketTimeout: policy.silenceMs,
    idleTimeout: policy.idleMs,
    // A megabyte of short lines, unless told, is seconds of the event loop.
    maxResponseSize: 64 * 1024,
    // It would log addresses, and what is said.
    logger: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  // Its own stream reads ahead, while the server is still being greeted: it could not tell when the mail began to leave.
  pool.use('stream', (mail, done) => {
    const open = handovers.get(Object(mail.data.raw))
    if (open !== undefined) mail.message.createReadStream = open
    done()
  })

  return {
    async take({ from, to, bytes }: Posting, { signal }): Promise<Sent> {
      let hasBegun = false
      handovers.set(bytes, () => readOnce(bytes, () => (hasBegun = true)))
      try {
        const { response } = await pool.sendMail({ envelope: { from, to: [to] }, raw: bytes, signal })
        const code = Number.parseInt(response, 10)
        return {
          outcome: 'accepted',
          code: Number.isNaN(code) ? null : code,
          status: null,
          command: null,
          fault: null,
        }
      } catch (error) {
        if (isOutOfStep(error)) for (const connection of connections) connection.destroy()
        return outcomeOf(error, { hasBegun })
      }
    },
    async check() {
      try {
        await pool.verify()
        return null
      } catch (error) {
        return outcomeOf(error, { hasBegun: false })
      }
    },
    close: () => pool.close({ force: true }),
  }
}

/**
 * What was said is no answer to what was asked: the server has said something besides, and what it says next is about something else.
 * nodemailer goes on over the same connection, and a server that waits for this mail takes the next for it: whoever this one was for
 * would get another's.
 */
function isOutOfStep(error: unknown): boolean {
  const { response } = error as { response?: unknown }
  return typeof response === 'string' && !/^[45]/.test(response)
}

function serverOf(url: string) {
  const { protocol, hostname, port, username, password } = new URL(url)
  const secure = protocol === 'smtps:'
  return {
    // Without the brackets of an IPv6 address.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (secure ? 465 : 587),
    secure,
    requireTLS: protocol === 'smtp+starttls:',
    // Said to be in the clear: what a server next door offers instead is often a certificate nobody has signed.
    ignoreTLS: protocol === 'smtp:',
    ...(username === ''
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
  }
}

/** Is read for the first time when the server has said that it may come (354). */
function readOnce(bytes: Buffer, begin: () => void): Readable {
  return new Readable({
    read() {
      begin()
      this.push(bytes)
      this.push(null)
    },
  })
}

import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import postalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import { readKey } from '#src/core/api-key.ts'
import { eventually } from './eventually.ts'
import { certificate, certificateKey } from './mail-server/certificate.ts'
import { createMailFaults, type MailFault, type MailStage } from './mail-server/faults.ts'

export type { MailFault } from './mail-server/faults.ts'

export type ReceivedMail = {
  /** The envelope, which a reader does not see. */
  readonly envelope: { readonly from: string; readonly to: string }
  readonly content: Email
  readonly raw: Buffer
  /** False when its sender never got an answer. */
  readonly isAnswered: boolean
}

/** A running mail server. */
export type MailServer = {
  /** With a user and password when it wants them. */
  readonly url: string
  /** What it has taken, oldest first; also what it took and never answered for. */
  readonly mails: readonly ReceivedMail[]
  /** How many connections were made, and to how many recipients mail was tried. */
  readonly seen: { readonly connections: number; readonly recipients: number }
  behave(...faults: MailFault[]): void
  /** Waits until so many mails have come, to this address when one is given; gives them. */
  waitForMails(wanted: { count?: number; to?: string; withinMs?: number }): Promise<ReceivedMail[]>
  /** Ends all connections and refuses new ones. */
  down(): Promise<void>
  up(): Promise<void>
  close(): Promise<void>
}

const HOST = '127.0.0.1'

/**
 * Starts a real SMTP server that keeps what it takes, and fails at any stage of the conversation as it is told.
 *
 * @param tls `starttls` offers it, `implicit` begins with it; its certificate is `certificate` and believed by nobody
 * @param login who may send; in the clear when there is no TLS
 */
export async function startMailServer({
  tls = 'none',
  login = null,
}: {
  tls?: 'none' | 'starttls' | 'implicit'
  login?: { user: string; password: string } | null
} = {}): Promise<MailServer> {
  const { behave, meets } = createMailFaults()
  const mails: ReceivedMail[] = []
  const seen = { connections: 0, recipients: 0 }
  const sockets = new Map<number, Socket>()
  let port = 0
  let server = await listen()

  /** What a fault does to the conversation; only a refusal goes through `answer`. */
  function meet(
    stage: MailStage,
    { remotePort }: Pick<SMTPServerSession, 'remotePort'>,
    answer: (error?: Error) => void,
    to?: string,
  ): void {
    const does = meets(stage, to)
    if (does === null) answer()
    else if (typeof does === 'number') answer(refusal(does, to))
    else if (does === 'reset') sockets.get(remotePort)?.resetAndDestroy()
  }

  async function listen(): Promise<SMTPServer> {
    const next = new SMTPServer({
      secure: tls === 'implicit',
      key: certificateKey,
      cert: certificate,
      disabledCommands: [...(tls === 'none' ? ['STARTTLS'] : []), ...(login === null ? ['AUTH'] : [])],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      hideENHANCEDSTATUSCODES: false,
      closeTimeout: 1,
      onConnect: (session, answer) => meet('greeting', session, answer),
      onAuth(given, session, answer) {
        const isKnown = given.username === login?.user && given.password === login?.password
        meet('auth', session, (error) => {
          if (error === undefined && isKnown) return answer(null, { user: given.username })
          answer(error ?? refusal(535))
        })
      },
      onMailFrom: (_address, session, answer) => meet('mail', session, answer),
      onRcptTo(address, session, answer) {
        seen.recipients++
        meet('rcpt', session, answer, address.address)
      },
      onData(stream, session, answer) {
        buffer(stream).then(
          (raw) => take(raw, session, answer),
          // The sender went away in the middle of it.
          () => {},
        )
      },
    })
    next.on('error', () => {})
    next.server.on('connection', (socket: Socket) => {
      const from = socket.remotePort ?? 0
      seen.connections++
      sockets.set(from, socket)
      socket.once('close', () => sockets.delete(from))
      spoilReplies(socket, (stage) => meets(stage))
    })
    await new Promise<void>((resolve, reject) => {
      next.server.once('error', reject)
      next.listen(port, HOST, resolve)
    })
    port = (next.server.address() as AddressInfo).port
    return next
  }

  async function take(
    raw: Buffer,
    session: SMTPServerSession,
    answer: (error?: Error | null) => void,
  ): Promise<void> {
    const { mailFrom, rcptTo } = session.envelope
    const envelope = { from: mailFrom === false ? '' : mailFrom.address, to: rcptTo[0]?.address ?? '' }
    const does = meets('end', envelope.to)
    if (typeof does === 'number') return answer(refusal(does, envelope.to))
    mails.push({ envelope, raw, content: await postalMime.parse(raw), isAnswered: does === null })
    if (does === 'reset') sockets.get(session.remotePort)?.resetAndDestroy()
    if (does === null) answer()
  }

  async function stop(): Promise<void> {
    if (!server.server.listening) return
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of sockets.values()) socket.destroy()
    await closed
  }

  const scheme = { none: 'smtp', starttls: 'smtp+starttls', implicit: 'smtps' }[tls]
  const user =
    login === null ? '' : `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@`
  return {
    url: `${scheme}://${user}${HOST}:${port}`,
    mails,
    seen,
    behave,
    async waitForMails({ count = 1, to, withinMs }) {
      const found = () => mails.filter((mail) => to === undefined || mail.envelope.to === to)
      await eventually(`${count} mails`, () => found().length >= count, withinMs)
      return found()
    },
    down: stop,
    async up() {
      if (!server.server.listening) server = await listen()
    },
    close: stop,
  }
}

/** The key in the text of a mail: what stands alone on a line and is one. Null when there is none. */
export function keyIn({ content }: Pick<ReceivedMail, 'content'>): string | null {
  const lines = (content.text ?? '').split(/\r?\n/)
  return lines.find((line) => typeof readKey(line) === 'object') ?? null
}

/** The first address in the text of a mail that begins like this. */
export function linkIn({ content }: Pick<ReceivedMail, 'content'>, beginning: string): string | null {
  const words = (content.text ?? '').split(/\s+/)
  return words.find((word) => word.startsWith(beginning)) ?? null
}

/** As servers do, it repeats the address: no log of ours may hold what a mail server says. */
function refusal(responseCode: number, to?: string): Error {
  return Object.assign(new Error(`not today${to === undefined ? '' : ` for <${to}>`}`), { responseCode })
}

/** Two stages have no hook of their own: they are known by what the server is about to say. */
function spoilReplies(socket: Socket, meets: (stage: MailStage) => MailFault['does'] | null): void {
  const say = socket.write.bind(socket) as (text: string | Uint8Array) => boolean
  let isMute = false
  socket.write = (said: string | Uint8Array) => {
    if (isMute) return true
    const text = String(said)
    const stage = text.startsWith('354') ? 'data' : text.includes('Nice to meet you') ? 'ehlo' : null
    const does = stage === null ? null : meets(stage)
    if (does === null) return say(said)
    if (does === 'reset') socket.resetAndDestroy()
    else if (does === 'hang') isMute = true
    else if (stage === 'ehlo') return say(`${does} not today\r\n`)
    // The server behind us is waiting for a mail now, and would take what follows for one.
    else socket.end(`${does} not today\r\n`)
    return true
  }
}

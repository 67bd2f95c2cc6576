import { constants } from 'node:crypto'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { offerCurvesAlone } from '#src/core/handshakes.ts'
import { untilAborted, within } from '#src/core/wait.ts'
import { retryAfterSeconds } from '#src/upstream/retry-after.ts'
import { createPacedHandshakes } from './paced-handshake.ts'
import { isSameAddress, publicAddress } from './public-address.ts'
import type { Resolve } from './resolve.ts'

/**
 * Why an attempt came to nothing, as its owner is told. Nothing of what the other side wrote is among it.
 *
 * - `navn_ukjent`: DNS has no address for it. `adresse_sperret`: one of those it has leads into a closed network
 * - `ingen_forbindelse`, `sertifikat`: nobody answers there, or somebody else does
 * - `tidsfrist`, `brutt`: no whole answer within the time, or none that is HTTP
 * - `viderekobling`, `borte`, `status`: 3xx, 410, or another answer that is not 2xx
 */
export const sendFailures = [
  'navn_ukjent',
  'adresse_sperret',
  'ingen_forbindelse',
  'sertifikat',
  'tidsfrist',
  'brutt',
  'viderekobling',
  'borte',
  'status',
] as const
export type SendFailure = (typeof sendFailures)[number]

/** What came of one attempt. `failure` is null when it was taken: 2xx and nothing else. */
export type Attempt = {
  status: number | null
  failure: SendFailure | null
  /** From the beginning to the answer's head, whole. */
  tookMs: number
  retryAfterSeconds: number | null
}

/** `of`: who has the address sent to. */
export type Posted = { of: string; address: string; headers: Record<string, string>; body: Uint8Array }

export type SendPolicy = {
  deadlineMs: number
  connectMs: number
  answerBytesMax: number
  answerWaitMs: number
}

export type Send = ReturnType<typeof createSend>

/**
 * Sends one message to an address a customer has given, once. DNS is asked once, each of the addresses it gives has to be
 * everybody's, and the connection goes to one of these very addresses, with the name in the certificate; where it came to is looked
 * at again before a byte is sent. So no name can say one thing when it is looked at and another when it is connected to. A redirect
 * is an answer and is not followed. The answer's head decides; of the rest at most `answerBytesMax` are read, and thrown away.
 *
 * `deadlineMs` is for all of it, DNS too. Each message has a connection of its own: nothing is shared with another's.
 *
 * @param named origins the operator has named; they are looked up as the machine does, and may be http
 * @param ca of receivers in tests, beside those of the world
 */
export function createSend({
  resolve,
  named,
  lookUpNamed,
  policy,
  userAgent,
  ca,
  judge = publicAddress,
}: {
  resolve: Resolve
  named: readonly string[]
  lookUpNamed: (host: string) => Promise<string>
  policy: SendPolicy
  userAgent: string
  ca?: string | undefined
  /** The rule of `public-address.ts`; a test on one machine has to have one of its own. */
  judge?: typeof publicAddress
}) {
  async function addressesOf(url: URL, signal: AbortSignal): Promise<string[] | SendFailure> {
    if (named.includes(url.origin)) {
      const host = url.hostname.replace(/^\[|\]$/g, '')
      return isIP(host) === 0 ? [await untilAborted(lookUpNamed(host), signal)] : [host]
    }
    // The address was read when it was given; what was allowed then may not be now.
    if (url.protocol !== 'https:' || isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0)
      return 'adresse_sperret'
    const found = await resolve(url.hostname, signal)
    if (found.length === 0) return 'navn_ukjent'
    const open = found.map(judge)
    return open.every((address) => address !== null) ? open.slice(0, ADDRESSES_TRIED_MAX) : 'adresse_sperret'
  }

  const paced = createPacedHandshakes()

  /** Open, and proved to be where it was meant to be. */
  async function connected(url: URL, address: string, of: string, signal: AbortSignal): Promise<Socket> {
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
    const isTls = url.protocol === 'https:'
    const plain = connectPlain({ host: address, port })
    let socket: Socket = plain
    const ending = AbortSignal.any([signal, AbortSignal.timeout(policy.connectMs)])
    const destroy = () => {
      socket.destroy(ending.reason)
      plain.destroy()
    }
    ending.addEventListener('abort', destroy, { once: true })
    try {
      if (ending.aborted) destroy()
      await happened(plain, 'connect')
      if (!isSameAddress(plain.remoteAddress ?? '', address)) throw new Failed('adresse_sperret')
      if (!isTls) return plain
      const spokenOver = paced(plain, of)
      socket = connectTls({
        socket: spokenOver,
        host: address,
        servername: isIP(url.hostname) === 0 ? url.hostname : '',
        ALPNProtocols: ['http/1.1'],
        minVersion: 'TLSv1.2',
        // A receiver could have the handshake done again, at our cost, until the deadline.
        secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
        ...(ca === undefined ? {} : { ca }),
      })
      await happened(socket, 'secureConnect')
      spokenOver.hearAsItComes()
      return socket
    } catch (error) {
      socket.destroy()
      plain.destroy()
      signal.throwIfAborted()
      if (error instanceof Failed) throw error
      throw new Failed(isAboutCertificate(error) ? 'sertifikat' : 'ingen_forbindelse')
    } finally {
      ending.removeEventListener('abort', destroy)
    }
  }

  async function connectedToOne(url: URL, of: string, signal: AbortSignal): Promise<Socket> {
    const addresses = await addressesOf(url, signal)
    if (typeof addresses === 'string') throw new Failed(addresses)
    let failed: unknown = new Failed('navn_ukjent')
    for (const address of addresses) {
      try {
        return await connected(url, address, of, signal)
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof Failed) || error.failure !== 'ingen_forbindelse') throw error
        failed = error
      }
    }
    throw failed
  }

  async function answered(
    socket: Socket,
    url: URL,
    headers: Record<string, string>,
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<{ status: number; retryAfter: string | undefined }> {
    // By node:http, which is given the socket: no agent, no pool, and no connection of anybody else's making.
    const asking = httpRequest({
      createConnection: () => socket,
      method: 'POST',
      path: url.pathname + url.search,
      maxHeaderSize: HEAD_BYTES_MAX,
      headers: {
        host: url.host,
        'user-agent': userAgent,
        'content-type': 'application/json',
        'content-length': body.length,
        'accept-encoding': 'identity',
        ...headers,
        connection: 'close',
      },
    })
    const end = () => asking.destroy()
    signal.addEventListener('abort', end, { once: true })
    let hints = 0
    asking.on('information', () => {
      hints += 1
      if (hints > HINTS_MAX) end()
    })
    try {
      asking.end(body)
      const answer = await headOf(asking)
      await drained(answer, policy)
      return { status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] }
    } catch {
      signal.throwIfAborted()
      throw new Failed('brutt')
    } finally {
      signal.removeEventListener('abort', end)
      asking.destroy()
      socket.destroy()
    }
  }

  /**
   * @param ending the process is to end: what is under way is given up, as if it had not been begun
   * @throws the reason of `ending`, and nothing else
   */
  return async function send(message: Posted, ending: AbortSignal): Promise<Attempt> {
    const begunAtMs = performance.now()
    const tookMs = () => Math.round(performance.now() - begunAtMs)
    const deadline = AbortSignal.timeout(policy.deadlineMs)
    const signal = AbortSignal.any([ending, deadline])
    const url = new URL(message.address)
    try {
      const socket = await connectedToOne(url, message.of, signal)
      const { status, retryAfter } = await answered(socket, url, message.headers, message.body, signal)
      return {
        status,
        failure: failureOf(status),
        tookMs: tookMs(),
        retryAfterSeconds: retryAfterSeconds(retryAfter, new Date()),
      }
    } catch (error) {
      if (ending.aborted) throw ending.reason
      const failure = error instanceof Failed ? error.failure : deadline.aborted ? 'tidsfrist' : 'brutt'
      return { status: null, failure, tookMs: tookMs(), retryAfterSeconds: null }
    }
  }
}

offerCurvesAlone()

/** A name with more of them than these is somebody's list of mirrors: the first that answer will do. */
const ADDRESSES_TRIED_MAX = 3
const HEAD_BYTES_MAX = 8192
/** Answers before the answer (RFC 9110, 15.2): each is read with a head's own bounds, and there may be any number of them. */
const HINTS_MAX = 8

class Failed extends Error {
  readonly failure: SendFailure
  constructor(failure: SendFailure) {
    super(failure)
    this.failure = failure
  }
}

function failureOf(status: number): SendFailure | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return 'viderekobling'
  return status === 410 ? 'borte' : 'status'
}

function happened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => resolve())
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('closed')))
    // Its later errors are the request's; one that nobody listens for would end the process.
    socket.on('error', () => {})
  })
}

function headOf(asking: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    asking.once('response', resolve)
    asking.once('error', reject)
    // 101 and a socket that closes without a word end here.
    asking.once('upgrade', () => reject(new Error('upgrade')))
    asking.once('close', () => reject(new Error('closed')))
    asking.on('error', () => {})
  })
}

/** So that who answers at length is not cut off in the middle of a word. What breaks off is whole enough: the head was there. */
async function drained(
  answer: IncomingMessage,
  { answerBytesMax, answerWaitMs }: { answerBytesMax: number; answerWaitMs: number },
): Promise<void> {
  await within(readUpTo(answer, answerBytesMax), answerWaitMs, () => {})
  answer.destroy()
}

async function readUpTo(answer: IncomingMessage, bytesMax: number): Promise<void> {
  let read = 0
  try {
    for await (const chunk of answer) {
      read += (chunk as Buffer).length
      if (read >= bytesMax) return
    }
  } catch {}
}

function isAboutCertificate(error: unknown): boolean {
  const code = (error as { code?: unknown }).code
  return (
    typeof code === 'string' &&
    /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|EPROTO)/.test(code)
  )
}

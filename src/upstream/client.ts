import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { buildConnector, type Dispatcher, Pool } from 'undici'
import { type Clock, systemClock } from '#src/core/clock.ts'
import { AS_A_SOURCE } from '#src/core/doubt.ts'
import { offerCurvesAlone } from '#src/core/handshakes.ts'
import { traced } from '#src/core/trace.ts'
import { doubtful } from './doubted-peers.ts'
import { lookUp } from './look-up.ts'
import { retryAfterSeconds } from './retry-after.ts'
import { UpstreamError, upstreamErrorFrom } from './upstream-error.ts'
import { basePathOf, withQuery } from './url.ts'

/** One whole answer, not yet believed. `body` is at most the client's `bodyBytesMax` long. */
export type WholeResponse = Omit<OpenResponse, 'body'> & { body: Buffer; fetchedAt: Date }

/** One whose body is still coming. Whoever does not read it destroys it. */
export type OpenResponse = {
  status: number
  contentType: string | null
  etag: string | null
  /** From `Retry-After` (RFC 9110, 10.2.3); null when there is none that can be read. */
  retryAfterSeconds: number | null
  body: Readable
}

export type UpstreamRequest = {
  method?: 'GET' | 'HEAD' | 'POST' | 'DELETE'
  /** Of the peer, begun by a slash. A path in `baseUrl` stands in front of it. */
  path: string
  query?: Record<string, string> | undefined
  headers: Record<string, string>
  body?: string | null
  /** The deadline of the whole answer. */
  signal: AbortSignal
}

export type UpstreamClient = ReturnType<typeof createUpstreamClient>

/**
 * Speaks HTTP/1.1 to one peer, a request at a time on each connection. Every call is bounded five ways: `signal` is the deadline
 * for the whole answer, `connectTimeoutMs` and `silenceMs` catch a dead peer earlier (the latter also between two chunks),
 * `bodyBytesMax` ends an answer that is too long, and an answer in thousands of crumbs is ended, too. One that drips a byte at a
 * time is stopped by `signal` only. Plain bytes are asked for, since packed ones would slip past the bound. Redirects are never
 * followed: a 3xx comes back as it is, and nothing we send is carried elsewhere. Nothing is asked twice here.
 *
 * @param name of the peer, for traces
 */
export function createUpstreamClient(options: {
  name: string
  baseUrl: URL
  connectionsMax: number
  connectTimeoutMs: number
  silenceMs: number
  bodyBytesMax: number
  /** Whoever reads it may be slower than it comes. */
  isFile?: boolean
  clock?: Clock
}) {
  const { name, baseUrl, clock = systemClock } = options
  const basePath = basePathOf(baseUrl)
  const connect = connectorOf(options)
  const begin = () =>
    new Pool(baseUrl.origin, {
      connections: options.connectionsMax,
      connect,
      headersTimeout: options.silenceMs,
      bodyTimeout: options.silenceMs,
      maxResponseSize: options.bodyBytesMax,
      maxHeaderSize: HEAD_BYTES_MAX,
    })
  let pool = begin()
  const left = new Set<Pool>()

  /** @throws UpstreamError */
  function request<T extends { status: number }>(
    { method = 'GET', path, query, headers, body = null, signal }: UpstreamRequest,
    ask: (request: Dispatcher.RequestOptions & { signal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    const options = {
      method,
      path: basePath + withQuery(path, query),
      headers: { 'accept-encoding': 'identity', ...headers },
      body,
      signal,
    }
    const work = () =>
      ask(options).catch((cause) => {
        throw upstreamErrorFrom(signal, cause)
      })
    const told = ({ status }: { status: number }) => ({ 'http.response.status_code': status })
    return traced('asking', `http ${name}`, { 'http.request.method': method }, work, { told })
  }

  return {
    /** @throws UpstreamError */
    ask: (asked: UpstreamRequest): Promise<WholeResponse> =>
      request(asked, (options) => wholeAnswer(pool, options, clock)),

    /** @throws UpstreamError; what breaks off later is the body's error */
    open: (asked: UpstreamRequest): Promise<OpenResponse> =>
      request(asked, async ({ signal, ...options }) => {
        const beyond = new AbortController()
        let hints = 0
        const { statusCode, headers, body } = await pool.request({
          ...options,
          signal: AbortSignal.any([signal, beyond.signal]),
          onInfo() {
            hints += 1
            if (hints > HINTS_MAX) beyond.abort(new UpstreamError('not_http'))
          },
        })
        // Its failure is told by whoever reads it; one that nobody reads must not end the process.
        body.on('error', () => {})
        return { ...factsOf(statusCode, headers, clock.now()), body }
      }),

    /**
     * Asks nothing more over the connections there are: each ends with what is under way on it. For who was given an answer to another
     * question: HTTP/1.1 tells them apart by their order alone, so that all that follow would be as well (RFC 9112, 9.3.2).
     */
    leave(): void {
      const before = pool
      // What was heard in the end is believed or not after it.
      if (before.destroyed) return
      pool = begin()
      left.add(before)
      void before.close().then(() => left.delete(before))
    },

    /** Ends every connection. Calls still in flight fail as `network`; nothing is left waiting. */
    async close(): Promise<void> {
      await Promise.all([pool, ...left].map((each) => each.destroy()))
    },
  }
}

/**
 * Asks without a stream between: a record asks a dozen sources at a time, and each answer is taken whole.
 *
 * @throws what undici failed with, or `signal`'s reason
 */
function wholeAnswer(
  pool: Pool,
  { signal, ...options }: Dispatcher.RequestOptions & { signal: AbortSignal },
  clock: Clock,
): Promise<WholeResponse> {
  return new Promise((resolve, reject) => {
    let underWay: Dispatcher.DispatchController | null = null
    let facts: (Omit<OpenResponse, 'body'> & { fetchedAt: Date }) | null = null
    const chunks: Buffer[] = []
    let length = 0
    let hints = 0
    const refuse = (controller: Dispatcher.DispatchController, error: UpstreamError) => {
      isOver()
      reject(error)
      controller.abort(error)
    }
    const leave = () => {
      underWay?.abort(signal.reason)
      reject(signal.reason)
    }
    const isOver = () => signal.removeEventListener('abort', leave)
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    pool.dispatch(options, {
      onRequestStart(controller) {
        // Nobody waits for it any more since it stood in line.
        if (signal.aborted) controller.abort(signal.reason)
        underWay = controller
      },
      onResponseStart(controller, status, headers) {
        if (status < 200) {
          hints += 1
          if (hints > HINTS_MAX) refuse(controller, new UpstreamError('not_http'))
          return
        }
        const fetchedAt = clock.now()
        facts = { ...factsOf(status, headers, fetchedAt), fetchedAt }
        if (!isPlain(headers)) refuse(controller, new UpstreamError('encoded', { status }))
      },
      onResponseData(controller, chunk) {
        chunks.push(chunk)
        length += chunk.length
        const isInCrumbs = chunks.length > CRUMBS_MAX + length / CRUMB_BYTES
        if (isInCrumbs) refuse(controller, new UpstreamError('crumbs', { status: facts?.status ?? 0 }))
      },
      onResponseEnd() {
        isOver()
        if (facts !== null) resolve({ ...facts, body: Buffer.concat(chunks) })
      },
      onResponseError(_controller, error) {
        isOver()
        reject(error)
      },
    })
  })
}

/**
 * What came is handed to undici in pieces. It takes all there is at once, 64 kB, and of a head or trailers that are too long it makes
 * an error for each line that is left: 120 ms of the event loop for each such answer. In pieces of a kilobyte it is a tenth, and
 * bodies cost no more. Not for a body that is let wait: of what undici puts back then bytes were lost, and the rest was
 * never asked for.
 */
function connectorOf(options: {
  connectTimeoutMs: number
  bodyBytesMax: number
  isFile?: boolean
}): buildConnector.connector {
  const { connectTimeoutMs, isFile = false } = options
  const saidBytesMax = 2 * options.bodyBytesMax + HINTS_MAX * HEAD_BYTES_MAX
  // HTTP/2 would carry many calls on one connection, and connectionsMax would no longer bound the calls in flight.
  const plain = buildConnector({ timeout: connectTimeoutMs, lookup: lookUp, allowH2: false })
  const byTls = doubtful(buildConnector({ timeout: 0, lookup: lookUp, allowH2: false }), {
    connectTimeoutMs,
    ...DOUBTED,
  })
  return (options, callback) =>
    (options.protocol === 'https:' ? byTls : plain)(options, (...connected) => {
      const [error, socket] = connected
      if (error === null && !isFile) readInPieces(socket, saidBytesMax)
      callback(...connected)
    })
}

/** @param saidBytesMax to one question: what is neither head nor body, undici reads without end (a word of the status, of a chunk) */
function readInPieces(socket: Socket, saidBytesMax: number): void {
  const read = socket.read.bind(socket)
  let askedBytes = 0
  let readBefore = 0
  socket.read = () => {
    if (socket.destroyed) return null
    if (socket.bytesWritten !== askedBytes) {
      askedBytes = socket.bytesWritten
      readBefore = socket.bytesRead - socket.readableLength
    }
    if (socket.bytesRead - readBefore > saidBytesMax) {
      socket.destroy(new Error('an answer that says more than answers do'))
      return null
    }
    return read(Math.min(PIECE_BYTES, socket.readableLength) || undefined)
  }
}

offerCurvesAlone()

const PIECE_BYTES = 1024

/** As many as a cold record asks of one register. */
const DOUBTED = { ...AS_A_SOURCE, atOnceMax: 6 }

/** Real heads have one or two thousand. */
const HEAD_BYTES_MAX = 8192

/** Answers before the answer (RFC 9110, 15.2): real ones have one or two. */
const HINTS_MAX = 8
/**
 * What is held of a piece, and what it takes to hear of it, is a hundred bytes and a microsecond or two, however short it is: 8 MB of
 * a feed in pieces of a byte would be 700 MB. Networks make pieces of a kilobyte and more.
 */
const CRUMB_BYTES = 64
const CRUMBS_MAX = 1000

function factsOf(status: number, headers: IncomingHttpHeaders, now: Date): Omit<OpenResponse, 'body'> {
  return {
    status,
    contentType: headerOf(headers, 'content-type'),
    etag: headerOf(headers, 'etag'),
    retryAfterSeconds: retryAfterSeconds(headerOf(headers, 'retry-after'), now),
  }
}

function isPlain(headers: IncomingHttpHeaders): boolean {
  const encoding = headerOf(headers, 'content-encoding')
  return encoding === null || encoding.trim().toLowerCase() === 'identity'
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? null
}

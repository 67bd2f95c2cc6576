import type { Readable } from 'node:stream'
import { type Dispatcher, Pool } from 'undici'
import { type Clock, systemClock } from '#src/core/clock.ts'
import { traced } from '#src/core/trace.ts'
import { retryAfterSeconds } from './retry-after.ts'
import { UpstreamError, upstreamErrorFrom } from './upstream-error.ts'
import { basePathOf, withQuery } from './url.ts'

/** One whole answer, not yet believed. `body` is at most the client's `bodyBytesMax` long. */
export type WholeAnswer = Omit<OpenAnswer, 'body'> & { body: Buffer; fetchedAt: Date }

/** One whose body is still coming. Whoever does not read it destroys it. */
export type OpenAnswer = {
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
 * Speaks HTTP/1.1 to one peer, a request at a time on each connection. Every call is bounded four ways: `signal` is the deadline
 * for the whole answer, `connectTimeoutMs` and `silenceMs` catch a dead peer earlier (the latter also between two chunks), and
 * `bodyBytesMax` ends an answer that is too long. One that drips a byte at a time is stopped by `signal` only. Plain bytes are
 * asked for, since packed ones would slip past the bound. Redirects are never followed: a 3xx comes back as it is, and nothing we
 * send is carried elsewhere. Nothing is asked twice here.
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
  clock?: Clock
}) {
  const { name, baseUrl, clock = systemClock } = options
  const basePath = basePathOf(baseUrl)
  const pool = new Pool(baseUrl.origin, {
    connections: options.connectionsMax,
    connect: { timeout: options.connectTimeoutMs },
    headersTimeout: options.silenceMs,
    bodyTimeout: options.silenceMs,
    maxResponseSize: options.bodyBytesMax,
    // HTTP/2 would carry many calls on one connection, and connectionsMax would no longer bound the calls in flight.
    allowH2: false,
  })

  async function request<T>(
    { method = 'GET', path, query, headers, body = null, signal }: UpstreamRequest,
    read: (answer: Dispatcher.ResponseData) => Promise<T>,
  ): Promise<T> {
    const ask = async () => {
      try {
        const answer = await pool.request({
          method,
          path: basePath + withQuery(path, query),
          headers: { 'accept-encoding': 'identity', ...headers },
          body,
          signal,
        })
        return { status: answer.statusCode, read: await read(answer) }
      } catch (cause) {
        throw upstreamErrorFrom(signal, cause)
      }
    }
    const told = ({ status }: { status: number }) => ({ 'http.response.status_code': status })
    const facts = { 'http.request.method': method }
    return (await traced('asking', `http ${name}`, facts, ask, { told })).read
  }

  return {
    /** @throws UpstreamError */
    ask(asked: UpstreamRequest): Promise<WholeAnswer> {
      return request(asked, async (answer) => {
        const fetchedAt = clock.now()
        const body = Buffer.from(await answer.body.arrayBuffer())
        refuseEncoded(answer)
        return { ...factsOf(answer, fetchedAt), body, fetchedAt }
      })
    },

    /** @throws UpstreamError; what breaks off later is the body's error */
    open(asked: UpstreamRequest): Promise<OpenAnswer> {
      return request(asked, async (answer) => {
        // Its failure is told by whoever reads it; one that nobody reads must not end the process.
        answer.body.on('error', () => {})
        return { ...factsOf(answer, clock.now()), body: answer.body }
      })
    },

    /** Ends every connection. Calls still in flight fail as `network`; nothing is left waiting. */
    close: (): Promise<void> => pool.destroy(),
  }
}

function factsOf(answer: Dispatcher.ResponseData, now: Date): Omit<OpenAnswer, 'body'> {
  return {
    status: answer.statusCode,
    contentType: headerOf(answer, 'content-type'),
    etag: headerOf(answer, 'etag'),
    retryAfterSeconds: retryAfterSeconds(headerOf(answer, 'retry-after'), now),
  }
}

function refuseEncoded(answer: Dispatcher.ResponseData): void {
  const encoding = headerOf(answer, 'content-encoding')
  if (encoding === null || encoding.trim().toLowerCase() === 'identity') return
  throw new UpstreamError('encoded', { status: answer.statusCode })
}

function headerOf(answer: Dispatcher.ResponseData, name: string): string | null {
  const value = answer.headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? null
}

import { type Dispatcher, Pool } from 'undici'
import { type Clock, systemClock } from '#src/core/clock.ts'
import { createTurns } from '#src/core/turns.ts'
import { type Call, NOBODYS_TURN, SourceError } from './source.ts'

/** One whole HTTP answer, not yet believed. `body` is at most the client's `bodyBytesMax` long. */
export type RegisterResponse = {
  status: number
  contentType: string | null
  body: Buffer
  retryAfterSeconds: number | null
  fetchedAt: Date
}

type RegisterRequest = Call & { accept: string; query?: Record<string, string> }

export type RegisterClient = ReturnType<typeof createRegisterClient>

/**
 * Speaks HTTP/1.1 to one register. Every call is bounded four ways: `signal` is the deadline for the whole answer,
 * `connectTimeoutMs` and `headersTimeoutMs` catch a dead peer earlier (the latter also the silence between two chunks),
 * and `bodyBytesMax` ends an answer that is too long. A server that drips one byte at a time is stopped by `signal` only.
 * Redirects are never followed: a 3xx comes back as it is. A path in `baseUrl` is kept in front of every path asked for.
 */
export function createRegisterClient(options: {
  baseUrl: URL
  /** Names the service and whom to contact; every serious client of the registers sends one. */
  userAgent: string
  /** Connections, and so calls in flight; further calls wait for their turn until their signal ends. */
  connectionsMax: number
  /** The most of them for one caller, and how many calls may wait. */
  connectionsForOneMax: number
  waitingMax: number
  headersTimeoutMs: number
  connectTimeoutMs: number
  bodyBytesMax: number
  clock?: Clock
}) {
  const { baseUrl, userAgent, clock = systemClock } = options
  const turns = createTurns({
    atOnce: options.connectionsMax,
    atOnceForOne: options.connectionsForOneMax,
    waitingMax: options.waitingMax,
  })
  const pool = new Pool(baseUrl.origin, {
    connections: options.connectionsMax,
    connect: { timeout: options.connectTimeoutMs },
    headersTimeout: options.headersTimeoutMs,
    bodyTimeout: options.headersTimeoutMs,
    maxResponseSize: options.bodyBytesMax,
    // HTTP/2 would carry many calls on one connection, and connectionsMax would no longer bound the calls in flight.
    allowH2: false,
  })

  async function ask(
    source: string,
    path: string,
    { accept, signal, query }: RegisterRequest,
  ): Promise<RegisterResponse> {
    try {
      const answer = await pool.request({
        method: 'GET',
        path: urlOf(baseUrl, path, query),
        headers: { accept, 'accept-encoding': 'identity', 'user-agent': userAgent },
        signal,
      })
      const fetchedAt = clock.now()
      const body = Buffer.from(await answer.body.arrayBuffer())
      refuseEncoded(source, answer)
      return {
        status: answer.statusCode,
        contentType: headerOf(answer, 'content-type'),
        body,
        retryAfterSeconds: secondsOf(headerOf(answer, 'retry-after'), fetchedAt),
        fetchedAt,
      }
    } catch (cause) {
      throw cause instanceof SourceError ? cause : sourceErrorFrom(source, signal, cause)
    }
  }

  return {
    /**
     * Asks for one document, whatever status it comes with.
     *
     * @param path plain segments made of validated parts; anything that could leave the register's own paths is refused
     * @throws SourceError `tidsfrist`, `nettverk`, or `ugyldig_svar` when the answer is too large, encoded or not HTTP;
     *   `opptatt` when its turn did not come
     */
    async get(source: string, path: string, request: RegisterRequest): Promise<RegisterResponse> {
      assertPlainPath(path)
      try {
        return await turns.run(request.turn ?? NOBODYS_TURN, () => ask(source, path, request), request.signal)
      } catch (cause) {
        if (cause instanceof SourceError) throw cause
        // It was never asked.
        throw new SourceError(source, 'opptatt', 'no place among the calls on their way', { cause })
      }
    },

    /** Ends every connection. Calls still in flight fail as `nettverk`; nothing is left waiting. */
    async close(): Promise<void> {
      await pool.destroy()
    },
  }
}

/** A number put straight into a path lets `../` reach another interface on the same host: only plain segments pass. */
export function assertPlainPath(path: string): void {
  if (!/^(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]*)+$/.test(path)) {
    throw new TypeError('a register path consists of plain segments, each begun by a slash')
  }
}

/**
 * Path and query as they are sent; a path in `baseUrl` stands in front. Spaces as %20: a plus sign means a space only to those
 * who read the query as a form.
 */
export function urlOf(baseUrl: URL, path: string, query: Record<string, string> | undefined): string {
  const search = query === undefined ? '' : `?${new URLSearchParams(query).toString().replaceAll('+', '%20')}`
  return baseUrl.pathname.replace(/\/+$/, '') + path + search
}

/** We asked for the plain bytes; an encoded body would slip past the byte limit when it is unpacked. */
function refuseEncoded(source: string, answer: Dispatcher.ResponseData): void {
  const encoding = headerOf(answer, 'content-encoding')
  if (encoding === null || encoding.trim().toLowerCase() === 'identity') return
  throw new SourceError(
    source,
    'ugyldig_svar',
    'the answer is encoded, although plain bytes were asked for',
    {
      status: answer.statusCode,
    },
  )
}

export function headerOf(answer: Dispatcher.ResponseData, name: string): string | null {
  const value = answer.headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? null
}

/** RFC 9110 section 10.2.3: seconds, or a date. Anything else is as if nothing had been sent. */
function secondsOf(retryAfter: string | null, now: Date): number | null {
  if (retryAfter === null) return null
  if (/^\d{1,9}$/.test(retryAfter.trim())) return Number(retryAfter)
  // Date.parse alone is generous: it reads a year into "-5".
  const date = retryAfter.trim().endsWith(' GMT') ? Date.parse(retryAfter) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now.getTime()) / 1000))
}

/** undici's documentation asks to compare codes, not classes. The cause may hold an address; our message never does. */
export function sourceErrorFrom(source: string, signal: AbortSignal, cause: unknown): SourceError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (signal.aborted || (typeof code === 'string' && TIMEOUTS.has(code))) {
    return new SourceError(source, 'tidsfrist', 'no whole answer within the deadline', { cause })
  }
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    return new SourceError(source, 'ugyldig_svar', 'the answer is larger than is accepted', { cause })
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || (cause instanceof Error && cause.name === 'HTTPParserError')) {
    return new SourceError(source, 'ugyldig_svar', 'the answer is not HTTP that can be read', { cause })
  }
  return new SourceError(source, 'nettverk', 'no connection, or it broke before the answer was whole', {
    cause,
  })
}

const TIMEOUTS = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
])

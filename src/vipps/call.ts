import { type Dispatcher, Pool } from 'undici'
import type { Clock } from '#src/core/clock.ts'
import { VippsAnswerError, VippsError, VippsUnavailableError, vippsErrorFrom } from './errors.ts'

export type VippsCall = {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  headers: Record<string, string>
  body: string | null
  signal: AbortSignal
}

/** Sends one request to Vipps; nothing is retried here. */
type Caller = {
  /**
   * The parsed JSON of a success, null when it has no body.
   *
   * @throws VippsError by `vippsErrorFrom`; VippsUnavailableError when there was no whole answer in time;
   *   VippsAnswerError when what came can not be read
   */
  send(call: VippsCall): Promise<unknown>
  close(): Promise<void>
}

/**
 * The bounds are those of every client here: `signal` for the whole answer, a cap on its bytes, so many connections, and no
 * redirect is ever followed, since it would carry our credentials along.
 */
export function createCaller(options: {
  baseUrl: URL
  connectionsMax: number
  connectTimeoutMs: number
  deadlineMs: number
  bodyBytesMax: number
  clock: Clock
}): Caller {
  const { baseUrl, clock } = options
  const basePath = baseUrl.pathname.replace(/\/+$/, '')
  const pool = new Pool(baseUrl.origin, {
    connections: options.connectionsMax,
    connect: { timeout: options.connectTimeoutMs },
    headersTimeout: options.deadlineMs,
    bodyTimeout: options.deadlineMs,
    maxResponseSize: options.bodyBytesMax,
    allowH2: false,
  })

  return {
    async send({ method, path, headers, body, signal }) {
      let answer: Dispatcher.ResponseData
      let bytes: Buffer
      try {
        answer = await pool.request({
          method,
          path: basePath + path,
          headers: { accept: 'application/json', 'accept-encoding': 'identity', ...headers },
          body,
          signal,
        })
        bytes = Buffer.from(await answer.body.arrayBuffer())
      } catch (cause) {
        throw errorFrom(cause)
      }
      const { statusCode: status } = answer
      if (status < 200 || status > 299) {
        throw vippsErrorFrom({ status, ...refusalOf(bytes), retryAfterSeconds: retryAfter(answer, clock) })
      }
      return bytes.length === 0 ? null : json(bytes, status)
    },

    /** Ends every connection; calls under way fail as unavailable. */
    close: () => pool.destroy(),
  }
}

/** The message of a JSON error repeats what it could not read, which may be a token: it is not kept as the cause. */
function json(bytes: Buffer, status: number): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new VippsAnswerError('the answer is not readable JSON', { status })
  }
}

/** RFC 9457 with Vipps' number in `extraDetails`. Whatever does not look like a number or a trace is left where it is. */
function refusalOf(bytes: Buffer): { errorCode: number | null; traceId: string | null } {
  let body: unknown
  try {
    body = JSON.parse(bytes.toString())
  } catch {
    body = null
  }
  const problem = isRecord(body) ? body : {}
  const details = Array.isArray(problem.extraDetails) ? problem.extraDetails.filter(isRecord) : []
  const number = details.find(({ name }) => name === 'ErrorCode')?.reason
  return {
    errorCode: /^\d{1,6}$/.test(String(number)) ? Number(number) : null,
    traceId:
      typeof problem.traceId === 'string' && /^[\w.:|-]{1,100}$/.test(problem.traceId)
        ? problem.traceId
        : null,
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** RFC 9110 section 10.2.3: seconds or a date; anything else is as if nothing had been sent. */
function retryAfter(answer: Dispatcher.ResponseData, clock: Clock): number | null {
  const header = answer.headers['retry-after']
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? ''
  if (/^\d{1,6}$/.test(text)) return Number(text)
  const at = text.endsWith(' GMT') ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - clock.now().getTime()) / 1000))
}

function errorFrom(cause: unknown): VippsError {
  if (cause instanceof VippsError) return cause
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    return new VippsAnswerError('the answer is larger than is accepted')
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || (cause instanceof Error && cause.name === 'HTTPParserError')) {
    // undici's own error holds the bytes it could not read: it is not kept as the cause.
    return new VippsAnswerError('the answer is not HTTP that can be read')
  }
  return new VippsUnavailableError('no whole answer within the deadline, or the connection broke', { cause })
}

import { OppslagError } from '#src/core/errors.ts'

/** Why there is no whole answer that could be read. */
export type UpstreamFailure =
  /** none within the deadline, or none at all from a peer that was silent for too long */
  | 'deadline'
  /** connection refused, reset, or no such host */
  | 'network'
  /** longer than is accepted */
  | 'too_large'
  /** not HTTP */
  | 'not_http'
  /** packed, though plain bytes were asked for */
  | 'encoded'
  /** in pieces of some bytes, thousands of them */
  | 'crumbs'

export class UpstreamError extends OppslagError {
  readonly failure: UpstreamFailure
  /** When there was one. */
  readonly status: number | null

  constructor(failure: UpstreamFailure, facts: { status?: number; cause?: unknown } = {}) {
    super(`upstream_${failure}`, MESSAGES[failure], { cause: facts.cause })
    this.failure = failure
    this.status = facts.status ?? null
  }
}

const MESSAGES: Record<UpstreamFailure, string> = {
  deadline: 'no whole answer within the deadline',
  network: 'no connection, or it broke before the answer was whole',
  too_large: 'the answer is larger than is accepted',
  not_http: 'the answer is not HTTP that can be read',
  encoded: 'the answer is encoded, although plain bytes were asked for',
  crumbs: 'the answer comes in thousands of pieces of some bytes each',
}

/**
 * undici's documentation asks to compare codes, not classes. The cause may hold an address; our message never does. Where the
 * answer is not HTTP it holds the bytes that could not be read, and there is none.
 */
export function upstreamErrorFrom(signal: AbortSignal, cause: unknown): UpstreamError {
  if (cause instanceof UpstreamError) return cause
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (signal.aborted || (typeof code === 'string' && TIMEOUTS.has(code)))
    return new UpstreamError('deadline', { cause })
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return new UpstreamError('too_large', { cause })
  const isNoHttp =
    code === 'UND_ERR_HEADERS_OVERFLOW' || (cause instanceof Error && cause.name === 'HTTPParserError')
  return isNoHttp ? new UpstreamError('not_http') : new UpstreamError('network', { cause })
}

const TIMEOUTS = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
])

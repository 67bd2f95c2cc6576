import { whoAsks } from '#src/core/asker.ts'
import type { Clock } from '#src/core/clock.ts'
import { isJsonObject } from '#src/core/json-object.ts'
import { createTurns, NoTurnError } from '#src/core/turns.ts'
import { createUpstreamClient, type WholeResponse } from '#src/upstream/client.ts'
import { readJson } from '#src/upstream/read-json.ts'
import { UpstreamError } from '#src/upstream/upstream-error.ts'
import { VippsAnswerError, type VippsError, VippsUnavailableError, vippsErrorFrom } from './errors.ts'

/** More than are asked in the time that they wait. */
const WAITING_MAX = 5000

export type VippsCall = {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  query?: Record<string, string>
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
  /** Sends nothing more over the connections there are. */
  leave(): void
  close(): Promise<void>
}

/**
 * Bounded as every client of ours; that no redirect is followed keeps our credentials with Vipps.
 *
 * Who waits for a connection does so by turns: however many orders one network leaves unpaid, and has let go, another's payment is made
 * between them. What the process asks for itself, of orders that may be paid for, comes before all.
 */
export function createCaller(options: {
  baseUrl: URL
  connectionsMax: number
  forOneMax: number
  connectTimeoutMs: number
  deadlineMs: number
  bodyBytesMax: number
  clock: Clock
}): Caller {
  const client = createUpstreamClient({ ...options, name: 'vipps', silenceMs: options.deadlineMs })
  const turns = createTurns({
    atOnce: options.connectionsMax,
    atOnceForOne: options.forOneMax,
    waitingMax: WAITING_MAX,
  })

  /** @throws VippsError */
  async function inTurn(ask: Parameters<typeof client.ask>[0]): Promise<WholeResponse> {
    const of = whoAsks()
    try {
      return await turns.run({ of, rank: of === '' ? 0 : 1 }, () => client.ask(ask), ask.signal)
    } catch (error) {
      throw errorFrom(error, ask.signal)
    }
  }

  return {
    async send({ headers, ...call }) {
      const asked = { ...call, headers: { accept: 'application/json', ...headers } }
      const { status, body, retryAfterSeconds } = await inTurn(asked)
      if (status < 200 || status > 299)
        throw vippsErrorFrom({ status, ...refusalOf(body), retryAfterSeconds })
      return body.length === 0 ? null : json(body, status)
    },

    leave: client.leave,

    /** Ends every connection; calls under way fail as unavailable. */
    close: client.close,
  }
}

/** The message of a JSON error repeats what it could not read, which may be a token: it is not kept as the cause. */
function json(bytes: Buffer, status: number): unknown {
  try {
    return readJson(bytes)
  } catch {
    throw new VippsAnswerError('the answer is not readable JSON', { status })
  }
}

/** RFC 9457 with Vipps' number in `extraDetails`. Whatever does not look like a number or a trace is left where it is. */
function refusalOf(bytes: Buffer): { errorCode: number | null; traceId: string | null } {
  let body: unknown
  try {
    body = readJson(bytes)
  } catch {
    body = null
  }
  const problem = isJsonObject(body) ? body : {}
  const details = Array.isArray(problem.extraDetails) ? problem.extraDetails.filter(isJsonObject) : []
  const number = details.find(({ name }) => name === 'ErrorCode')?.reason
  return {
    errorCode: /^\d{1,6}$/.test(String(number)) ? Number(number) : null,
    traceId:
      typeof problem.traceId === 'string' && /^[\w.:|-]{1,100}$/.test(problem.traceId)
        ? problem.traceId
        : null,
  }
}

/** Nothing Vipps sent is kept as a cause: it may be a token. */
function errorFrom(error: unknown, signal: AbortSignal): VippsError {
  if (error instanceof NoTurnError || (signal.aborted && error === signal.reason))
    return new VippsUnavailableError('no connection in time', { cause: error })
  if (!(error instanceof UpstreamError)) throw error
  const { failure, message, status, cause } = error
  if (failure === 'deadline' || failure === 'network') return new VippsUnavailableError(message, { cause })
  return new VippsAnswerError(message, { status })
}

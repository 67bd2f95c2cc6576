import { type Clock, systemClock } from '#src/core/clock.ts'
import { createTurns } from '#src/core/turns.ts'
import { createUpstreamClient, type WholeResponse } from '#src/upstream/client.ts'
import { UpstreamError, type UpstreamFailure } from '#src/upstream/upstream-error.ts'
import { turnForRegisters } from './loop-turn.ts'
import { NOBODYS_TURN, type SourceCall, SourceError, type SourceFailure } from './source.ts'

/** One whole HTTP answer, not yet believed. */
export type RegisterResponse = Omit<WholeResponse, 'etag'>

type RegisterRequest = SourceCall & { accept: string; query?: Record<string, string> }

export type RegisterClient = ReturnType<typeof createRegisterClient>

/** Speaks to one register, bounded as every client of ours; callers have equal turns at its connections. */
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
  const client = createUpstreamClient({
    name: 'register',
    baseUrl,
    connectionsMax: options.connectionsMax,
    connectTimeoutMs: options.connectTimeoutMs,
    silenceMs: options.headersTimeoutMs,
    bodyBytesMax: options.bodyBytesMax,
    clock,
  })

  return {
    /**
     * Asks for one document, whatever status it comes with. It is handed over in a turn of the event loop in which there is time to read it.
     *
     * @param path plain segments made of validated parts; anything that could leave the register's own paths is refused
     * @throws SourceError `tidsfrist`, `nettverk`, or `ugyldig_svar` when the answer is too large, encoded or not HTTP;
     *   `opptatt` when its turn did not come
     */
    async get(
      source: string,
      path: string,
      { accept, signal, query, turn = NOBODYS_TURN, noteWait = () => {} }: RegisterRequest,
    ): Promise<RegisterResponse> {
      assertPlainPath(path)
      const headers = { accept, 'user-agent': userAgent }
      const ask = async () => {
        await turnForRegisters(signal)
        noteWait(false)
        const response = await client.ask({ path, query, headers, signal })
        noteWait(true)
        await turnForRegisters(signal)
        return response
      }
      noteWait(true)
      try {
        return await turns.run(turn, ask, signal)
      } catch (cause) {
        if (cause instanceof UpstreamError) throw sourceErrorFrom(source, cause)
        // It was never asked, or not read in time.
        throw new SourceError(source, 'opptatt', 'no place among the calls on their way', { cause })
      }
    },

    /** Nothing more is asked over the connections there are: what came over one of them was the answer to another question. */
    leave: client.leave,

    /** Ends every connection. Calls still in flight fail as `nettverk`; nothing is left waiting. */
    close: client.close,
  }
}

/** A number put straight into a path lets `../` reach another interface on the same host: only plain segments pass. */
export function assertPlainPath(path: string): void {
  if (!/^(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]*)+$/.test(path)) {
    throw new TypeError('a register path consists of plain segments, each begun by a slash')
  }
}

/** The same of a register: what it sent and could not be read is no less an answer than one that could. */
export function sourceErrorFrom(source: string, error: UpstreamError): SourceError {
  const { failure, status, message, cause } = error
  return new SourceError(source, MEANINGS[failure], message, {
    cause,
    ...(status === null ? {} : { status }),
  })
}

const MEANINGS: Record<UpstreamFailure, SourceFailure> = {
  deadline: 'tidsfrist',
  network: 'nettverk',
  too_large: 'ugyldig_svar',
  not_http: 'ugyldig_svar',
  encoded: 'ugyldig_svar',
  crumbs: 'ugyldig_svar',
}

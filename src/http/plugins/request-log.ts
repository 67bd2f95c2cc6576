import type { FastifyReply, FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import type { OwnLine } from '#src/core/asker.ts'
import type { CrowdedLog } from '#src/core/log.ts'
import { type FetchedFrom, publishRequest, type RequestLine } from '#src/ops/request-report.ts'
import type { CacheStatus } from '#src/record/company-reading.ts'
import { requestText } from './request-line.ts'
import { whenTold } from './when-told.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** How the company came that was asked for; null until it has, and for what is none. */
    came: CacheStatus | null
    /** Made with a test key, about invented companies. */
    isTest: boolean
    /** It is refused for what its sender has under way besides: no measure of how others are answered. */
    isOfMany: boolean
    /** What it waits behind of that, where it is asked. */
    ownLine: OwnLine | null
    /** Of its time, so many milliseconds were waited because its sender asked for that: no measure of the service. */
    waitedMs: number
    /** How long it took until there was a whole answer; null while there is none, and of what is made as it is sent. */
    made: Took | null
  }
}

/**
 * One line a request, by allow-list: which company a customer looks at is the customer's business, so neither number nor
 * query text is written beside the key's id.
 */
export function logRequest(log: Pick<CrowdedLog, 'composed'>, line: RequestLine): void {
  log.composed(requestText(Date.now(), line))
  publishRequest(line)
}

/** To the tenth of a millisecond. */
export function roundedMs(ms: number): number {
  return Math.round(ms * 10) / 10
}

export const requestLog = plugin<{ log: Pick<CrowdedLog, 'composed'> }>(
  async (app, { log }) => {
    app.decorateRequest('came', null)
    app.decorateRequest('isTest', false)
    app.decorateRequest('isOfMany', false)
    app.decorateRequest('ownLine', null)
    app.decorateRequest('waitedMs', 0)
    app.decorateRequest('made', null)
    app.addHook('onSend', async (request, reply, payload) => {
      reply.header('x-request-id', request.id)
      if (!isMadeMeanwhile(payload)) request.made = tookUntilNow(request, reply)
    })
    whenTold(app, (request, reply, status) => {
      const took = request.made ?? tookUntilNow(request, reply)
      const ownMs = roundedMs(took.ownMs)
      logRequest(log, {
        foresporselId: request.id,
        metode: request.method,
        rute: request.routeOptions.url ?? null,
        status,
        ms: roundedMs(Math.max(0, took.ms - request.waitedMs)),
        hentet: request.came && fetchedOf(request.came),
        nokkelId: request.readerKey?.id ?? null,
        ...(request.isTest && { prove: true }),
        ...(request.isOfMany && { avMange: true }),
        ...(ownMs > 0 && { egenKoMs: ownMs }),
      })
    })
  },
  { name: 'request-log' },
)

type Took = { ms: number; ownMs: number }

/** What is asked for may wait on, of an answer that was made without it. */
function tookUntilNow({ ownLine }: FastifyRequest, { elapsedTime: ms }: FastifyReply): Took {
  return { ms, ownMs: ownLine?.ms() ?? 0 }
}

/** A stream; nothing, a text or bytes are there. */
function isMadeMeanwhile(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && !Buffer.isBuffer(payload)
}

export function fetchedOf(came: CacheStatus): FetchedFrom {
  if (came.by === 'stale-if-error') return 'ved_feil'
  if (came.by !== 'hit') return 'register'
  return ({ answers: 'svar', memory: 'minne', redis: 'redis' } as const)[came.tier]
}

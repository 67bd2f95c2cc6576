import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Verifier } from '#src/access/verify.ts'
import type { Answers } from '#src/cache/answers.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { beginStep } from '#src/core/trace.ts'
import type { Assembled } from '#src/record/assembled.ts'
import type { CompanyReader } from '#src/record/company-reader.ts'
import { accepts, JSON_ALONE, languageOf } from '../http/negotiation.ts'
import { hasTwoHosts } from '../http/plugins/one-host.ts'
import { logRequest } from '../http/plugins/request-log.ts'
import { callersStep } from '../http/plugins/request-trace.ts'
import { HSTS } from '../http/server/common-headers.ts'
import { type AnswerHead, answerInForm } from './answer-head.ts'
import { DAYS_LEFT, daysLeftHeader } from './days-left.ts'
import { type Deprecation, deprecationHeaders } from './deprecations.ts'

const PREFIX = '/api/bedrift/'
const ROUTE = '/api/bedrift/:orgnr'
const FACTS = { 'http.route': ROUTE, lane: 'hit' }

/**
 * The short way for what most requests are: a plain GET or HEAD for a company that is held whole, with a key that is known.
 * It runs in front of the router and does what the ordinary way does for such a request (the same head, the same log line,
 * an id, a count), and nothing else. Whatever is the least out of the ordinary is left to the ordinary way, which decides
 * what is wrong with it.
 */
export function createHitLane({
  reader,
  answers,
  verifier,
  clock,
  log,
  isHttps,
  deprecations,
}: {
  reader: Pick<CompanyReader, 'held'>
  answers: Pick<Answers<Assembled>, 'encoded'>
  verifier: Pick<Verifier, 'atHand'>
  clock: Clock
  log: Log
  isHttps: (request: IncomingMessage) => boolean
  deprecations: readonly Deprecation[]
}) {
  const goingOut = deprecationHeaders(deprecations, ROUTE, [])

  /** @returns true when it has taken the request */
  return function serve(request: IncomingMessage, response: ServerResponse): boolean {
    const { method, url = '' } = request
    if (url.length !== PREFIX.length + 9 || !url.startsWith(PREFIX)) return false
    if (method !== 'GET' && method !== 'HEAD') return false
    const token = onlyBearer(request)
    if (token === null || hasTwoHosts(request) || !accepts(request.headers.accept, JSON_ALONE)) return false
    // What is held is in Norwegian.
    if (languageOf(request.headers['accept-language']) === 'en') return false
    const orgnr = url.slice(PREFIX.length)
    const answer = reader.held(orgnr)
    if (answer === null) return false
    const key = verifier.atHand(token)
    if (key === null) return false

    const startedAt = performance.now()
    const step = beginStep('answering', `${method} ${ROUTE}`, FACTS, callersStep(request))
    const id = randomUUID()
    const now = clock.now().getTime()
    const { head, bytes } = answerInForm(answer, {
      orgnr,
      came: HIT,
      answers,
      acceptEncoding: request.headers['accept-encoding'] as string | undefined,
      ifNoneMatch: request.headers['if-none-match'],
      now,
    })
    head.headers.push('x-request-id', id, ...goingOut)
    if (isHttps(request)) head.headers.push(...HSTS)
    const days = daysLeftHeader(key.utloper, now)
    if (days !== null) head.headers.push(DAYS_LEFT, days)
    response.once('finish', () => {
      step?.end({ 'http.response.status_code': head.status }, null)
      logRequest(log, {
        foresporselId: id,
        metode: method,
        rute: ROUTE,
        status: head.status,
        ms: performance.now() - startedAt,
        hentet: 'svar',
        nokkelId: key.id,
      })
    })
    send(response, head, bytes, method === 'HEAD')
    return true
  }
}

const HIT = { by: 'hit', tier: 'answers' } as const

function send(
  response: ServerResponse,
  head: AnswerHead,
  bytes: Buffer | Promise<Buffer> | null,
  isHead: boolean,
): void {
  if (bytes === null) {
    response.writeHead(head.status, head.headers).end()
    return
  }
  if (bytes instanceof Promise) {
    bytes.then(
      (made) => send(response, head, made, isHead),
      // The connection is all there is left to answer with.
      () => response.destroy(),
    )
    return
  }
  head.headers.push('content-length', String(bytes.length))
  response.writeHead(head.status, head.headers)
  if (isHead) response.end()
  else response.end(bytes)
}

/** The token of the one and only Authorization header; null when there is any doubt. */
function onlyBearer(request: IncomingMessage): string | null {
  const value = request.headers.authorization
  if (value === undefined || !value.startsWith('Bearer ')) return null
  let count = 0
  const raw = request.rawHeaders
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? ''
    if (name.length === 13 && name.toLowerCase() === 'authorization') count += 1
  }
  const token = value.slice('Bearer '.length)
  return count === 1 && !token.includes(' ') ? token : null
}

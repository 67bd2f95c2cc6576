import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ValidKey, Verifier } from '#src/access/verify.ts'
import type { Answers } from '#src/cache/answers.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { isOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { beginStep } from '#src/core/trace.ts'
import type { Assembled } from '#src/record/assembled.ts'
import type { CacheStatus, CompanyReader } from '#src/record/company-reader.ts'
import { accepts, JSON_ALONE, languageOf } from '../http/negotiation.ts'
import { hasTwoHosts } from '../http/plugins/one-host.ts'
import { fetchedOf, logRequest } from '../http/plugins/request-log.ts'
import { callersStep } from '../http/plugins/request-trace.ts'
import { HSTS } from '../http/server/common-headers.ts'
import { type AnswerHead, answerInForm } from './answer-head.ts'
import { DAYS_LEFT, daysLeftHeader } from './days-left.ts'
import { type Deprecation, deprecationHeaders } from './deprecations.ts'

const PREFIX = '/api/bedrift/'
const ROUTE = '/api/bedrift/:orgnr'
const FACTS = { 'http.route': ROUTE, lane: 'hit' }

/**
 * The short way for what most requests are: a plain GET or HEAD for a company that is held whole, here or in the shared tier, with
 * a key that is known.
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
  reader: Pick<CompanyReader, 'held' | 'shared'>
  answers: Pick<Answers<Assembled>, 'encoded'>
  verifier: Pick<Verifier, 'atHand'>
  clock: Clock
  log: Log
  isHttps: (request: IncomingMessage) => boolean
  deprecations: readonly Deprecation[]
}) {
  const goingOut = deprecationHeaders(deprecations, ROUTE, [])

  /**
   * @param ordinary what becomes of the request when the shared tier turns out to have no answer either
   * @returns true when it has taken the request
   */
  return function serve(
    request: IncomingMessage,
    response: ServerResponse,
    ordinary: (request: IncomingMessage, response: ServerResponse) => void,
  ): boolean {
    const { method, url = '' } = request
    if (url.length !== PREFIX.length + 9 || !url.startsWith(PREFIX)) return false
    if (method !== 'GET' && method !== 'HEAD') return false
    const token = onlyBearer(request)
    if (token === null || hasTwoHosts(request) || !accepts(request.headers.accept, JSON_ALONE)) return false
    // What is held is in Norwegian.
    if (languageOf(request.headers['accept-language']) === 'en') return false
    const orgnr = url.slice(PREFIX.length)
    const answer = reader.held(orgnr)
    const askShared = answer === null && isOrganisasjonsnummer(orgnr) ? reader.shared(orgnr) : null
    if (answer === null && askShared === null) return false
    const key = verifier.atHand(token)
    if (key === null) return false

    const taken = { request, response, orgnr, key, startedAt: performance.now() }
    if (answer !== null) take(taken, answer, HIT)
    else if (askShared !== null) {
      askShared().then(
        (shared) => {
          if (shared === null || !take(taken, shared, SHARED)) ordinary(request, response)
        },
        () => ordinary(request, response),
      )
    }
    return true
  }

  /** @returns false when the answer can not be read: nothing has been sent then */
  function take(
    { request, response, orgnr, key, startedAt }: Taken,
    answer: Assembled,
    came: CacheStatus,
  ): boolean {
    const now = clock.now().getTime()
    let made: ReturnType<typeof answerInForm>
    try {
      made = answerInForm(answer, {
        orgnr,
        came,
        answers,
        acceptEncoding: request.headers['accept-encoding'] as string | undefined,
        ifNoneMatch: request.headers['if-none-match'],
        now,
      })
    } catch {
      return false
    }
    const { head, bytes } = made
    const { method } = request
    const step = beginStep('answering', `${method} ${ROUTE}`, FACTS, callersStep(request))
    const id = randomUUID()
    head.headers.push('x-request-id', id, ...goingOut)
    if (isHttps(request)) head.headers.push(...HSTS)
    const days = daysLeftHeader(key.utloper, now)
    if (days !== null) head.headers.push(DAYS_LEFT, days)
    response.once('finish', () => {
      step?.end({ 'http.response.status_code': head.status }, null)
      logRequest(log, {
        foresporselId: id,
        metode: method ?? '',
        rute: ROUTE,
        status: head.status,
        ms: performance.now() - startedAt,
        hentet: fetchedOf(came),
        nokkelId: key.id,
      })
    })
    send(response, head, bytes, method === 'HEAD')
    return true
  }
}

type Taken = {
  request: IncomingMessage
  response: ServerResponse
  orgnr: string
  key: ValidKey
  startedAt: number
}

const SHARED = { by: 'hit', tier: 'redis' } as const
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

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ValidKey, Verifier } from '#src/access/verify.ts'
import type { Answers, WholeAnswer } from '#src/cache/answers.ts'
import type { Clock } from '#src/core/clock.ts'
import type { CrowdedLog } from '#src/core/log.ts'
import { isOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { beginStep } from '#src/core/trace.ts'
import type { CompanyReader } from '#src/record/company-reader.ts'
import { type Field, readFields } from '#src/record/fields.ts'
import { accepts, JSON_ALONE, languageOf } from '../http/negotiation.ts'
import { fetchedOf, logRequest, roundedMs } from '../http/plugins/request-log.ts'
import { callersStep } from '../http/plugins/request-trace.ts'
import { nextRequestId } from '../http/request-ids.ts'
import { HSTS } from '../http/server/common-headers.ts'
import { ComposedResponse } from '../http/server/composed-response.ts'
import { type AnswerForm, answerFormOf, bytesInForm, FORMS, sharedFormFor } from './answer-head.ts'
import { createComposedHeads } from './composed-heads.ts'
import { DAYS_LEFT, daysLeftHeader } from './days-left.ts'
import { type Deprecation, deprecationHeaders } from './deprecations.ts'

const PREFIX = '/api/bedrift/'
const ORGNR_END = PREFIX.length + 9
const ROUTE = '/api/bedrift/:orgnr'
const FACTS = { 'http.route': ROUTE, lane: 'hit' }

/**
 * The short way for what most requests are: a plain GET or HEAD for a company that is held whole, here or in the shared tier, or
 * for some fields of it that were cut out here before, with a key that is known.
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
  reader: Pick<CompanyReader, 'atHand' | 'shared'>
  answers: Pick<Answers, 'encoded'>
  verifier: Pick<Verifier, 'atHand'>
  clock: Clock
  log: Pick<CrowdedLog, 'composed'>
  isHttps: (request: IncomingMessage) => boolean
  deprecations: readonly Deprecation[]
}) {
  const wholeHeads = createComposedHeads(deprecationHeaders(deprecations, ROUTE, []), HSTS)
  const partHeads = createComposedHeads(deprecationHeaders(deprecations, ROUTE, ['felt']), HSTS)

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
    if (url.length < ORGNR_END || !url.startsWith(PREFIX) || !(response instanceof ComposedResponse))
      return false
    if (method !== 'GET' && method !== 'HEAD') return false
    const fields = url.length === ORGNR_END ? null : fieldsIn(url.slice(ORGNR_END))
    if (fields === 'unclear') return false
    const asked = plainQuestion(request.rawHeaders)
    if (asked === null || !accepts(asked.accept, JSON_ALONE)) return false
    // What is held is in Norwegian.
    if (languageOf(asked.acceptLanguage) === 'en') return false
    const orgnr = url.slice(PREFIX.length, ORGNR_END)
    const now = clock.now().getTime()
    const answer = reader.atHand(orgnr, fields, now)
    const isAskedFor = answer === null && fields === null && isOrganisasjonsnummer(orgnr)
    const askShared = isAskedFor ? reader.shared(orgnr) : null
    if (answer === null && askShared === null) return false
    const key = verifier.atHand(asked.token)
    if (key === null) return false

    const taken: Taken = {
      request,
      response,
      method,
      asked,
      orgnr,
      fields,
      key,
      startedAt: performance.now(),
    }
    if (answer !== null) take(taken, answer, HIT, now)
    else if (askShared !== null) {
      askShared(sharedFormFor(asked)).then(
        (shared) => {
          if (shared === null || !take(taken, shared, SHARED, clock.now().getTime()))
            ordinary(request, response)
        },
        () => ordinary(request, response),
      )
    }
    return true
  }

  /** @returns false when the answer can not be read: nothing has been sent then */
  function take(
    { request, response, method, asked, orgnr, fields, key, startedAt }: Taken,
    answer: WholeAnswer,
    came: typeof HIT | typeof SHARED,
    now: number,
  ): boolean {
    let form: AnswerForm = answerFormOf(answer, asked)
    let bytes: Buffer | Promise<Buffer> | null
    try {
      bytes = form.status === 304 ? null : bytesInForm(answer, form, { orgnr, answers })
      if (bytes === null && form.status === 200) {
        form = FORMS.plain
        bytes = answer.bytes
      }
    } catch {
      return false
    }
    const step = beginStep('answering', STEP[method], FACTS, callersStep(asked.traceparent))
    const id = nextRequestId()
    const heads = fields === null ? wholeHeads : partHeads
    // What came from the shared tier is another object each time.
    const lines = came === HIT ? heads.heldLines : heads.lines
    const days = daysLeftHeader(key.utloper, now)
    response.lines = `${lines(answer, came, form, isHttps(request), now)}x-request-id: ${id}\r\n${days === null ? '' : `${DAYS_LEFT}: ${days}\r\n`}`
    const { status } = form
    let madeMs = 0
    const sendMade = (made: Buffer | null) => {
      madeMs = performance.now() - startedAt
      send(response, status, made, method === 'HEAD', now)
    }
    // Of what was sent. Node listens for its `finish` itself: to be told second costs several times as much.
    response.on('close', () => {
      if (!response.writableFinished) return
      step?.end({ 'http.response.status_code': status }, null)
      logRequest(log, {
        foresporselId: id,
        metode: method,
        rute: ROUTE,
        status,
        ms: roundedMs(madeMs),
        hentet: came === HIT ? 'svar' : fetchedOf(came),
        nokkelId: key.id,
      })
    })
    // The connection is all there is left to answer with.
    if (bytes instanceof Promise) bytes.then(sendMade, () => response.destroy())
    else sendMade(bytes)
    return true
  }
}

const STEP = { GET: `GET ${ROUTE}`, HEAD: `HEAD ${ROUTE}` } as const

type Taken = {
  request: IncomingMessage
  response: ComposedResponse
  method: 'GET' | 'HEAD'
  asked: Question
  orgnr: string
  /** null: all of them. */
  fields: readonly Field[] | null
  key: ValidKey
  startedAt: number
}

const SHARED = { by: 'hit', tier: 'redis' } as const
const HIT = { by: 'hit', tier: 'answers' } as const

function send(
  response: ComposedResponse,
  status: 200 | 304,
  bytes: Buffer | null,
  isHead: boolean,
  now: number,
): void {
  if (bytes === null) response.sendWhole(null, now)
  else if (isHead) response.writeHead(status, ['content-length', String(bytes.length)]).end()
  else response.sendWhole(bytes, now)
}

/**
 * The fields a plain query names. There are a handful of such queries, so each is read once; what is wrong with one is for the
 * ordinary way to say.
 */
function fieldsIn(query: string): readonly Field[] | 'unclear' {
  const known = queries.get(query)
  if (known !== undefined) return known
  const names = PLAIN_FIELDS.exec(query)?.[1]
  if (names === undefined) return 'unclear'
  const fields = readable(names)
  if (fields === 'unclear') return fields
  if (queries.size >= QUERIES_MAX) queries.clear()
  queries.set(query, fields)
  return fields
}

const queries = new Map<string, readonly Field[]>()
const QUERIES_MAX = 200
const PLAIN_FIELDS = /^\?felt=([A-Za-z0-9,]{1,500})$/

function readable(names: string): readonly Field[] | 'unclear' {
  try {
    return readFields(names)
  } catch {
    return 'unclear'
  }
}

/** What the short way looks at of a head. */
type Question = {
  token: string
  accept: string | undefined
  acceptLanguage: string | undefined
  acceptEncoding: string | undefined
  ifNoneMatch: string | undefined
  traceparent: string | undefined
}

/**
 * Read from the head as it came, in one go: a head in which any of these stands twice is for the ordinary way, and the object
 * node makes of all headers is not made. Null also without a bearer token about which there is no doubt.
 */
function plainQuestion(rawHeaders: readonly string[]): Question | null {
  const asked: Question = {
    token: '',
    accept: undefined,
    acceptLanguage: undefined,
    acceptEncoding: undefined,
    ifNoneMatch: undefined,
    traceparent: undefined,
  }
  let seen = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const raw = rawHeaders[index] ?? ''
    if (!LOOKED_AT_LENGTHS.has(raw.length)) continue
    const name = raw.toLowerCase()
    const place = LOOKED_AT.indexOf(name)
    if (place < 0) continue
    if ((seen & (1 << place)) !== 0) return null
    seen |= 1 << place
    const value = rawHeaders[index + 1] ?? ''
    switch (name) {
      case 'authorization':
        if (!value.startsWith(BEARER) || value.includes(' ', BEARER.length)) return null
        asked.token = value.slice(BEARER.length)
        break
      case 'accept':
        asked.accept = value
        break
      case 'accept-language':
        asked.acceptLanguage = value
        break
      case 'accept-encoding':
        asked.acceptEncoding = value
        break
      case 'if-none-match':
        asked.ifNoneMatch = value
        break
      case 'traceparent':
        asked.traceparent = value
    }
  }
  return asked.token === '' || (seen & HOST) === 0 ? null : asked
}

const BEARER = 'Bearer '
/** `host` only that there is one: RFC 9112, 3.2. */
const LOOKED_AT = [
  'host',
  'authorization',
  'accept',
  'accept-language',
  'accept-encoding',
  'if-none-match',
  'traceparent',
]
const HOST = 1 << LOOKED_AT.indexOf('host')
const LOOKED_AT_LENGTHS = new Set(LOOKED_AT.map(({ length }) => length))

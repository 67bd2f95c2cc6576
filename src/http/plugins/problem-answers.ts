import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import { InputError } from '#src/core/errors.ts'
import { inEnglish } from '#src/record/own-words.ts'
import { type Unavailable, unavailableReading } from '#src/record/reading.ts'
import { NoSearchTurnError } from '#src/search/in-turn.ts'
import { isArchive } from '#src/sources/index.ts'
import { SourceError } from '#src/sources/source.ts'
import { isOfWhatItKeeps, NoStorageTurnError, StorageUnavailableError } from '#src/storage/database.ts'
import { KeyOverError } from '#src/storage/key-chain.ts'
import { languageOf } from '../negotiation.ts'
import { Problem, problemBody } from '../problem.ts'
import { type ProblemCode, problems } from '../problems.ts'
import { answerSocket } from '../server/answer-socket.ts'

/**
 * Turns whatever went wrong into a problem body. What the caller sent, keys and upstream addresses are never repeated;
 * a fault of ours is logged with its cause and answered with an id to find it by.
 */
export const problemAnswers = plugin<{ publicUrl: () => string }>(
  async (app, { publicUrl }) => {
    const answer = answerProblem(publicUrl)
    app.setErrorHandler<FastifyError>(answer)
    app.setNotFoundHandler((request, reply) => answer(new Problem('ukjent_adresse'), request, reply))
  },
  { name: 'problem-answers' },
)

/** Answers one failed request; also those the framework refuses before any hook has run. */
export function answerProblem(publicUrl: () => string) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = asProblem(error)
    if (isFault(problem, error) && !hasLeft(error, reply))
      request.log.error({ err: error }, 'fault while answering')
    request.problem = problem.kode
    if (problem.isOwn) request.isOfMany = true
    const language = languageOf(request.headers['accept-language'])
    const body = problemBody(problem, {
      language,
      publicUrl: publicUrl(),
      foresporselId: request.id,
    })
    return reply
      .code(problems[problem.kode].status)
      .headers({
        'cache-control': 'no-store',
        vary: 'Accept-Language',
        'content-language': language,
        'x-request-id': request.id,
        ...problem.headers,
      })
      .type('application/problem+json; charset=utf-8')
      .send(language === 'en' ? inEnglish(JSON.stringify(body)) : JSON.stringify(body))
  }
}

/** Whether nobody else tells of it: what is wrong with us, and of what PostgreSQL keeps that it can not be had. */
export function isFault({ kode }: Problem, error: unknown): boolean {
  return kode === 'intern_feil' || isOfWhatItKeeps(error)
}

/** A stream that is given up since nobody waits for it any more is no fault of ours. */
function hasLeft({ code }: Error & { code?: string }, { raw }: FastifyReply): boolean {
  return raw.destroyed && code === 'ERR_STREAM_PREMATURE_CLOSE'
}

/** What whoever asked is told of it. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof InputError) {
    const kode = error.code === 'ugyldig_organisasjonsnummer' ? error.code : 'ugyldig_parameter'
    return new Problem(kode, {
      detail: { nb: error.norsk, en: error.english },
      extra: { parameter: error.parameter },
    })
  }
  if (error instanceof SourceError) {
    return isArchive(error.source)
      ? archiveUnavailable({ isOwn: false })
      : registerUnavailable(unavailableReading(error))
  }
  if (error instanceof StorageUnavailableError)
    return archiveUnavailable({ isOwn: error instanceof NoStorageTurnError && error.isOwn })
  if (isOfWhatItKeeps(error)) return archiveUnavailable({ isOwn: false })
  if (error instanceof NoSearchTurnError)
    return new Problem('for_mange_oppslag', { headers: { 'retry-after': '5' }, isOwn: error.isOwn })
  if (error instanceof KeyOverError)
    return new Problem('tilbakekalt_nokkel', {
      headers: { 'www-authenticate': 'Bearer realm="bedriftsoppslag", error="invalid_token"' },
    })
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  return new Problem(byFrameworkCode.get(code ?? '') ?? refusalOf(statusCode))
}

/** Whatever else the framework refuses is the caller's, and no fault of ours that somebody is woken for. */
function refusalOf(status: number | undefined): ProblemCode {
  if (status === undefined || status < 400 || status >= 500) return 'intern_feil'
  return byFrameworkStatus.get(status) ?? 'ugyldig_foresporsel'
}

const byFrameworkStatus = new Map<number, ProblemCode>([
  [404, 'ukjent_adresse'],
  [405, 'metode_ikke_tillatt'],
  [408, 'tidsavbrudd'],
  [413, 'for_stor'],
  [414, 'for_lang_adresse'],
  [415, 'ukjent_innholdstype'],
  [431, 'for_store_headere'],
])

function archiveUnavailable({ isOwn }: { isOwn: boolean }): Problem {
  return new Problem('arkiv_utilgjengelig', { headers: { 'retry-after': '5' }, isOwn })
}

export function registerUnavailable({ retryAfterSeconds, arsak, avvik }: Unavailable): Problem {
  return new Problem('register_utilgjengelig', {
    headers: { 'retry-after': String(believedSeconds(retryAfterSeconds)) },
    extra: { arsak, avvik },
  })
}

/** A register that says when to come back is believed within reason. */
export function believedSeconds(retryAfterSeconds: number | null): number {
  return Math.min(Math.max(retryAfterSeconds ?? 5, 1), 120)
}

const byFrameworkCode = new Map<string, ProblemCode>([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'for_stor'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'ukjent_innholdstype'],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'ugyldig_foresporsel'],
  ['FST_ERR_CTP_EMPTY_JSON_BODY', 'ugyldig_foresporsel'],
  ['FST_ERR_CTP_INVALID_JSON_BODY', 'ugyldig_foresporsel'],
  ['FST_ERR_BAD_URL', 'ugyldig_foresporsel'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'for_lang_adresse'],
])

/** Answers what never became a request: broken HTTP, too large headers, too slow. Fastify hands these the bare socket. */
export function answerClientError(publicUrl: () => string) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const kode = byParserCode.get(error.code ?? '') ?? 'ugyldig_foresporsel'
    const foresporselId = crypto.randomUUID()
    answerSocket(socket, {
      status: problems[kode].status,
      headers: {
        'content-type': 'application/problem+json; charset=utf-8',
        'x-request-id': foresporselId,
      },
      body: JSON.stringify(
        problemBody(new Problem(kode), { language: 'nb', publicUrl: publicUrl(), foresporselId }),
      ),
    })
  }
}

const byParserCode = new Map<string, ProblemCode>([
  ['HPE_HEADER_OVERFLOW', 'for_store_headere'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'tidsavbrudd'],
])

import type { Answer, Answers } from '#src/cache/answers.ts'
import { ageSeconds, ttlSeconds } from '#src/cache/entry.ts'
import type { Encoding } from '#src/core/packed.ts'
import type { CacheStatus } from '#src/record/company-reader.ts'
import { matchesAny } from '../http/conditions.ts'
import { preferredEncoding, takesGzip } from '../http/negotiation.ts'
import { cacheStatus } from './cache-status.ts'

export type AnswerHead = {
  status: 200 | 304
  /** Which form of the bytes goes with it; null is as they are. */
  encoding: Encoding | null
  /** Names and values in turn: one list for many answers … */
  constant: readonly string[]
  /** … and what is this answer's own, at this moment. */
  own: string[]
}

export type AnswerRequest = {
  acceptEncoding: string | undefined
  ifNoneMatch: string | undefined
  now: number
}

/** Everything of an answer but its bytes. One place for the ordinary way and the short one, so that they can not differ. */
export function answerHead(answer: Answer, came: CacheStatus, request: AnswerRequest): AnswerHead {
  const encoding = encodingOf(answer, request.acceptEncoding)
  const isKnown = request.ifNoneMatch !== undefined && matchesAny(request.ifNoneMatch, answer.etag)
  const own = [
    'etag',
    answer.etag,
    'age',
    String(ageSeconds({ fetchedAt: answer.fetchedAtOldest }, request.now)),
    'cache-status',
    cacheStatus(came, ttlSeconds(answer, request.now)),
  ]
  if (encoding !== null && !isKnown) own.push('content-encoding', encoding)
  return { status: isKnown ? 304 : 200, encoding, constant: answer.headers, own }
}

/** What is at hand packed is sent so to whoever takes it. */
function encodingOf({ gzip }: Answer, accepted: string | undefined): Encoding | null {
  if (accepted === undefined) return null
  return (gzip === undefined ? null : takesGzip(accepted)) ?? preferredEncoding(accepted)
}

/**
 * The head, and the bytes that go with it: compressed when the client likes that better and there is room to do it, and none
 * for a client that has them.
 */
export function answerInForm(
  answer: Answer,
  {
    orgnr,
    came,
    answers,
    ...request
  }: AnswerRequest & { orgnr: string; came: CacheStatus; answers: Pick<Answers, 'encoded'> },
): { head: AnswerHead; bytes: Buffer | Promise<Buffer> | null } {
  const head = answerHead(answer, came, request)
  if (head.status === 304) return { head, bytes: null }
  if (head.encoding === null) return { head, bytes: answer.bytes }
  if (head.encoding === 'gzip' && answer.gzip !== undefined) return { head, bytes: answer.gzip }
  const bytes = answers.encoded(orgnr, answer, head.encoding)
  if (bytes !== null) return { head, bytes }
  return { head: answerHead(answer, came, { ...request, acceptEncoding: undefined }), bytes: answer.bytes }
}

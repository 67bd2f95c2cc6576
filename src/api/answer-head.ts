import type { Answers, WholeAnswer } from '#src/cache/answers.ts'
import { ageSeconds, ttlSeconds } from '#src/cache/entry.ts'
import type { SharedForm } from '#src/cache/redis-held.ts'
import type { Encoding } from '#src/core/packed.ts'
import type { CacheStatus } from '#src/record/company-reading.ts'
import { matchesAny } from '../http/conditions.ts'
import { preferredEncoding, takesGzip } from '../http/negotiation.ts'
import { cacheStatus } from './cache-status.ts'

/** Which form of the bytes goes with it: `encoding` null is as they are. A client that has them is sent none (304). */
export type AnswerForm = {
  readonly status: 200 | 304
  readonly encoding: Encoding | null
}

export type AnswerHead = AnswerForm & {
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

/** One object for each that there is. */
export const FORMS = {
  known: { status: 304, encoding: null },
  plain: { status: 200, encoding: null },
  br: { status: 200, encoding: 'br' },
  zstd: { status: 200, encoding: 'zstd' },
  gzip: { status: 200, encoding: 'gzip' },
} as const satisfies Record<string, AnswerForm>

/** The form of an answer that lies elsewhere which who asks so can be sent as it is, if they are sent one at all. */
export function sharedFormFor({
  acceptEncoding,
  ifNoneMatch,
}: Pick<AnswerRequest, 'acceptEncoding' | 'ifNoneMatch'>): SharedForm {
  if (ifNoneMatch !== undefined) return 'gzip'
  return acceptEncoding === undefined || takesGzip(acceptEncoding) === null ? 'plain' : 'gzip'
}

export function answerFormOf(
  answer: WholeAnswer,
  { acceptEncoding, ifNoneMatch }: Pick<AnswerRequest, 'acceptEncoding' | 'ifNoneMatch'>,
): AnswerForm {
  if (ifNoneMatch !== undefined && matchesAny(ifNoneMatch, answer.etag)) return FORMS.known
  if (acceptEncoding === undefined) return FORMS.plain
  // What is at hand packed is sent so to whoever takes it.
  const atHand = answer.gzip ? takesGzip(acceptEncoding) : null
  return FORMS[atHand ?? preferredEncoding(acceptEncoding) ?? 'plain']
}

/** Everything of an answer but its bytes. One place for the ordinary way and the short one, so that they can not differ. */
export function answerHead(
  answer: WholeAnswer,
  came: CacheStatus,
  { status, encoding }: AnswerForm,
  now: number,
): AnswerHead {
  const own = [
    'etag',
    answer.etag,
    'age',
    String(ageSeconds({ fetchedAt: answer.fetchedAtOldest }, now)),
    'cache-status',
    cacheStatus(came, ttlSeconds(answer, now)),
  ]
  if (encoding !== null) own.push('content-encoding', encoding)
  return { status, encoding, constant: answer.headers, own }
}

/** The bytes that go with it; null where there is no room to pack them now. */
export function bytesInForm(
  answer: WholeAnswer,
  { encoding }: AnswerForm,
  { orgnr, answers }: { orgnr: string; answers: Pick<Answers, 'encoded'> },
): Buffer | Promise<Buffer> | null {
  if (encoding === null) return answer.bytes
  if (encoding === 'gzip' && answer.gzip) return answer.gzip
  return answers.encoded(orgnr, answer, encoding)
}

/**
 * The head, and the bytes that go with it: compressed when the client likes that better and there is room to do it, and none
 * for a client that has them.
 */
export function answerInForm(
  answer: WholeAnswer,
  {
    orgnr,
    came,
    answers,
    now,
    ...request
  }: AnswerRequest & { orgnr: string; came: CacheStatus; answers: Pick<Answers, 'encoded'> },
): { head: AnswerHead; bytes: Buffer | Promise<Buffer> | null } {
  const form = answerFormOf(answer, request)
  if (form.status === 304) return { head: answerHead(answer, came, form, now), bytes: null }
  const bytes = bytesInForm(answer, form, { orgnr, answers })
  if (bytes !== null) return { head: answerHead(answer, came, form, now), bytes }
  return { head: answerHead(answer, came, FORMS.plain, now), bytes: answer.bytes }
}

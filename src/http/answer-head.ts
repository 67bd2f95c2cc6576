import { type Encoding, etagOf } from '#src/cache/answers.ts'
import { ageSeconds, ttlSeconds } from '#src/cache/entry.ts'
import type { Assembled } from '#src/record/assembled.ts'
import type { Came } from '#src/record/company-reader.ts'
import { cacheStatus } from './cache-status.ts'

export type AnswerHead = {
  status: 200 | 304
  /** Which form of the bytes goes with it; null is as they are. */
  encoding: Encoding | null
  /** Names and values in turn. */
  headers: string[]
}

/** Everything of an answer but its bytes. One place for the ordinary way and the short one, so that they can not differ. */
export function answerHead(
  answer: Assembled,
  came: Came,
  request: { acceptEncoding: string | undefined; ifNoneMatch: string | undefined; now: number },
): AnswerHead {
  const encoding = request.acceptEncoding === undefined ? null : preferredEncoding(request.acceptEncoding)
  const etag = etagOf(answer.etag, encoding)
  const isKnown = request.ifNoneMatch !== undefined && matchesAny(request.ifNoneMatch, etag)
  const headers = [
    ...answer.headers,
    'etag',
    etag,
    'age',
    String(ageSeconds({ fetchedAt: answer.fetchedAtOldest }, request.now)),
    'cache-status',
    cacheStatus(came, ttlSeconds(answer, request.now)),
  ]
  if (encoding !== null && !isKnown) headers.push('content-encoding', encoding)
  return { status: isKnown ? 304 : 200, encoding, headers }
}

/** RFC 9110, 13.1.2: a list of tags or `*`, compared weakly. */
function matchesAny(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
}

/** Best first, where the client likes them the same. */
const ENCODINGS: readonly Encoding[] = ['br', 'zstd', 'gzip']
const REMEMBERED_MAX = 200
const remembered = new Map<string, Encoding | null>()

/** RFC 9110, 12.5.3. Clients send one of a handful of lists, so each is read once. */
function preferredEncoding(acceptEncoding: string): Encoding | null {
  const known = remembered.get(acceptEncoding)
  if (known !== undefined) return known
  const read = readEncodings(acceptEncoding)
  if (remembered.size < REMEMBERED_MAX && acceptEncoding.length < 100) remembered.set(acceptEncoding, read)
  return read
}

function readEncodings(acceptEncoding: string): Encoding | null {
  const liked = new Map<string, number>()
  for (const part of acceptEncoding.slice(0, 500).toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim())
    const quality = Number(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? 1)
    if (quality >= 0 && quality <= 1) liked.set(name, quality)
  }
  const like = (name: string) => liked.get(name) ?? liked.get('*') ?? 0
  const best = ENCODINGS.toSorted((a, b) => like(b) - like(a))[0] ?? null
  // Unencoded is liked unless it was said that it is not, so an encoding must be liked as well to be chosen.
  return best !== null && like(best) > 0 && like(best) >= (liked.get('identity') ?? 0) ? best : null
}

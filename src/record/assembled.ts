import { crc32, gunzipSync, constants as zlib } from 'node:zlib'
import { createWeakEtag, type WholeAnswer } from '#src/cache/answers.ts'
import { keptBytes } from '#src/cache/kept-bytes.ts'
import { BODY_BYTES_MAX } from '#src/cache/packing.ts'
import type { SharedAnswer } from '#src/cache/redis-tier.ts'
import { PERMISSIONS } from '#src/core/permissions.ts'
import type { PartOfRecord } from './fields.ts'
import type { ServedPart } from './read.ts'
import type { Bedrift } from './record.ts'

/** A record as bytes ready to be sent, and until when its bytes tell the truth about its parts' states. */
export type Assembled = WholeAnswer & {
  /** A part changes its state then (fresh to stale, stale to gone), or is to be looked at again. */
  readonly validUntil: number
  readonly isStale: boolean
  /** Whose answers it is made of: the company itself, and its parent where it has one. */
  readonly companies: readonly string[]
}

/**
 * Makes the answer's bytes. The entity tag is over the facts: fetched again at another time, or shown as an older copy while
 * a source is away and whatever is wrong with it, they have the same one, so that a client that has them is not sent them
 * again. How old they are is told with every answer, in `Age` and `Cache-Status`.
 */
export function assemble(
  record: Bedrift,
  parts: readonly ServedPart[],
  { now, lookAgainMs }: { now: number; lookAgainMs: (isStale: boolean, hasParent: boolean) => number },
): Assembled {
  const entries = parts.map(({ served }) => served.entry)
  const isStale = parts.some(({ served }) => served.how === 'stale' || served.how === 'stale-if-error')
  const { bytes, etag } = written(record)
  const changes = entries.flatMap(({ freshUntil, staleUntil }) =>
    [freshUntil, staleUntil].filter((time) => time > now),
  )
  const again = now + lookAgainMs(isStale, record.overordnetEnhet.organisasjonsnummer !== null)
  return {
    bytes: keptBytes(bytes),
    etag,
    ...agesOf(parts),
    validUntil: Math.min(again, ...changes),
    isStale,
    companies: [...new Set(parts.map(({ company }) => company))],
    headers: HEADERS,
  }
}

/** An answer as it lies beside its copies, for other readings: what is known of it in one line, and its bytes in gzip. */
export function toShared(
  {
    bytes,
    etag,
    freshUntil,
    fetchedAtOldest,
    validUntil,
  }: Omit<Assembled, 'headers' | 'isStale' | 'companies'>,
  gzip: Buffer,
): SharedAnswer {
  const numbers = [freshUntil, fetchedAtOldest, validUntil, bytes.length, crc32(gzip)]
  return { about: [etag, ...numbers].join(' '), bytes: gzip }
}

/** Null when it is past its time, or is not what `toShared` wrote. */
export function fromShared(
  { about, bytes: gzip }: SharedAnswer,
  company: string,
  now: number,
): Assembled | null {
  const words = SHARED.exec(about)
  if (words === null) return null
  const [, etag = '', ...numbers] = words
  const [freshUntil = 0, fetchedAtOldest = 0, validUntil = 0, length = 0, checksum] = numbers.map(Number)
  if (now >= validUntil || length > BODY_BYTES_MAX || crc32(gzip) !== checksum) return null
  let plain: Buffer | null = null
  return {
    get bytes() {
      plain ??= gunzipSync(gzip, { chunkSize: length + zlib.Z_MIN_CHUNK, maxOutputLength: length })
      return plain
    },
    gzip,
    etag,
    freshUntil,
    fetchedAtOldest,
    validUntil,
    isStale: false,
    companies: [company],
    headers: HEADERS,
  }
}

const SHARED = /^(W\/"[\w-]{22}") ([0-9]{1,15}) ([0-9]{1,15}) ([0-9]{1,15}) ([0-9]{1,8}) ([0-9]{1,10})$/

/** When the first of what an answer is made of ceases to be fresh, and how old the oldest is. */
export function agesOf(parts: readonly ServedPart[]): Pick<WholeAnswer, 'freshUntil' | 'fetchedAtOldest'> {
  const entries = parts.map(({ served }) => served.entry)
  return {
    freshUntil: Math.min(...entries.map(({ freshUntil }) => freshUntil)),
    fetchedAtOldest: Math.min(...entries.map(({ fetchedAt }) => fetchedAt)),
  }
}

/** Some of a record, to be sent once: it is not kept, what it is made of is. */
export function assemblePart(
  record: PartOfRecord,
  ages: Pick<WholeAnswer, 'freshUntil' | 'fetchedAtOldest'>,
): WholeAnswer {
  const { bytes, etag } = written(record)
  const { freshUntil, fetchedAtOldest } = ages
  return { bytes: Buffer.from(bytes), etag, freshUntil, fetchedAtOldest, headers: HEADERS }
}

/** Written once, for both: most of an answer is facts. */
function written({ kilder, ...facts }: Bedrift | PartOfRecord): { bytes: string; etag: string } {
  const text = JSON.stringify(facts)
  return {
    bytes: `${text.slice(0, -1)},"kilder":${JSON.stringify(kilder)}}`,
    etag: createWeakEtag(asIfFresh(text) + asIfFresh(JSON.stringify(withoutTimes(kilder)))),
  }
}

/** One list for all answers: tens of thousands are kept. */
const HEADERS = [
  'content-type',
  'application/json; charset=utf-8',
  'cache-control',
  'private, no-cache',
  'vary',
  'Accept-Encoding, Accept-Language',
  'content-language',
  'nb',
  'x-content-type-options',
  'nosniff',
  'permissions-policy',
  PERMISSIONS,
] as const

/** No text of a register can hold this: a quotation mark within a string is escaped. */
function asIfFresh(json: string): string {
  return json.replaceAll('"tilstand":"utdatert"', '"tilstand":"fersk"')
}

/**
 * What is said of the sources, without when they were asked and why they could not be heard. What the facts themselves are
 * as of (a year's end, a period's) stands among the facts.
 */
function withoutTimes(kilder: PartOfRecord['kilder']): unknown {
  return Object.entries(kilder).map(([name, { hentet: _, gjelderPer: __, arsak: ___, ...rest }]) => [
    name,
    rest,
  ])
}

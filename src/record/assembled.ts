import { crc32, gunzipSync, constants as zlib } from 'node:zlib'
import { createWeakEtag, type WholeAnswer } from '#src/cache/answers.ts'
import { keptBytes } from '#src/cache/kept-bytes.ts'
import { BODY_BYTES_MAX } from '#src/cache/packing.ts'
import type { SharedAnswer, SharedForm } from '#src/cache/redis-held.ts'
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

/**
 * An answer as it lies beside its copies, for other readings: what is known of it in one line, and its bytes in that form.
 *
 * @param length of its bytes as they are
 */
export function toShared(
  { etag, freshUntil, fetchedAtOldest, validUntil, copies }: Omit<KnownOfShared, 'company' | 'length'>,
  form: SharedForm,
  bytes: Buffer,
  length = bytes.length,
): SharedAnswer {
  const numbers = [freshUntil, fetchedAtOldest, validUntil, copies, length, crc32(bytes)]
  return { about: [form, etag, ...numbers].join(' '), bytes }
}

/** Null when it is past its time, or is not what `toShared` wrote. */
export function fromShared({ about, bytes }: SharedAnswer, company: string, now: number): FromShared | null {
  const words = SHARED.exec(about)
  if (words === null) return null
  const [, form, etag = '', ...numbers] = words
  const [freshUntil = 0, fetchedAtOldest = 0, validUntil = 0, copies = 0, length = 0, checksum] =
    numbers.map(Number)
  const isPlain = form === 'plain'
  if (now >= validUntil || length > BODY_BYTES_MAX || crc32(bytes) !== checksum) return null
  if (length !== (isPlain ? bytes.length : unpackedLength(bytes))) return null
  const known = { company, etag, freshUntil, fetchedAtOldest, validUntil, copies, length }
  return isPlain ? new FromShared(known, null, bytes) : new FromShared(known, bytes, null)
}

const SHARED =
  /^(gzip|plain) (W\/"[\w-]{22}") ([0-9]{1,15}) ([0-9]{1,15}) ([0-9]{1,15}) ([0-9]{1,15}) ([0-9]{1,8}) ([0-9]{1,10})$/

/** RFC 1952, 2.3.1: the last four bytes say it. */
function unpackedLength(gzip: Buffer): number | null {
  return gzip.length < GZIP_LENGTH_MIN ? null : gzip.readUInt32LE(gzip.length - 4)
}

const GZIP_LENGTH_MIN = 18

type KnownOfShared = Pick<Assembled, 'etag' | 'freshUntil' | 'fetchedAtOldest' | 'validUntil'> & {
  company: string
  length: number
  /** Of which copies it was made: another number for others. */
  copies: number
}

/** An answer that was made elsewhere. Its bytes are unpacked when they are first asked for: few who read it want them so. */
export class FromShared implements Assembled {
  readonly etag: string
  readonly freshUntil: number
  readonly fetchedAtOldest: number
  readonly validUntil: number
  readonly copies: number
  readonly companies: readonly string[]
  readonly isStale = false
  readonly headers = HEADERS
  readonly gzip: Buffer | null
  private readonly known: KnownOfShared
  private readonly isHeld: boolean
  private plain: Buffer | null

  constructor(known: KnownOfShared, gzip: Buffer | null, plain: Buffer | null, isHeld = false) {
    this.etag = known.etag
    this.freshUntil = known.freshUntil
    this.fetchedAtOldest = known.fetchedAtOldest
    this.validUntil = known.validUntil
    this.copies = known.copies
    this.companies = [known.company]
    this.known = known
    this.gzip = gzip
    this.plain = plain
    this.isHeld = isHeld
  }

  get bytes(): Buffer {
    if (this.plain === null) {
      const made = unpacked(this.gzip ?? NOTHING, this.known.length)
      this.plain = this.isHeld ? keptBytes(made) : made
    }
    return this.plain
  }

  /** All that it takes when it is unpacked. */
  get heldBytes(): number {
    return this.known.length + (this.gzip?.length ?? 0)
  }

  /** The same in memory of its own, and as far unpacked. */
  toHold(): FromShared {
    const { known, gzip, plain } = this
    return new FromShared(known, gzip && keptBytes(gzip), plain && keptBytes(plain), true)
  }
}

const NOTHING = Buffer.alloc(0)

function unpacked(gzip: Buffer, length: number): Buffer {
  return gunzipSync(gzip, { chunkSize: length + zlib.Z_MIN_CHUNK, maxOutputLength: length })
}

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

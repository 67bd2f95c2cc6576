import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { createForms, type Encoding, type Forms } from '#src/core/packed.ts'
import { keptBytes } from './kept-bytes.ts'
import type { Subject } from './key.ts'

export type Answers<A extends WholeAnswer = WholeAnswer> = ReturnType<typeof createAnswers<A>>

/** A whole answer about one company, ready to be sent. */
export type WholeAnswer = {
  readonly bytes: Buffer
  /** Of the facts alone: fetched again, or covering for a source that is away, they have the same one. */
  readonly etag: string
  /** When the first of its parts ceases to be fresh. Afterwards it is as stale as they are. */
  readonly freshUntil: number
  /** Its age is that of its oldest part (RFC 9111, 4.2.3). */
  readonly fetchedAtOldest: number
  /** Names and values in turn, as they will be sent. */
  readonly headers: readonly string[]
  /** The same in gzip, where it came so: `bytes` are then unpacked when they are asked for, and throw where they can not be. */
  readonly gzip?: Buffer | null
}

/**
 * Answers put together from what the cache holds, with each compressed form made once, by the first who asks for it.
 * An answer is dropped when anything of its company changes; the cache says when.
 *
 * @param bytesMax of all answers in all their forms, with ANSWER_OVERHEAD_BYTES each
 * @param isTrusted like the cache's: an answer made at a time since which changes may have been missed is not given
 */
export function createAnswers<A extends WholeAnswer = WholeAnswer>({
  bytesMax,
  answerBytesMax,
  isTrusted,
  now = Date.now,
  random = Math.random,
}: {
  bytesMax: number
  answerBytesMax: number
  isTrusted: (time: number, at?: number) => boolean
  now?: () => number
  random?: () => number
}) {
  type Kept = { answer: A; knownAt: number; bytes: number }
  const kept = new LRUCache<string, Kept>({
    maxSize: bytesMax,
    maxEntrySize: answerBytesMax,
    sizeCalculation: ({ bytes }, company) => bytes + company.length + ANSWER_OVERHEAD_BYTES,
  })
  /** Lives as long as the answer does, also where it is being sent after it was dropped. */
  const forms = new WeakMap<WholeAnswer, Forms>()

  /** What was cut of an answer, by what was asked for. */
  const parts = new WeakMap<WholeAnswer, Map<string, WholeAnswer>>()
  /** Which answer a part was cut of. */
  const wholes = new WeakMap<WholeAnswer, WholeAnswer>()

  /** The LRU takes a new size only with a new value. */
  function count(company: string, answer: WholeAnswer, bytes: number): void {
    const now = kept.peek(company)
    const whole = wholes.get(answer) ?? answer
    if (now !== undefined && now.answer === whole) kept.set(company, { ...now, bytes: now.bytes + bytes })
  }

  function formsOf(company: string, answer: WholeAnswer): Forms {
    const keep = (packed: Buffer) => {
      const form = keptBytes(packed)
      count(company, answer, form.length)
      return form
    }
    return createForms(() => answer.bytes, keep)
  }

  return {
    /**
     * The answer about a company, fresh or no longer; null when there is none that can be relied on.
     *
     * @param at now, of whoever has asked the clock already
     */
    get(company: string, at?: number): A | null {
      const found = kept.get(company)
      return found !== undefined && isTrusted(found.knownAt, at) ? found.answer : null
    },

    /**
     * Keep only what was made of the newest there is: ask the cache's `isCurrent` in the same turn.
     *
     * @param from `knownAt`: when what it was made of was last known to be what there is; now, when it is not said. `heldBytes`: of an
     *   answer that was made elsewhere what it takes in the forms it has or will unpack
     */
    put(company: string, answer: A, from: { knownAt?: number; heldBytes?: number } = {}): void {
      const own = from.heldBytes ?? answer.bytes.length
      const bytes = own + answer.headers.reduce((sum, text) => sum + text.length, 0)
      kept.set(company, { answer, knownAt: from.knownAt ?? now(), bytes })
    },

    /**
     * Whether an answer is worth its place: in its company's own, and while there is room, always; else one in eight, so that what
     * passes by once does not drive out what is read all the time, and what is read all the time comes in soon.
     */
    admits: (company: string, bytes: number): boolean =>
      kept.has(company) ||
      kept.calculatedSize + bytes + ANSWER_OVERHEAD_BYTES <= bytesMax ||
      random() < ADMITTED_SHARE,

    /** What the cache's `onChange` is for. */
    drop(subject: Subject): void {
      if ('company' in subject) kept.delete(subject.company)
      else
        for (const company of [...kept.keys()]) if (company.startsWith(subject.prefix)) kept.delete(company)
    },

    /** A part of an answer that was cut before; null when it was not. */
    part(whole: WholeAnswer, name: string): WholeAnswer | null {
      return parts.get(whole)?.get(name) ?? null
    },

    /** Keep what was cut of an answer: for as long as that is kept, counted with it, up to so many. */
    putPart(company: string, whole: WholeAnswer, name: string, part: WholeAnswer): void {
      const cut = parts.get(whole) ?? new Map<string, WholeAnswer>()
      if (cut.size >= PARTS_MAX || cut.has(name)) return
      parts.set(whole, cut.set(name, part))
      wholes.set(part, whole)
      count(company, part, part.bytes.length + ANSWER_OVERHEAD_BYTES)
    },

    /**
     * The answer's bytes in a compressed form.
     *
     * @returns null when too much is being compressed already: the answer is then sent as it is
     */
    encoded(company: string, answer: WholeAnswer, encoding: Encoding): Buffer | Promise<Buffer> | null {
      const known = forms.get(answer)
      if (known !== undefined) return known(encoding)
      const own = formsOf(company, answer)
      forms.set(answer, own)
      return own(encoding)
    },

    stats: () => ({ answers: kept.size, bytes: kept.calculatedSize }),
  }
}

/**
 * A weak entity tag (RFC 9110, 8.8.1): answers of the same facts have the same one, in whatever form they are sent and
 * however old they are.
 */
export function createWeakEtag(facts: string): string {
  return `W/${createEtag(facts)}`
}

/** A strong entity tag (RFC 9110, 8.8.1) of bytes that are sent as they are: 132 bits of their SHA-256. */
export function createEtag(content: Buffer | string): string {
  return `"${hash('sha256', content, 'base64url').slice(0, 22)}"`
}

/** The same facts in another language are another representation, whatever form it is sent in. */
export function tagIn(etag: string, language: 'en'): string {
  return `${etag.slice(0, -1)}-${language}"`
}

/** RFC 9110, 8.8.3.3: a compressed form is another representation, so its strong tag is another one; a weak one is the same. */
export function etagOf(etag: string, encoding: Encoding | null): string {
  return encoding === null || etag.startsWith('W/') ? etag : `${etag.slice(0, -1)}-${encoding}"`
}

const ADMITTED_SHARE = 1 / 8

/** One who asks for one part after another has no more than these of a company kept. */
const PARTS_MAX = 8

/**
 * What one answer costs beside its bytes: its objects, its headers' strings and its place in the LRU.
 */
const ANSWER_OVERHEAD_BYTES = 1000

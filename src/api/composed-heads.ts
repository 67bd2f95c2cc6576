import type { WholeAnswer } from '#src/cache/answers.ts'
import type { CacheStatus } from '#src/record/company-reading.ts'
import { headLines } from '../http/server/composed-response.ts'
import { type AnswerForm, answerHead, FORMS } from './answer-head.ts'

/** `from` and `until`, epoch milliseconds: before and after it says something else. */
type Composed = { text: string; from: number; until: number }

const FORM_COUNT = Object.keys(FORMS).length
const PLACES = new Map<AnswerForm, number>(Object.values(FORMS).map((form, place) => [form, place]))

/**
 * The lines of a held answer's head that are the same for all who ask in the same second: composed by the first of them. What
 * they say changes when a second of the answer's age begins, or one of what is left of its fresh time ends.
 *
 * @param more names and values in turn that stand in each
 * @param onHttps and in those that are sent over https
 */
export function createComposedHeads(more: readonly string[], onHttps: readonly string[]) {
  /** For as long as the answers are, and for so many of them. */
  let heads = new WeakMap<WholeAnswer, (Composed | undefined)[]>()
  let count = 0
  const constant = new WeakMap<readonly string[], string>()

  function constantLines(headers: readonly string[]): string {
    const known = constant.get(headers)
    if (known !== undefined) return known
    const made = headLines(headers)
    constant.set(headers, made)
    return made
  }

  function compose(
    answer: WholeAnswer,
    came: CacheStatus,
    form: AnswerForm,
    isHttps: boolean,
    now: number,
  ): string {
    const { constant, own } = answerHead(answer, came, form, now)
    return constantLines(constant) + headLines([...own, ...more, ...(isHttps ? onHttps : [])])
  }

  return {
    /** Each line with its end. */
    lines: compose,

    /** The same of an answer that is held and will be asked for again; it must have come the same way each time. */
    heldLines(
      answer: WholeAnswer,
      came: CacheStatus,
      form: AnswerForm,
      isHttps: boolean,
      now: number,
    ): string {
      const place = (PLACES.get(form) ?? 0) + (isHttps ? FORM_COUNT : 0)
      let known = heads.get(answer)
      const found = known?.[place]
      if (found !== undefined && now >= found.from && now < found.until) return found.text
      if (known === undefined) {
        if (count >= HEADS_MAX) heads = new WeakMap()
        count = count >= HEADS_MAX ? 1 : count + 1
        known = new Array(2 * FORM_COUNT).fill(undefined)
        heads.set(answer, known)
      }
      const text = inOnePiece(compose(answer, came, form, isHttps, now))
      known[place] = { text, from: now, until: sameUntil(answer, now) }
      return text
    },
  }
}

/** A kilobyte each, and another for each further form. */
const HEADS_MAX = 4000

/** What is put together of many pieces is looked for piece by piece each time it is written. */
function inOnePiece(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}

/** When its age, or what is left of its fresh time, is another number of whole seconds. */
function sameUntil({ fetchedAtOldest, freshUntil }: WholeAnswer, now: number): number {
  const olderAt = now < fetchedAtOldest ? fetchedAtOldest : now + 1000 - ((now - fetchedAtOldest) % 1000)
  const left = freshUntil - now
  // Whole seconds are rounded down: a millisecond after a whole one is left it is one less.
  const lessAt = now + (((left % 1000) + 1000) % 1000) + 1
  return Math.min(olderAt, lessAt)
}

import type { Policy } from '#config/policy.ts'
import { createAllowance } from '#src/cache/allowance.ts'
import type { Answers } from '#src/cache/answers.ts'
import type { Cache } from '#src/cache/cache.ts'
import { createReadLately } from '#src/cache/read-lately.ts'
import type { SharedAnswer, SharedForm } from '#src/cache/redis-held.ts'
import { createSharedLately } from '#src/cache/shared-lately.ts'
import type { Clock } from '#src/core/clock.ts'
import { type Assembled, type FromShared, fromShared, toShared } from './assembled.ts'
import type { PartOfRecord } from './fields.ts'
import { askedAtOnceOfRegisters, type ServedPart } from './read.ts'

export type SharedRecords = ReturnType<typeof createSharedRecords>

/**
 * Whole records as they lie in the shared tier, packed, for whoever reads them next in whatever process: taken from there rather than
 * made again of the same copies.
 *
 * @param madeUnder everything a record depends on beside its copies, as one word: who has another makes another. Null: not known, so
 *   nothing is shared
 */
export function createSharedRecords({
  cache,
  answers,
  madeUnder,
  clock,
  policy,
}: {
  cache: Pick<Cache, 'mayShare' | 'sharedAnswer' | 'sharing' | 'sharePlain' | 'onChange'>
  answers: Pick<Answers<Assembled>, 'admits' | 'put' | 'encoded'>
  madeUnder: () => string | null
  clock: Clock
  policy: Pick<
    Policy['cache'],
    'sharedAnswerMs' | 'shareAgainMs' | 'sharedPlainBytesMax' | 'readLatelyPlaces'
  >
}) {
  const readLately = createReadLately({ forMs: policy.sharedAnswerMs, places: policy.readLatelyPlaces })
  const sharedLately = createSharedLately({ places: policy.readLatelyPlaces })
  cache.onChange((subject) => {
    if ('company' in subject) sharedLately.forget(subject.company)
    else sharedLately.forgetAll()
  })
  const maySharePlain = createAllowance({
    bytesMax: policy.sharedPlainBytesMax,
    withinMs: policy.sharedAnswerMs,
  })

  /**
   * The whole answer as it lies in the shared tier, for a company that memory has nothing of, or of whose copies there one was put
   * there. Without one, what the tier holds of the company is at hand after this.
   *
   * @returns asks for it, in the form it is to be sent in if it lies there so; null when there is nothing to be asked
   */
  function shared(orgnr: string): ((form: SharedForm) => Promise<Assembled | null>) | null {
    const under = madeUnder()
    if (under === null) return null
    if (cache.mayShare(orgnr)) return (form) => askShared(orgnr, under, form, null)
    const of = sharedLately.lies(orgnr, under, clock.now().getTime())
    return of !== null && cache.mayShare(orgnr, { lies: true })
      ? (form) => askShared(orgnr, under, form, of)
      : null
  }

  /** @param of another than one of these copies will not do; null: memory has none */
  async function askShared(
    orgnr: string,
    under: string,
    form: SharedForm,
    of: number | null,
  ): Promise<Assembled | null> {
    // Of what memory holds nothing is about to be filled.
    const begins = of === null ? askedAtOnceOfRegisters : []
    const found = await cache.sharedAnswer(orgnr, under, form, begins)
    // What was asked for is what would be made now.
    if (madeUnder() !== under) return null
    const now = clock.now().getTime()
    const answer = found && fromShared(found, orgnr, now)
    const isUnpackedNow = form === 'plain' && answer !== null && answer.gzip !== null
    const isIt = answer !== null && (of === null || answer.copies === of)
    if (found === null || !isIt || (isUnpackedNow && !sharePlain(orgnr, answer, found, now))) {
      sharedLately.forget(orgnr)
      return null
    }
    const { heldBytes } = answer
    // Nothing was heard of the company since it was asked for, so it is as good as if it had been made here.
    if (answers.admits(orgnr, heldBytes))
      answers.put(orgnr, answer.toHold(), { knownAt: found.at, heldBytes })
    return answer
  }

  /** For who reads it so next: to unpack an answer costs as much as all else that is done with it. False: it can not be. */
  function sharePlain(orgnr: string, answer: FromShared, beside: SharedAnswer, now: number): boolean {
    try {
      const { bytes } = answer
      if (maySharePlain(bytes.length, now))
        void cache.sharePlain(orgnr, toShared(answer, 'plain', bytes), beside)
      return true
    } catch {
      return false
    }
  }

  /** For who reads it next, in whatever process: of a company that is read again and again, made of what is fresh. */
  function share(
    orgnr: string,
    answer: Assembled,
    parts: readonly ServedPart[],
    { komplett }: Pick<PartOfRecord, 'komplett'>,
  ): void {
    const now = clock.now().getTime()
    const under = madeUnder()
    const keepForMs = Math.min(policy.sharedAnswerMs, answer.validUntil - now)
    if (!readLately.again(orgnr, now) || under === null || !komplett || answer.isStale) return
    // What a parent says is kept with the parent: nobody would take this away when that changes.
    if (answer.companies.length > 1 || keepForMs <= 0) return
    // Put together again of what memory holds: the very same lies there.
    const of = parts.reduce((sum, { served }) => sum + served.entry.fetchedAt, 0)
    if (sharedLately.has(orgnr, of, under, now)) return
    const keep = cache.sharing(
      orgnr,
      parts.map(({ source }) => source),
      under,
    )
    const gzip = keep && answers.encoded(orgnr, answer, 'gzip')
    if (keep === null || gzip === null) return
    sharedLately.note(orgnr, of, now + Math.min(keepForMs, policy.shareAgainMs), { isTaken: false })
    // Behind the reader's back; Redis itself looks whether it is still true.
    void Promise.resolve(gzip)
      .then((packed) =>
        keep(toShared({ ...answer, copies: of }, 'gzip', packed, answer.bytes.length), keepForMs),
      )
      .then((isKept) => {
        // Nothing was heard of its copies meanwhile.
        if (isKept && sharedLately.has(orgnr, of, under, now))
          sharedLately.note(orgnr, of, now + keepForMs, { isTaken: true })
      })
      .catch(() => {})
  }

  return { shared, share }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { WholeAnswer } from '#src/cache/answers.ts'
import type { Clock } from '#src/core/clock.ts'
import { createLoopTurns } from '#src/core/loop-turns.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { createTurns, NoTurnError, RANK } from '#src/core/turns.ts'
import type { CompanyReader } from './company-reader.ts'
import { type CompanyReading, HELD } from './company-reading.ts'
import type { Field } from './fields.ts'

type Reading = CompanyReading<WholeAnswer>
/** `erased`: who had been removed, or hidden, when it was there. */
type Come = { reading: Reading; erased: string }
type Ahead = { orgnr: Organisasjonsnummer; coming: Come | Promise<Come> }

/** At hand and handed over together, where they are so short that as many bytes as go together would be thousands of them. */
const RUN_MAX = 128

export type ManyReader = ReturnType<typeof createManyReader>

/**
 * Many companies for one caller, in the order asked, as each is there. What is held costs no turn. For the rest a caller has
 * equal turns with others who ask for many, fewer places than a single look-up finds, and at every guard single look-ups go
 * first (P93): what is missing because its turn did not come is waited for and asked again, not left out.
 */
export function createManyReader({
  reader,
  erased,
  clock,
  policy,
}: {
  reader: Pick<CompanyReader, 'readPart'> & {
    held(orgnr: string): unknown
    atHand(orgnr: string, fields: readonly Field[] | null, at: number): WholeAnswer | null
    read(...asked: Parameters<CompanyReader['read']>): Promise<Reading>
  }
  /** Another word for each set of companies that were removed, of these alone when they are named, and of people who were hidden. */
  erased: (named?: ReadonlySet<string>) => string
  clock: Clock
  policy: Record<
    'atOnce' | 'forOneMax' | 'waitingMax' | 'aheadMax' | 'turnMs' | 'patienceMs' | 'askAgainMs',
    number
  >
}) {
  const loop = createLoopTurns(policy.turnMs)
  const turns = createTurns({
    atOnce: policy.atOnce,
    atOnceForOne: policy.forOneMax,
    waitingMax: policy.waitingMax,
  })

  type Wish = { fields: readonly Field[] | null; caller: string; signal: AbortSignal; bytesTogether?: number }

  async function ask(orgnr: Organisasjonsnummer, { fields, caller }: Wish): Promise<Reading> {
    const who = { fersk: false, caller, rank: RANK.many }
    return fields === null ? reader.read(orgnr, who) : reader.readPart(orgnr, fields, who)
  }

  /** A turn that did not come at one of the sources comes later: the rest is at hand by then, and only that is asked for. */
  async function askPatiently(orgnr: Organisasjonsnummer, wish: Wish): Promise<Reading> {
    const until = performance.now() + policy.patienceMs
    while (true) {
      // Of copies that are at hand it is put together without anything being waited for, and so is the next that has its place then.
      if (loop.isOver()) await loop.next(wish.caller)
      wish.signal.throwIfAborted()
      const reading = await ask(orgnr, wish)
      const isLate =
        reading.outcome === 'crowded' || (reading.outcome === 'record' && reading.lacking === 'turn')
      if (!isLate || performance.now() >= until) return reading
      await pause(policy.askAgainMs, undefined, { signal: wish.signal })
    }
  }

  /** Null when it has to be waited for. */
  function atOnce(orgnr: Organisasjonsnummer, { fields }: Wish, at: number): Reading | null {
    const answer = reader.atHand(orgnr, fields, at)
    return answer && { outcome: 'record', answer, came: HELD, lacking: null, forced: null }
  }

  async function inTurn(orgnr: Organisasjonsnummer, wish: Wish): Promise<Reading> {
    if (reader.held(orgnr) !== null) return ask(orgnr, wish)
    try {
      return await turns.run(
        { of: wish.caller, rank: RANK.many },
        () => askPatiently(orgnr, wish),
        wish.signal,
      )
    } catch (error) {
      if (error instanceof NoTurnError) return { outcome: 'crowded', isOwn: false, forced: null }
      throw error
    }
  }

  /** With who had been removed by then. Until it is waited for its failure is nobody's. */
  function come(reading: Promise<Reading>): Promise<Come> {
    const there = reading.then((each) => ({ reading: each, erased: erased() }))
    there.catch(() => {})
    return there
  }

  /**
   * What was there while others were waited for names whom it may name no more: it is asked for again. Most of it is at hand, and for what
   * was forgotten with who was hidden there may be no turn at once.
   */
  async function asOfNow({ orgnr, coming }: Ahead, wish: Wish): Promise<Reading> {
    const { reading, erased: then } = await coming
    return reading.outcome !== 'record' || then === erased() ? reading : askPatiently(orgnr, wish)
  }

  return {
    erased,

    /**
     * @param wish.fields null: all of each
     * @param wish.signal nobody waits any more
     * @param wish.bytesTogether so much is handed over at a time; however much it is when it is left out
     * @returns in the order asked, those together that are at hand one after the other
     * @throws the signal's reason
     */
    async *read(orgnrs: Iterable<Organisasjonsnummer>, wish: Wish): AsyncGenerator<Reading[]> {
      /** There already, and nothing before them is waited for. */
      let ready: Reading[] = []
      let readyBytes = 0
      const { bytesTogether = Number.POSITIVE_INFINITY } = wish
      /** When those of one run are looked for. */
      let at = 0
      /** The first is waited for, and behind it also others that are there. */
      const ahead: Ahead[] = []
      const take = (reading: Reading) => {
        ready.push(reading)
        if (reading.outcome === 'record') readyBytes += reading.answer.bytes.length
      }
      const taken = (): Reading[] => {
        const run = ready
        ready = []
        readyBytes = 0
        return run
      }
      /** The first of those ahead, and what is there behind it. */
      const awaited = async () => {
        const first = ahead.shift()
        if (first !== undefined) take(await asOfNow(first, wish))
        for (let [next] = ahead; next !== undefined; [next] = ahead) {
          const { coming } = next
          if (coming instanceof Promise || coming.erased !== erased()) break
          take(coming.reading)
          ahead.shift()
        }
      }
      for (const orgnr of orgnrs) {
        // What is held comes without anything being waited for, and so does what whoever takes it makes of it: hundreds of them
        // would be one turn of the process, in which nobody else is heard (P99). To look for one that is held takes no time.
        if (ready.length === 0 || ahead.length > 0) {
          if (loop.isOver()) {
            if (ready.length > 0) yield taken()
            await loop.next(wish.caller)
          }
          wish.signal.throwIfAborted()
          at = clock.now().getTime()
        }
        const reading = atOnce(orgnr, wish, at)
        if (reading !== null && ahead.length === 0) {
          take(reading)
          if (readyBytes >= bytesTogether || ready.length >= RUN_MAX) yield taken()
          continue
        }
        const coming = reading === null ? come(inTurn(orgnr, wish)) : { reading, erased: erased() }
        ahead.push({ orgnr, coming })
        if (ahead.length < policy.aheadMax) continue
        if (ready.length > 0) yield taken()
        await awaited()
        yield taken()
      }
      if (ready.length > 0) yield taken()
      while (ahead.length > 0) {
        if (loop.isOver()) await loop.next(wish.caller)
        await awaited()
        yield taken()
      }
    },

    /**
     * To be waited for before more is made for this caller where no company is looked for, as of what is no number: that takes as
     * long as of one that is held. Null: there is time now.
     */
    turn: (caller: string): Promise<void> | null => (loop.isOver() ? loop.next(caller) : null),

    /** How many companies wait for their turn. */
    waiting: turns.waiting,
  }
}

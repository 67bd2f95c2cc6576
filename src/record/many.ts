import { setTimeout as pause } from 'node:timers/promises'
import type { WholeAnswer } from '#src/cache/answers.ts'
import { createLoopTurns } from '#src/core/loop-turns.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { createTurns, NoTurnError, RANK } from '#src/core/turns.ts'
import type { CompanyReader } from './company-reader.ts'
import { type CompanyReading, HELD } from './company-reading.ts'
import type { Field } from './fields.ts'

type Reading = CompanyReading<WholeAnswer>

/** At hand and handed over together: making something of so many takes a moment as well. */
const RUN_MAX = 16

export type ManyReader = ReturnType<typeof createManyReader>

/**
 * Many companies for one caller, in the order asked, as each is there. What is held costs no turn. For the rest a caller has
 * equal turns with others who ask for many, fewer places than a single look-up finds, and at every guard single look-ups go
 * first (P93): what is missing because its turn did not come is waited for and asked again, not left out.
 */
export function createManyReader({
  reader,
  policy,
}: {
  reader: Pick<CompanyReader, 'readPart'> & {
    held(orgnr: string): unknown
    atHand(orgnr: string, fields: readonly Field[] | null): WholeAnswer | null
    read(...asked: Parameters<CompanyReader['read']>): Promise<Reading>
  }
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

  type Wish = { fields: readonly Field[] | null; caller: string; signal: AbortSignal }

  async function ask(orgnr: Organisasjonsnummer, { fields, caller }: Wish): Promise<Reading> {
    const who = { fersk: false, caller, rank: RANK.many }
    return fields === null ? reader.read(orgnr, who) : reader.readPart(orgnr, fields, who)
  }

  /** A turn that did not come at one of the sources comes later: the rest is at hand by then, and only that is asked for. */
  async function askPatiently(orgnr: Organisasjonsnummer, wish: Wish): Promise<Reading> {
    const until = performance.now() + policy.patienceMs
    while (true) {
      const reading = await ask(orgnr, wish)
      const isLate =
        reading.outcome === 'crowded' || (reading.outcome === 'record' && reading.lacking === 'turn')
      if (!isLate || performance.now() >= until) return reading
      await pause(policy.askAgainMs, undefined, { signal: wish.signal })
    }
  }

  /** Null when it has to be waited for. */
  function atOnce(orgnr: Organisasjonsnummer, { fields }: Wish): Reading | null {
    const answer = reader.atHand(orgnr, fields)
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
      if (error instanceof NoTurnError) return { outcome: 'crowded', forced: null }
      throw error
    }
  }

  return {
    /**
     * @param wish.fields null: all of each
     * @param wish.signal nobody waits any more
     * @returns in the order asked, those together that are at hand one after the other
     * @throws the signal's reason
     */
    async *read(orgnrs: Iterable<Organisasjonsnummer>, wish: Wish): AsyncGenerator<Reading[]> {
      /** Those that are there, and behind the first that is not also others. */
      const ahead: (Reading | Promise<Reading>)[] = []
      const settled = (reading: Promise<Reading>) => {
        // It is waited for in its order; until then its failure is nobody's.
        reading.catch(() => {})
        return reading
      }
      const run = (): Reading[] => {
        const waited = ahead.findIndex((reading) => reading instanceof Promise)
        return ahead.splice(0, waited === -1 ? ahead.length : waited) as Reading[]
      }
      for (const orgnr of orgnrs) {
        // What is held comes without anything being waited for, and so does what whoever takes it makes of it: hundreds of them
        // would be one turn of the process, in which nobody else is heard (P99).
        if (loop.isOver()) {
          const ready = run()
          if (ready.length > 0) yield ready
          await loop.next()
        }
        wish.signal.throwIfAborted()
        ahead.push(atOnce(orgnr, wish) ?? settled(inTurn(orgnr, wish)))
        const [first] = ahead
        if (first instanceof Promise) {
          if (ahead.length < policy.aheadMax) continue
          ahead.shift()
          yield [await first]
        } else if (ahead.length >= RUN_MAX) yield run()
      }
      while (ahead.length > 0) {
        if (loop.isOver()) await loop.next()
        const ready = run()
        if (ready.length > 0) yield ready
        const first = ahead.shift()
        if (first !== undefined) yield [await first]
      }
    },

    /** How many companies wait for their turn. */
    waiting: turns.waiting,
  }
}

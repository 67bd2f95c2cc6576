import type { Clock } from '#src/core/clock.ts'
import type { Unit } from '#src/record/sections/foretak.ts'
import type { Enhet, RegisterUnderenhet, SlettetEnhet } from '#src/sources/enhetsregisteret/schema.ts'
import type { RegisterSearch } from '#src/sources/enhetsregisteret/search.ts'
import { noSearchTurns } from './in-turn.ts'
import { createSearch, type Search } from './search.ts'

/**
 * The same search among a handful of companies that are at hand: all of them are ranked for each question, so that typing
 * errors, former names and beginnings are found as in the index.
 *
 * @param units asked for each question
 */
export function searchAmong({
  units,
  clock,
}: {
  units: () => Promise<ReadonlyMap<string, Unit>>
  clock: Clock
}): Pick<Search, 'sok' | 'forslag' | 'finn'> {
  const fetchedAt = () => clock.now()
  const isMain = (unit: Unit): unit is Enhet | SlettetEnhet => unit.respons_klasse !== 'Underenhet'
  const absent = () => ({ outcome: 'absent' as const, fetchedAt: fetchedAt() })
  const found = <T>(value: T) => ({ outcome: 'found' as const, value, avvik: [], fetchedAt: fetchedAt() })
  const sources = {
    async enhet(orgnr: string) {
      const unit = (await units()).get(orgnr)
      return unit !== undefined && isMain(unit) ? found(unit) : absent()
    },
    async underenhet(orgnr: string) {
      const unit = (await units()).get(orgnr)
      return unit !== undefined && !isMain(unit) ? found<RegisterUnderenhet | SlettetEnhet>(unit) : absent()
    },
    /** All of them, once: whichever way a register would be asked, it is the ranking that finds. */
    async sok({ metode }: RegisterSearch) {
      const treff = metode === null ? [] : [...(await units()).values()].filter(isMain)
      return found({ treff, totalt: treff.length })
    },
  }
  return createSearch({
    db: { query: async () => [] },
    index: () => null,
    turns: noSearchTurns,
    cached: { forReader: () => ({ sources }) },
    isErased: () => false,
    clock,
    log: { warn() {} },
    deadlineMs: 10_000,
    policy: { limitMs: 10_000, candidatesMax: 100 },
  })
}

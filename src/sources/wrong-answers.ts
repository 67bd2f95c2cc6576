import { createLru } from '#src/core/lru.ts'
import { SourceError } from './source.ts'

/**
 * About which companies a source has lately answered wrongly, or not in time. That may be of a source that fails, or be so each time that
 * company is asked about: its answer is too large, of another shape, or too much for the register to put together. The first is counted
 * against the source, and those after it, for as long as the company is asked about, say nothing more. So it takes many companies to
 * have a source left alone, not a few that are read all the time.
 *
 * After the second it is asked about that company once in a while: those who read it meanwhile would wait for as long as they have, and
 * hold the places of others, to hear the same.
 */
export function createWrongAnswers({
  companiesMax,
  forMs,
  restMs,
}: {
  companiesMax: number
  forMs: number
  restMs: number
}) {
  /** `restsUntilMs` null: it was wrong once, which may be chance. */
  const said = createLru<string, { atMs: number; restsUntilMs: number | null }>(companiesMax)

  function known(company: string) {
    const one = said.get(company)
    return one !== undefined && performance.now() - one.atMs < forMs ? one : null
  }

  return {
    isKnown: (company: string): boolean => known(company) !== null,
    /** @returns whether it is wrong again: it has been counted */
    isAgain(company: string): boolean {
      const isAgain = known(company) !== null
      const atMs = performance.now()
      said.set(company, { atMs, restsUntilMs: isAgain ? atMs + restMs : null })
      return isAgain
    },
    /** Who goes on asking keeps it known. */
    keep(company: string): void {
      const one = said.get(company)
      if (one !== undefined) one.atMs = performance.now()
    },
    /** Whoever is told that it does not rest is the one to ask: the others are told that it does. */
    isResting(company: string): boolean {
      const one = known(company)
      if (one === null || one.restsUntilMs === null) return false
      const nowMs = performance.now()
      if (nowMs < one.restsUntilMs) return true
      one.restsUntilMs = nowMs + restMs
      return false
    },
    /** Whoever was to ask had no turn. */
    wasNotAsked(company: string): void {
      const one = said.get(company)
      if (one !== undefined && one.restsUntilMs !== null) one.restsUntilMs = performance.now()
    },
    right: (company: string): void => void said.delete(company),
  }
}

/** That it has no time now, or can not be reached, a source says of itself. */
export function isOfOneAnswer(error: unknown): error is SourceError {
  if (!(error instanceof SourceError)) return false
  const isOfSource = error.status !== null && [429, 502, 503, 504].includes(error.status)
  return OF_AN_ANSWER.has(error.failure) && !isOfSource
}

const OF_AN_ANSWER: ReadonlySet<string> = new Set(['feilstatus', 'ugyldig_svar', 'feil_foretak', 'tidsfrist'])

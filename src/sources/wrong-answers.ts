import { createLru } from '#src/core/lru.ts'
import { SourceError } from './source.ts'

/**
 * About which companies a source has lately answered wrongly, or not in time. That may be of a source that fails, or be so each time that
 * company is asked about: its answer is too large, of another shape, or too much for the register to put together. The first is counted
 * against the source, and those after it, for as long as the company is asked about, say nothing more. So it takes many companies to
 * have a source left alone, not a few that are read all the time.
 */
export function createWrongAnswers({ companiesMax, forMs }: { companiesMax: number; forMs: number }) {
  const saidAtMs = createLru<string, number>(companiesMax)

  function isKnown(company: string): boolean {
    const atMs = saidAtMs.get(company)
    return atMs !== undefined && performance.now() - atMs < forMs
  }

  /** Who goes on asking keeps it known. */
  const keep = (company: string): void => void saidAtMs.set(company, performance.now())

  return {
    isKnown,
    /** @returns whether it is wrong again: it has been counted */
    isAgain(company: string): boolean {
      const isAgain = isKnown(company)
      keep(company)
      return isAgain
    },
    keep,
    right: (company: string): void => void saidAtMs.delete(company),
  }
}

/** That it has no time now, or can not be reached, a source says of itself. */
export function isOfOneAnswer(error: unknown): error is SourceError {
  if (!(error instanceof SourceError)) return false
  const isOfSource = error.status !== null && [429, 502, 503, 504].includes(error.status)
  return OF_AN_ANSWER.has(error.failure) && !isOfSource
}

const OF_AN_ANSWER: ReadonlySet<string> = new Set(['feilstatus', 'ugyldig_svar', 'feil_foretak', 'tidsfrist'])

import { createLru } from '#src/core/lru.ts'
import { SourceError } from './source.ts'

/**
 * Of which companies a source has answered wrongly lately. One answer that is wrong may be of a source that fails, or be wrong by
 * itself, as one too large or of another shape is each time it is asked for: the first is counted against the source, and those of the
 * same company after it say nothing more. So it takes many companies to have a source left alone, not one that is read all the time.
 */
export function createWrongAnswers({ companiesMax, forMs }: { companiesMax: number; forMs: number }) {
  const saidAtMs = createLru<string, number>(companiesMax)

  function isKnown(company: string): boolean {
    const atMs = saidAtMs.get(company)
    return atMs !== undefined && performance.now() - atMs < forMs
  }

  return {
    isKnown,
    /** @returns whether it is wrong again: it has been counted */
    isAgain(company: string, error: unknown): boolean {
      if (!isOfOneAnswer(error)) return false
      const isAgain = isKnown(company)
      if (!isAgain) saidAtMs.set(company, performance.now())
      return isAgain
    },
    /** Who goes on asking keeps it known. */
    keep: (company: string): void => void saidAtMs.set(company, performance.now()),
    right: (company: string): void => void saidAtMs.delete(company),
  }
}

/** That it has no time now, a source says of itself. */
function isOfOneAnswer(error: unknown): boolean {
  if (!(error instanceof SourceError)) return false
  const isOfSource = error.status !== null && [429, 502, 503, 504].includes(error.status)
  return OF_AN_ANSWER.has(error.failure) && !isOfSource
}

const OF_AN_ANSWER: ReadonlySet<string> = new Set(['feilstatus', 'ugyldig_svar', 'feil_foretak'])

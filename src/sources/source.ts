import { OppslagError } from '#src/core/errors.ts'
import type { Turn } from '#src/core/turns.ts'

/**
 * What a source said. All four are answers; a source that could not be heard or believed throws a SourceError.
 *
 * - `found`: the body is believed. `avvik` names what in it had the wrong shape: null in the value, or left out of it.
 * - `absent`: the source answered that it has nothing here (an empty 404).
 * - `removed`: HTTP 410, taken out of what is open: nothing of what the source gave may be kept or shown, and where it is the
 *   unit itself, nothing of the company.
 * - `unsupported`: the source says it can not serve this company, now or later (HTTP 500 for banks and insurers in the
 *   accounts register). `certain` is false when the register gave its general error text, which also stands for outages.
 */
export type Answer<T> =
  | { outcome: 'found'; value: T; avvik: string[]; fetchedAt: Date }
  | { outcome: 'absent'; fetchedAt: Date }
  | { outcome: 'removed'; slettedato: string | null; fetchedAt: Date }
  | { outcome: 'unsupported'; certain: boolean; fetchedAt: Date }

/** Why a source could not be heard or believed. These words are shown in the record as `arsak.kode`. */
export type SourceFailure =
  /** no answer within the deadline */
  | 'tidsfrist'
  /** connection refused, reset, or no such host */
  | 'nettverk'
  /** 5xx, 429, or any status that has no meaning here */
  | 'feilstatus'
  /** a redirect, the wrong content type, too large, not JSON, a wrong shape */
  | 'ugyldig_svar'
  /** the answer is about another company */
  | 'feil_foretak'
  /** our own ceiling on calls to this source is reached */
  | 'budsjett_brukt'
  /** switched off by configuration */
  | 'avslatt'
  /** it has been failing, and is left alone for a while */
  | 'sperret'
  /** as many calls as are allowed are already on their way */
  | 'opptatt'
  /** a fault of our own code, which stands in the log with its stack; no SourceError has it */
  | 'intern_feil'

export class SourceError extends OppslagError {
  /** Whose answer it was to be: a source's name, or that of another list the service reads. */
  readonly source: string
  readonly failure: SourceFailure
  /** Upstream's HTTP status, when there was one. */
  readonly status: number | null
  /** Seconds from upstream's Retry-After, when it sent one that could be read. */
  readonly retryAfterSeconds: number | null
  /** JSON pointer to what in the answer was refused; null when it was not one place in it, '' when it was all of it. */
  readonly field: string | null

  constructor(
    source: string,
    failure: SourceFailure,
    message: string,
    facts: {
      status?: number
      retryAfterSeconds?: number | null
      field?: string | null
      cause?: unknown
    } = {},
  ) {
    super(`kilde_${failure}`, message, { cause: facts.cause })
    this.source = source
    this.failure = failure
    this.status = facts.status ?? null
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null
    this.field = facts.field ?? null
  }
}

/**
 * One call in flight: the caller's deadline and cancellation, and whose turn it takes wherever there is a line, handed down
 * unchanged. Whoever calls for nobody in particular leaves `turn` out: all such share the turns of one. `about` is the company it is
 * about, where it is about one. `noteWait` is told whenever it begins to wait in a line of ours, and when the source is asked.
 */
export type SourceCall = {
  signal: AbortSignal
  turn?: Turn
  about?: string
  noteWait?: (isWaiting: boolean) => void
}

export const NOBODYS_TURN: Turn = { of: '', rank: 0 }

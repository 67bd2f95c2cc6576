import { OppslagError } from '#src/core/errors.ts'

/** Redis did not confirm a change that must reach it. It is done in this process; do it again until it does not throw. */
export class CacheUnavailableError extends OppslagError {
  /** What was asked of Redis, and how it failed, in words of ours: Redis' own errors repeat what they were sent. */
  readonly operation: string
  readonly why: string

  constructor(operation: string, why: string) {
    super('mellomlager_utilgjengelig', `The cache's Redis did not carry out ${operation}: ${why}`)
    this.operation = operation
    this.why = why
  }
}

/** The company was removed on legal grounds: nothing of it may be shown or kept, whatever is at hand. */
export class CompanyErasedError extends OppslagError {
  constructor() {
    super('foretak_fjernet', 'The company has been erased')
  }
}

/** The source had not answered when the fill's own deadline came. An outage like any other. */
export class FillDeadlineError extends OppslagError {
  constructor(deadlineMs: number) {
    super('mellomlager_tidsfrist', `No answer within ${deadlineMs} ms`)
  }
}

/** More fills are under way than the process allows at once. */
export class FillsExceededError extends OppslagError {
  constructor(fillsMax: number) {
    super('mellomlager_opptatt', `${fillsMax} fills are under way already`)
  }
}

/** What the source answered may not replace the copy at hand: it is taken for a fault of the source. */
export class AnswerDoubtedError extends OppslagError {
  readonly state: string

  constructor(state: string) {
    super('mellomlager_svar_betvilt', `The answer "${state}" may not replace the copy at hand`)
    this.state = state
  }
}

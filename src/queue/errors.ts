import { OppslagError } from '#src/core/errors.ts'

/** The queue's server was not there, broke off or had no time. Nothing is known of what was asked of it. */
export class QueueUnavailableError extends OppslagError {
  constructor(cause: unknown) {
    super('ko_utilgjengelig', 'the queue can not be used now', { cause })
  }
}

/** The queue's Redis may throw jobs away when its memory is full. It is not used at all. */
export class QueueMayEvictError extends OppslagError {
  /** The `maxmemory-policy` that was found; null when Redis did not tell. */
  readonly policy: string | null

  constructor(policy: string | null) {
    super(
      'ko_kan_kaste_jobber',
      `QUEUE_REDIS_URL: found maxmemory-policy ${policy ?? 'unknown'}, expected noeviction, since a Redis that evicts loses ` +
        'jobs. The policy holds for the whole server: give the queue a Redis of its own, or none, and it uses PostgreSQL.',
    )
    this.policy = policy
  }
}

/**
 * The queue's server answers, and takes nothing: it is full, has no room on disk, follows another server, or lets no jobs be made by
 * scripts. Nothing is lost by it.
 */
export class QueueRefusesError extends OppslagError {
  /** The server's own word for it: OOM, MISCONF, READONLY, NOPERM, CROSSSLOT, …, or PostgreSQL's SQLSTATE. */
  readonly reason: string

  constructor(reason: string, cause?: unknown) {
    super('ko_tar_ikke_imot', `the queue's server takes no jobs (${reason})`, { cause })
    this.reason = reason
  }
}

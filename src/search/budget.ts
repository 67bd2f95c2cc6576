import { within } from '#src/core/wait.ts'
import { StorageUnavailableError } from '#src/storage/database.ts'

/**
 * The time one search may take, all its steps together. A step that is begun is waited for until it is used up, and no longer:
 * what is missing then is said to be.
 */
export function createBudget(limitMs: number, now: () => number = () => performance.now()) {
  const endsAt = now() + limitMs
  let isCut = false

  return {
    /** True when a step was not heard to the end. */
    isCut: () => isCut,

    /** @returns `otherwise` when the time is up, before or meanwhile */
    async within<T>(step: () => Promise<T>, otherwise: NoInfer<T>): Promise<T> {
      const leftMs = endsAt - now()
      if (leftMs <= 0) {
        isCut = true
        return otherwise
      }
      try {
        const found = await within(step(), leftMs, (): typeof LATE => LATE)
        if (found !== LATE) return found
      } catch (error) {
        if (!isOutOfTime(error)) throw error
      }
      isCut = true
      return otherwise
    },
  }
}

export type TimeBudget = ReturnType<typeof createBudget>

const LATE = Symbol('late')

/** PostgreSQL ended the statement for its time: an answer of its own, and no outage. */
function isOutOfTime(error: unknown): boolean {
  return error instanceof StorageUnavailableError && error.reason === '57014'
}

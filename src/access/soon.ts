import { within } from '#src/core/wait.ts'
import { StorageUnavailableError } from '#src/storage/database.ts'

/** PostgreSQL counts as away when one row takes longer than this: nobody waits longer for an answer about a key. */
export const STORE_WAIT_MS = 1000

/** @throws StorageUnavailableError when it takes longer than STORE_WAIT_MS. */
export function soon<T>(answer: Promise<T>): Promise<T> {
  return within(answer, STORE_WAIT_MS, () => {
    throw new StorageUnavailableError(null)
  })
}

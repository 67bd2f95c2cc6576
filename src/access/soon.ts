import { StorageUnavailableError } from '#src/storage/database.ts'

/** PostgreSQL counts as away when one row takes longer than this: nobody waits longer for an answer about a key. */
export const STORE_WAIT_MS = 1000

/** @throws StorageUnavailableError when it takes longer than STORE_WAIT_MS. */
export async function soon<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StorageUnavailableError(null)), STORE_WAIT_MS)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

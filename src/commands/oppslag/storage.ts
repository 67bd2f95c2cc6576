import { readEnvironment } from '#config/environment.ts'
import type { Storage } from '#src/storage/open-storage.ts'
import { openCommandStorage } from '#src/wiring/command-storage.ts'

/**
 * Opens the database the environment names for as long as `work` runs, also beside a service that runs on it.
 *
 * @throws what readEnvironment and openCommandStorage throw
 */
export async function withStorage<T>(work: (storage: Storage) => Promise<T>): Promise<T> {
  const { databaseUrl, dataDir } = readEnvironment(process.env)
  const storage = await openCommandStorage({ databaseUrl, dataDir, poolMax: 1 })
  try {
    return await work(storage)
  } finally {
    await storage.close()
  }
}

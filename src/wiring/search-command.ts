import { readEnvironment } from '#config/environment.ts'
import { systemClock } from '#src/core/clock.ts'
import type { Storage } from '#src/storage/open-storage.ts'
import { type Build, readIndexState } from '#src/storage/search/build-state.ts'
import { countPending } from '#src/storage/search/changes.ts'
import { buryCompanies } from '#src/storage/tombstones.ts'
import { openCommandStorage } from './command-storage.ts'
import { openRegisters } from './registers.ts'
import { buildNow } from './search.ts'

/** What the command over the search index works with, for as long as `work` runs. */
export async function withSearchGround<T>(
  env: Readonly<Record<string, string | undefined>>,
  work: (ground: ReturnType<typeof groundOf>) => Promise<T>,
): Promise<T> {
  const environment = readEnvironment(env)
  const { databaseUrl, dataDir } = environment
  const storage = await openCommandStorage({ databaseUrl, dataDir, poolMax: 4 })
  const registers = openRegisters(environment)
  try {
    return await work(groundOf(storage, registers))
  } finally {
    await registers.close()
    await storage.close()
  }
}

function groundOf(storage: Storage, registers: ReturnType<typeof openRegisters>) {
  const { database } = storage
  return {
    database,

    async read() {
      const [state, pending] = await Promise.all([readIndexState(database), countPending(database)])
      return { state, pending }
    },

    /** Also when the files are those it was built from. */
    build: (signal: AbortSignal, onProgress: (build: Build) => void) =>
      buildNow(
        {
          storage,
          registers,
          // The worker's sweep erases whom it finds buried.
          remove: (removals) => buryCompanies(database, removals),
          clock: systemClock,
          log: { info() {}, warn() {} },
          signal,
          onProgress,
        },
        { isForced: true },
      ),
  }
}

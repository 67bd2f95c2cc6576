import { readEnvironment } from '#config/environment.ts'
import { type Clock, systemClock } from '#src/core/clock.ts'
import type { Storage } from '#src/storage/open-storage.ts'
import { createClockWatch } from '#src/wiring/clock-watch.ts'
import { openCommandStorage } from '#src/wiring/command-storage.ts'

/**
 * Opens the database the environment names for as long as `work` runs, also beside a service that runs on it.
 *
 * `clock`: PostgreSQL's, as the service dates by it, whatever the clock of this machine says. `salesClock`: for what nobody may date
 * while one of them is broken.
 *
 * @throws what readEnvironment and openCommandStorage throw
 */
export async function withStorage<T>(
  work: (storage: Storage & { clock: Clock; salesClock: Clock }) => Promise<T>,
): Promise<T> {
  const { databaseUrl, dataDir } = readEnvironment(process.env)
  const storage = await openCommandStorage({ databaseUrl, dataDir, poolMax: 1 })
  try {
    const clocks = createClockWatch(storage.database, systemClock)
    await clocks.look()
    return await work({ ...storage, clock: clocks.lenient, salesClock: clocks.common })
  } finally {
    await storage.close()
  }
}

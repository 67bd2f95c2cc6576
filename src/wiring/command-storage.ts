import { untilTold } from '#src/core/start.ts'
import { openStorage, type Storage } from '#src/storage/open-storage.ts'

/**
 * openStorage for a command, which may be the one who starts the embedded PostgreSQL: Ctrl-C, or a terminal that is closed, would leave
 * that running, with nobody to stop it. Where the command has no ending of its own, a signal ends it as ever, but closes this first; a
 * second one at once.
 *
 * @throws EndedWhileStarting when it is told to end while PostgreSQL starts; what openStorage throws
 */
export async function openCommandStorage({
  databaseUrl,
  dataDir,
  poolMax,
}: {
  databaseUrl: string | null
  dataDir: string
  poolMax: number
}): Promise<Storage> {
  const named = { databaseUrl, dataDir, poolMax, applicationName: 'oppslag command' }
  // Of a server elsewhere nothing is left running.
  if (databaseUrl !== null) return openStorage(named)
  const storage = await untilTold((ended) => openStorage({ ...named, ended }))
  async function end(signal: NodeJS.Signals): Promise<void> {
    // Whoever began to listen later ends in order, and closes this.
    if (process.listenerCount(signal) > 1) return
    stopListening()
    await storage.close().catch(() => {})
    process.kill(process.pid, signal)
  }
  function stopListening(): void {
    for (const signal of SIGNALS) process.removeListener(signal, end)
  }
  for (const signal of SIGNALS) process.on(signal, end)
  return {
    ...storage,
    close() {
      stopListening()
      return storage.close()
    },
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

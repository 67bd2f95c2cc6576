import { openEmbeddedDatabase } from '../embedded/embedded-database.ts'
import { createDatabase, type Database } from './database.ts'
import { migrate } from './migrate.ts'

export type Storage = {
  readonly url: string
  readonly database: Database
  /** Files that were run to bring the schema up to date. */
  readonly migrated: readonly string[]
  close(): Promise<void>
}

/**
 * The database as configured, its schema up to date: the server at `databaseUrl`, or the embedded one when that is null.
 * What was opened is closed again if a later step fails.
 *
 * @throws whatever openEmbeddedDatabase and migrate throw.
 */
export async function openStorage({
  databaseUrl,
  dataDir,
  applicationName,
  poolMax,
  forOneMax,
  connectTimeoutMs = 2000,
  statementTimeoutMs = 5000,
  onLog = () => {},
  onMigration = onLog,
  onFault = () => {},
  ended = new AbortController().signal,
}: {
  databaseUrl: string | null
  dataDir: string
  applicationName: string
  poolMax: number
  /** Connections of one who asks; left out, nobody is told from another. */
  forOneMax?: number
  connectTimeoutMs?: number
  statementTimeoutMs?: number
  onLog?: (message: string) => void
  /** What is run to bring the schema up to date, and whom that waits for. */
  onMigration?: (message: string) => void
  /** The embedded PostgreSQL died, or could not be started again. */
  onFault?: (message: string, error: unknown) => void
  /** Gives the opening up, where nothing is left behind. */
  ended?: AbortSignal
}): Promise<Storage> {
  const server =
    databaseUrl === null
      ? await openEmbeddedDatabase({ dataDir, onLog, onFault, ended })
      : { url: databaseUrl, close: async () => {} }
  const { url } = server
  try {
    ended.throwIfAborted()
    const migrated = await migrate({ url, onLog: onMigration, ended })
    const database = createDatabase({
      url,
      poolMax,
      forOneMax,
      applicationName,
      connectTimeoutMs,
      statementTimeoutMs,
      onConnectionLost: () => onLog('A connection to PostgreSQL was lost'),
    })
    return { url, database, migrated, close }

    async function close(): Promise<void> {
      await database.close()
      await server.close()
    }
  } catch (error) {
    await server.close()
    throw error
  }
}

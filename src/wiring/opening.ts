import { setTimeout as pause } from 'node:timers/promises'
import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { createLog, type Log } from '#src/core/log.ts'
import { awaitDatabase, isAway } from './await-database.ts'
import { createOpened, type Opened } from './opened.ts'
import { openTracing } from './tracing.ts'

/** What was opened, and the way to close it again. */
type Open<T> = T & { log: Log; close(): Promise<void> }

/**
 * Runs the steps of opening; what was opened is closed when a step fails, and by `close` otherwise. A database that is away,
 * or goes away in the middle, is waited for, and all is opened anew.
 *
 * @param addresses where it says that it waits, meanwhile
 */
export async function opening<T>(
  environment: Environment,
  addresses: readonly { host: string; port: number }[],
  open: (log: Log, opened: Opened) => Promise<T>,
): Promise<Open<T>> {
  const { databaseUrl, logLevel, logFile } = environment
  const log = createLog({ level: logLevel, file: logFile })
  while (true) {
    const opened = createOpened(log)
    opened.keep('log', { close: () => log.flushed() })
    try {
      if (environment.traces !== null) opened.keep('traces', await openTracing(environment.traces))
      if (databaseUrl !== null) await awaitDatabase({ ...environment, databaseUrl }, { addresses, log })
      return { ...(await open(log, opened)), log, close: opened.closeAll }
    } catch (error) {
      await opened.closeAll()
      if (databaseUrl === null || !isAway(error)) throw error
      log.warn({ err: error }, 'the database went away while the service was opened')
      await pause(policy.startup.retryMs)
    }
  }
}

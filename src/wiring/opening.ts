import { join } from 'node:path'
import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { OppslagError } from '#src/core/errors.ts'
import { createLog, type ProcessLog } from '#src/core/log.ts'
import { closeToOthers, refusePlanted } from '#src/core/private-folder.ts'
import { rest } from '#src/core/wait.ts'
import type { WaitingAddress } from '#src/http/waiting-room.ts'
import { journalIn } from '#src/storage/shareholders/hiding-journal.ts'
import { awaitDatabase, isAway } from './await-database.ts'
import { createOpened, type OpenedThings } from './opened.ts'
import { createStartWait, type StartWait } from './start-wait.ts'
import { openTracing } from './tracing.ts'

/** What was opened, and the way to close it again. */
type Open<T> = T & { log: ProcessLog; close(): Promise<void> }

/**
 * Runs the steps of opening; what was opened is closed when a step fails, and by `close` otherwise. A database that is away,
 * goes away in the middle, or can not have at its files, is waited for, and all is opened anew.
 *
 * @param addresses where it says that it waits, meanwhile
 * @param ended gives it up: what was opened is closed again, and its reason is thrown
 */
export async function opening<T>(
  environment: Environment,
  addresses: readonly WaitingAddress[],
  ended: AbortSignal | undefined,
  open: (log: ProcessLog, opened: OpenedThings, waiting: StartWait) => Promise<T>,
): Promise<Open<T>> {
  const { databaseUrl, logLevel, logFile, dataDir } = environment
  await closeToOthers(dataDir)
  for (const name of ['mail', 'avslutninger']) await refusePlanted(join(dataDir, name))
  await refusePlanted(journalIn(dataDir))
  const log = createLog({ level: logLevel, file: logFile })
  const waiting = createStartWait(environment, addresses)
  let told = ''
  while (true) {
    const opened = createOpened(log, ended)
    let isOpenedAnew = false
    try {
      opened.keep('log', { close: () => log.flushed() })
      opened.keep('waiting room', { close: () => (isOpenedAnew ? waiting.goOn() : waiting.close()) })
      if (environment.traces !== null) opened.keep('traces', await openTracing(environment.traces))
      if (databaseUrl !== null)
        await awaitDatabase({ ...environment, databaseUrl }, { waiting, log, ended: opened.ended })
      return { ...(await open(log, opened, waiting)), log, close: opened.closeAll }
    } catch (error) {
      const isWaitedFor = isAway(error)
      isOpenedAnew = isWaitedFor
      // What is wrong with the set-up is told in one line, to whoever starts it.
      if (!isWaitedFor && !(error instanceof OppslagError))
        log.fatal({ err: error }, 'the process could not be opened')
      await opened.closeAll()
      if (!isWaitedFor) throw error
      const { code: kode, message: tekst } = error
      // Who is told to end is turned away by what was being opened, and waits for nothing.
      if (told !== tekst && !opened.ended.aborted) {
        // Also for whoever started it by hand, whose log is a file.
        process.stderr.write(`${tekst}: waiting for it\n`)
        log.warn({ err: error }, 'the database could not be used while the service was opened')
      }
      told = tekst
      await waiting.say({ del: 'database', kode, tekst })
      await rest(policy.startup.retryMs, opened.ended)
    }
  }
}

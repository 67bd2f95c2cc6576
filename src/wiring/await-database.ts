import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import type { Log } from '#src/core/log.ts'
import { rest } from '#src/core/wait.ts'
import { createDatabase, StorageUnavailableError } from '#src/storage/database.ts'
import type { StartWait } from './start-wait.ts'

/**
 * Returns when the configured database answers. Until then this process lives and is not ready: a machine that starts
 * everything at once, and a database that is away for a while, want no other order than that.
 *
 * @param waiting where the process says so meanwhile
 * @param ended ends the wait
 * @throws StorageUnavailableError when PostgreSQL is there and turns us away: waiting does not mend that
 * @throws ConfigurationError when it can not listen there
 */
export async function awaitDatabase(
  environment: Environment & { databaseUrl: string },
  { waiting, log, ended }: { waiting: StartWait; log: Log; ended: AbortSignal },
): Promise<void> {
  const { connectTimeoutMs, retryMs } = policy.startup
  const database = createDatabase({
    url: environment.databaseUrl,
    poolMax: 1,
    applicationName: 'bedriftsoppslag',
    connectTimeoutMs,
    statementTimeoutMs: connectTimeoutMs,
  })
  let isFirst = true
  try {
    while (true) {
      const failure = await failureOf(() => database.query('select 1'))
      if (failure === null) return
      if (!isAway(failure)) throw failure
      if (isFirst) {
        isFirst = false
        // Also for whoever started it by hand, and may have mistyped the address.
        process.stderr.write(`${failure.message}: waiting for it\n`)
        log.warn({ kode: failure.code, grunn: failure.reason }, 'PostgreSQL is waited for')
      }
      await waiting.say({ del: 'database', kode: failure.code, tekst: failure.message })
      await rest(retryMs, ended)
      ended.throwIfAborted()
    }
  } finally {
    await database.close()
  }
}

/** True when it may come back by itself. SQLSTATE 28 is a user or password that is not let in, 3D a database there is not. */
export function isAway(error: unknown): error is StorageUnavailableError {
  return error instanceof StorageUnavailableError && !/^(28|3D)/.test(error.reason ?? '')
}

async function failureOf(ask: () => Promise<unknown>): Promise<StorageUnavailableError | null> {
  try {
    await ask()
    return null
  } catch (error) {
    if (error instanceof StorageUnavailableError) return error
    throw error
  }
}

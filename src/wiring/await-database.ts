import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import type { Log } from '#src/core/log.ts'
import { rest } from '#src/core/wait.ts'
import { openWaitingRoom, type WaitingRoom } from '#src/http/waiting-room.ts'
import { readVersion } from '#src/ops/version.ts'
import { createDatabase, StorageUnavailableError } from '#src/storage/database.ts'
import { listening } from './listening.ts'

/**
 * Returns when the configured database answers. Until then this process lives and is not ready: a machine that starts
 * everything at once, and a database that is away for a while, want no other order than that.
 *
 * @param addresses where the process will listen, and is asked for its health meanwhile
 * @param ended ends the wait
 * @throws StorageUnavailableError when PostgreSQL is there and turns us away: waiting does not mend that
 * @throws ConfigurationError when it can not listen there
 */
export async function awaitDatabase(
  environment: Environment & { databaseUrl: string },
  {
    addresses,
    log,
    ended,
  }: { addresses: readonly { host: string; port: number }[]; log: Log; ended: AbortSignal },
): Promise<void> {
  const { connectTimeoutMs, retryMs } = policy.startup
  const database = createDatabase({
    url: environment.databaseUrl,
    poolMax: 1,
    applicationName: 'bedriftsoppslag',
    connectTimeoutMs,
    statementTimeoutMs: connectTimeoutMs,
  })
  let room: WaitingRoom | null = null
  let failure: StorageUnavailableError | null = null
  try {
    while (true) {
      failure = await failureOf(() => database.query('select 1'))
      if (failure === null) return
      if (!isAway(failure)) throw failure
      if (room === null) {
        // Also for whoever started it by hand, and may have mistyped the address.
        process.stderr.write(`${failure.message}: waiting for it\n`)
        log.warn({ kode: failure.code, grunn: failure.reason }, 'PostgreSQL is waited for')
        const state = () => ({
          klar: false,
          hindringer: failure === null ? [] : [obstacleOf(failure)],
          mangler: [],
        })
        const publicUrl = environment.publicUrl ?? `http://${environment.host}:${environment.port}`
        const opening = openWaitingRoom(addresses, {
          version: readVersion(environment),
          state,
          publicUrl,
          trustProxy: environment.trustProxy,
          policy: policy.http,
        })
        room = await listening(opening, environment)
      }
      await rest(retryMs, ended)
      ended.throwIfAborted()
    }
  } finally {
    await room?.close()
    await database.close()
  }
}

/** True when it may come back by itself. SQLSTATE 28 is a user or password that is not let in, 3D a database there is not. */
export function isAway(error: unknown): boolean {
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

function obstacleOf({ code, message }: StorageUnavailableError) {
  return { del: 'database', kode: code, tekst: message }
}

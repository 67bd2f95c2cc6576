import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { rest, untilAborted } from '#src/core/wait.ts'
import { type AddressKind, urlOf } from './address.ts'
import { type Cluster, prepareCluster } from './cluster.ts'
import { retireEarlier } from './earlier-release.ts'
import { ROLE } from './names.ts'
import { disownPostmaster, readPostmaster } from './postmaster.ts'
import { enter, type Presence, stopUnused } from './presence.ts'
import { demandProofOfAll } from './proof.ts'
import { prepareRole } from './role.ts'
import { ClusterError, ofNoRoom } from './run-program.ts'
import { lastWords, startCluster } from './running.ts'

type EmbeddedDatabase = {
  /** Holds the password of a role that is no superuser. The same from one start of the cluster to the next. */
  readonly url: string
  /** The last one out stops PostgreSQL. Close every connection before. */
  close(): Promise<void>
}

/** Longer than a start, and than a stop that another has begun; recovery after a crash takes part of it. */
const OPEN_WITHIN_MS = 90_000
/** Starts that failed with no other server in sight. */
const FRUITLESS_STARTS_MAX = 5
/** Between tries to start it again. */
const RETRY_MS = 500
const RETRY_MS_MAX = 15_000
/** One that ran for so long died of something else than the one before. */
const STEADY_MS = 60_000

/**
 * A real PostgreSQL in `<dataDir>/postgres`, for one machine without a server of its own. Made the first time, started
 * if it does not run, shared by all processes that open the same folder, and out of reach for everybody else. Whoever has it
 * open starts it again when it dies.
 *
 * @throws ConfigurationError when the folder, the user or the machine can not carry it.
 * @throws ClusterError when PostgreSQL does not start; `output` is its last words.
 */
export async function openEmbeddedDatabase({
  dataDir,
  onLog = () => {},
  onFault = () => {},
  durable = true,
  ended = new AbortController().signal,
  transport = process.platform === 'win32' ? 'loopback' : 'socket',
}: {
  dataDir: string
  onLog?: (message: string) => void
  /** It died, or could not be started again. */
  onFault?: (message: string, error: unknown) => void
  /** false: faster, and lost at a power cut. */
  durable?: boolean
  /** Gives the opening up before PostgreSQL is started, or while one hangs; one that starts is for the caller to close. */
  ended?: AbortSignal
  transport?: AddressKind
}): Promise<EmbeddedDatabase> {
  const cluster = await prepareCluster(dataDir, { isDurable: durable, transport })
  ended.throwIfAborted()
  if (transport === 'loopback') demandProofOfAll()
  const closed = new AbortController()
  let presence: Presence | null = await enterOrStart(cluster, ended)
  onLog(`The embedded PostgreSQL runs on ${cluster.data}`)
  const keeping = keepRunning()

  async function keepRunning(): Promise<void> {
    let waitMs = 0
    while (presence !== null && !closed.signal.aborted) {
      const since = performance.now()
      const error = await untilAborted(presence.lost, closed.signal).catch(() => null)
      if (closed.signal.aborted) return
      onFault('The embedded PostgreSQL has gone away, and is started again', error)
      waitMs = waitAfterDeath({ livedMs: performance.now() - since, lastMs: waitMs })
      await rest(waitMs, closed.signal)
      presence = await startAgain()
      if (presence !== null) onLog('The embedded PostgreSQL is back')
    }
  }

  /** However often that takes; null when it is not wanted any more. */
  async function startAgain(): Promise<Presence | null> {
    for (let waitMs = RETRY_MS; !closed.signal.aborted; waitMs = Math.min(2 * waitMs, RETRY_MS_MAX)) {
      try {
        return await enterOrStart(cluster, closed.signal)
      } catch (error) {
        if (closed.signal.aborted) return null
        onFault('The embedded PostgreSQL could not be started again', error)
        await rest(waitMs, closed.signal)
      }
    }
    return null
  }

  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    closed.abort()
    await keeping
    const outcome = (await presence?.leave()) ?? 'left_running'
    onLog(
      outcome === 'stopped'
        ? 'The embedded PostgreSQL is stopped'
        : 'The embedded PostgreSQL runs on for others',
    )
  }

  return {
    url: urlOf(cluster.address, ROLE, cluster.password),
    close() {
      closing ??= close()
      return closing
    },
  }
}

/** One that lived is started at once; one that dies again and again is started more and more seldom. */
export function waitAfterDeath({ livedMs, lastMs }: { livedMs: number; lastMs: number }): number {
  return livedMs >= STEADY_MS ? 0 : Math.min(Math.max(RETRY_MS, 2 * lastMs), RETRY_MS_MAX)
}

/** Whether somebody uses the cluster of this folder now; nothing is made or started. */
export async function isEmbeddedDatabaseRunning(dataDir: string): Promise<boolean> {
  const postmaster = await readPostmaster({ data: join(dataDir, 'postgres', 'data') })
  if (postmaster === null) return false
  try {
    process.kill(postmaster.pid, 0)
    return true
  } catch (error) {
    // PostgreSQL may run as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Others may be starting or stopping the same cluster at any moment. PostgreSQL itself lets only one server into a data
 * folder, so nothing more is needed than to try again: is it there? then go in; is it not? then start it. One that was started here
 * and lets nobody in is stopped: nobody is in it who would do so. Others may be, where there was no place for one more.
 *
 * @param signal ends the tries: nobody waits for it any more
 */
async function enterOrStart(cluster: Cluster, signal: AbortSignal): Promise<Presence> {
  let fruitless = 0
  let isStartedHere = false
  const deadline = Date.now() + OPEN_WITHIN_MS
  try {
    while (Date.now() < deadline && fruitless < FRUITLESS_STARTS_MAX) {
      // One that was just started here is entered first, for whoever leaves it to stop it.
      signal.throwIfAborted()
      const postmaster = await readPostmaster(cluster)
      if (postmaster !== null) {
        const presence = await enter(cluster)
        if (presence !== null) return presence
        await retireEarlier(cluster, postmaster)
      }
      if (await startCluster(cluster)) isStartedHere = true
      // Also when it ran: who started it may not have come to this, or died before.
      if (await isPrepared(cluster)) {
        const presence = await enter(cluster)
        if (presence !== null) return presence
      }
      if (postmaster !== null) await disownPostmaster(cluster, postmaster.pid)
      if ((await readPostmaster(cluster)) === null) fruitless++
      await pause(100)
    }
    const output = await lastWords(cluster)
    const error = new ClusterError(
      `The embedded PostgreSQL did not start; its log is ${cluster.log}`,
      output,
      null,
    )
    throw ofNoRoom(error, cluster.data) ?? error
  } catch (error) {
    if (isStartedHere) await stopUnused(cluster).catch(() => {})
    throw error
  }
}

function isPrepared(cluster: Cluster): Promise<boolean> {
  return prepareRole(cluster).then(
    () => true,
    () => false,
  )
}

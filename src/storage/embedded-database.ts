import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Cluster,
  ClusterError,
  disownPostmaster,
  lastWords,
  ofFullDisk,
  prepareCluster,
  readPostmaster,
  startCluster,
  USER,
} from './embedded/cluster.ts'
import { enter, type Presence } from './embedded/presence.ts'

type EmbeddedDatabase = {
  /** Holds the password. The port is another one each time the cluster is started. */
  readonly url: string
  /** The last one out stops PostgreSQL. Close every connection before. */
  close(): Promise<void>
}

/** Longer than a start, and than a stop that another has begun; recovery after a crash takes part of it. */
const OPEN_WITHIN_MS = 90_000
/** Starts that failed with no other server in sight: a port that was taken in between explains one or two. */
const FRUITLESS_STARTS_MAX = 5

/**
 * A real PostgreSQL in `<dataDir>/postgres`, for one machine without a server of its own. Made the first time, started
 * if it does not run, shared by all processes that open the same folder, on loopback with a password of its own.
 *
 * @throws ConfigurationError when the folder, the user or the machine can not carry it.
 * @throws ClusterError when PostgreSQL does not start; `output` is its last words.
 */
export async function openEmbeddedDatabase({
  dataDir,
  onLog = () => {},
  durable = true,
}: {
  dataDir: string
  onLog?: (message: string) => void
  /** false: faster, and lost at a power cut. */
  durable?: boolean
}): Promise<EmbeddedDatabase> {
  const cluster = await prepareCluster(dataDir, durable)
  const { url, presence } = await enterOrStart(cluster, () => onLog('The embedded PostgreSQL has gone away'))
  onLog(`The embedded PostgreSQL runs on ${cluster.data}`)

  let closing: Promise<void> | undefined
  function close(): Promise<void> {
    closing ??= presence.leave().then((outcome) => {
      onLog(
        outcome === 'stopped'
          ? 'The embedded PostgreSQL is stopped'
          : 'The embedded PostgreSQL runs on for others',
      )
    })
    return closing
  }

  return { url, close }
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
 * folder, so nothing more is needed than to try again: is it there? then go in; is it not? then start it.
 */
async function enterOrStart(
  cluster: Cluster,
  onLost: () => void,
): Promise<{ url: string; presence: Presence }> {
  let fruitless = 0
  const deadline = Date.now() + OPEN_WITHIN_MS
  while (Date.now() < deadline && fruitless < FRUITLESS_STARTS_MAX) {
    const postmaster = await readPostmaster(cluster)
    if (postmaster !== null) {
      const url = `postgres://${USER}:${cluster.password}@127.0.0.1:${postmaster.port}/postgres`
      const presence = await enter(cluster, url, onLost)
      if (presence !== null) return { url, presence }
    }
    if (await startCluster(cluster)) continue
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
  throw ofFullDisk(error, cluster.data) ?? error
}

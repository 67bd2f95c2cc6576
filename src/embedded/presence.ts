import { realpath } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { clientOf } from './client.ts'
import type { Cluster } from './cluster.ts'
import { OWNER, ROLE } from './names.ts'
import { ofNoRoom } from './run-program.ts'
import { stopCluster } from './running.ts'

/**
 * Whoever uses a cluster holds this lock with others, from opening to closing, on a connection of its own: a pool drops
 * its connections when nobody asks. Whoever then gets it alone was the last. It ends with the connection, so a process
 * that is killed leaves nothing behind.
 */
export const PRESENCE = 7_202_511_210_002

/** As long as another may need to find that it is the last, and to stop the cluster. */
const LOCK_WAIT_MS = 70_000
/** A connection that was closed a moment ago is still in the list of sessions for as long as its process takes to end. */
const OTHERS_LEAVE_WITHIN_MS = 2000

export type Presence = {
  /** The cluster has gone away; never settles after `leave`. */
  readonly lost: Promise<Error>
  /** Ends the presence, and stops the cluster if nobody else is there. */
  leave(): Promise<'stopped' | 'left_running'>
}

/**
 * Becomes one of those who use the cluster. Null if it does not answer, goes down meanwhile, does not know the service's role,
 * or is another cluster than this.
 *
 * @throws ConfigurationError when it runs and lets nobody in, since its disk is full: to start it again would change nothing
 */
export async function enter(cluster: Cluster): Promise<Presence | null> {
  let isLeaving = false
  let noRoom: Error | null = null
  const lost = Promise.withResolvers<Error>()
  const client = clientOf(cluster, ROLE, {
    application_name: 'oppslag presence',
    statement_timeout: LOCK_WAIT_MS,
    keepAlive: true,
  })
  client.on('error', (error) => {
    if (!isLeaving) lost.resolve(error)
  })
  try {
    await client.connect()
    // Waits while the last of the others decides. If it stops the cluster, the connection ends here.
    await client.query('select pg_advisory_lock_shared($1)', [PRESENCE])
    const { rows } = await client.query<{ folder: string }>(
      `select current_setting('data_directory') as folder`,
    )
    if ((await realpath(rows[0]?.folder ?? '')) === (await realpath(cluster.data)))
      return { lost: lost.promise, leave }
  } catch (error) {
    // For all else it is not running, or not ours: the caller starts one.
    noRoom = ofNoRoom(error, cluster.data)
  }
  isLeaving = true
  await client.end()
  if (noRoom !== null) throw noRoom
  return null

  async function leave(): Promise<'stopped' | 'left_running'> {
    isLeaving = true
    try {
      if (!(await isLast(client))) return 'left_running'
      // The lock is still held alone: who comes now waits for it, loses the connection, and starts the cluster anew.
      await stopCluster(cluster)
      return 'stopped'
    } catch {
      // The connection is gone. Whoever is still there, or the next to come, sees to the cluster.
      return 'left_running'
    } finally {
      await client.end()
    }
  }
}

/**
 * Has the cluster alone, until it is stopped or the connection ended: whoever comes meanwhile waits. Null while others use it.
 *
 * @throws when it can not be reached
 */
export async function enterAlone(cluster: Cluster): Promise<pg.Client | null> {
  // Of an older cluster the service's role may not be there.
  const client = clientOf(cluster, OWNER, { application_name: 'oppslag presence', keepAlive: true })
  try {
    await client.connect()
    if (await isAlone(client)) return client
  } catch (error) {
    await client.end()
    throw error
  }
  await client.end()
  return null
}

/** Stops it unless somebody has come in. Where nobody can, there is nobody to cut off. */
export async function stopUnused(cluster: Cluster): Promise<void> {
  const alone = await enterAlone(cluster).catch(() => undefined)
  if (alone === null) return
  await stopCluster(cluster)
  await alone?.end()
}

async function isLast(client: pg.Client): Promise<boolean> {
  // Let go first: two who leave together and kept their share would each see the other and both leave it running.
  await client.query('select pg_advisory_unlock_shared($1)', [PRESENCE])
  return isAlone(client)
}

async function isAlone(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ alone: boolean }>('select pg_try_advisory_lock($1) as alone', [
    PRESENCE,
  ])
  return rows[0]?.alone === true && (await areOthersGone(client))
}

/** Others may be connected without being present: an operator's psql, say. They are never cut off. */
export async function areOthersGone(client: pg.Client): Promise<boolean> {
  for (const deadline = Date.now() + OTHERS_LEAVE_WITHIN_MS; ; await pause(25)) {
    const { rows } = await client.query<{ others: number; someoneWaits: boolean | null }>(
      `select count(*)::int as others, bool_or(wait_event = 'advisory') as "someoneWaits"
       from pg_stat_activity
       where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    )
    if (rows[0]?.others === 0) return true
    // Somebody has come, and waits for the lock held here.
    if (rows[0]?.someoneWaits === true || Date.now() > deadline) return false
  }
}

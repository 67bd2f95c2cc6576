import { realpath } from 'node:fs/promises'
import type pg from 'pg'
import { ConfigurationError } from '#src/core/errors.ts'
import { clientOf } from './client.ts'
import type { Cluster } from './cluster.ts'
import { OWNER } from './names.ts'
import { areOthersGone, PRESENCE } from './presence.ts'
import { stopCluster } from './running.ts'

const STATEMENT_TIMEOUT_MS = 3000

/**
 * Earlier releases had the cluster listen on a port of the loopback. One that is still up, left by a process that was killed, is
 * stopped, so that it can be started where nobody else reaches it. Whoever listens there now, if it is not the cluster, learns
 * nothing.
 *
 * @throws ConfigurationError while a process of such a release uses it
 */
export async function retireEarlier(
  cluster: Cluster,
  postmaster: { port: number; sockets: string },
): Promise<void> {
  if (cluster.address.kind === 'loopback' || postmaster.sockets !== '') return
  const earlier: Cluster = { ...cluster, address: { kind: 'loopback', port: postmaster.port } }
  const client = clientOf(earlier, OWNER, {
    application_name: 'oppslag retire',
    statement_timeout: STATEMENT_TIMEOUT_MS,
  })
  try {
    const found = await lookAround(client)
    if (found === null || found.folder !== (await realpath(cluster.data))) return
    if (!found.alone || !(await areOthersGone(client))) {
      throw new ConfigurationError(
        `A process of an earlier release uses the embedded PostgreSQL in ${cluster.data}. End it first.`,
      )
    }
    await stopCluster(cluster)
  } finally {
    await client.end().catch(() => {})
  }
}

/** Null when nobody is there, or somebody else. Alone is who gets the lock that all others share; it is kept until the end. */
async function lookAround(client: pg.Client): Promise<{ folder: string; alone: boolean } | null> {
  try {
    await client.connect()
    const { rows } = await client.query<{ folder: string; alone: boolean }>(
      `select current_setting('data_directory') as folder, pg_try_advisory_lock($1) as alone`,
      [PRESENCE],
    )
    const [found] = rows
    return found === undefined ? null : { ...found, folder: await realpath(found.folder) }
  } catch {
    return null
  }
}

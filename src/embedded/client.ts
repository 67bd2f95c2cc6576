import pg from 'pg'
import { urlOf } from './address.ts'
import type { Cluster } from './cluster.ts'
import { OWNER, type ROLE } from './names.ts'
import { demandProof } from './proof.ts'

const CONNECT_TIMEOUT_MS = 3000

/** A connection to the cluster, yet to be made. That it ends is no fault by itself: whoever stops the cluster ends it as well. */
export function clientOf(
  cluster: Cluster,
  user: typeof OWNER | typeof ROLE,
  options: Pick<pg.ClientConfig, 'application_name' | 'keepAlive' | 'statement_timeout'>,
): pg.Client {
  const password = user === OWNER ? cluster.ownerPassword : cluster.password
  const client = new pg.Client({
    connectionString: urlOf(cluster.address, user, password),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...options,
  })
  client.on('error', () => {})
  if (cluster.address.kind === 'loopback') demandProof(client)
  return client
}

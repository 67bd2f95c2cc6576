import cluster from 'node:cluster'
import { join } from 'node:path'
import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import type { SocketAddress } from '#src/http/server/at-socket.ts'

const LINE = { backlog: policy.http.newcomersMax }

type Given = Pick<Environment, 'socketDir'>

/** Where the public side listens. */
export function frontPortOf({ host, port }: Pick<Environment, 'host' | 'port'>) {
  return { host, port, ...LINE }
}

/** Fronts of one command would share a port that the system chose, and none of them could be told from the others. */
export function opsPortOf({ opsHost, opsPort }: Pick<Environment, 'opsHost' | 'opsPort'>) {
  return { host: opsHost, port: opsPort, exclusive: true, ...LINE }
}

/** The public side's socket, which fronts of one command share as they share its port. */
export function frontSocketOf({ socketDir }: Given): SocketAddress | null {
  return socketDir === null
    ? null
    : { path: join(socketDir, 'tjeneste.sock'), exclusive: !cluster.isWorker, ...LINE }
}

/** @param port of the operators' side, which no two processes on a machine have in common */
export function opsSocketOf({ socketDir }: Given, port: number): SocketAddress | null {
  return socketDir === null ? null : { path: join(socketDir, `drift-${port}.sock`), exclusive: true, ...LINE }
}

import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runAs } from '#src/embedded/account.ts'
import { urlOf } from '#src/embedded/address.ts'
import { prepareCluster } from '#src/embedded/cluster.ts'
import { OWNER } from '#src/embedded/names.ts'
import { stopCluster } from '#src/embedded/running.ts'
import { freePorts } from '../free-ports.ts'

const run = promisify(execFile)

/**
 * A cluster in this folder as an earlier release made and ran it: on a port of the loopback, used by PostgreSQL's superuser,
 * whose password is the only one there is. It runs on when whoever used it was killed.
 */
export async function startEarlierCluster(dataDir: string) {
  const cluster = await prepareCluster(dataDir, { isDurable: false, transport: 'socket' })
  const folder = join(dataDir, 'postgres')
  await rm(join(folder, 'service-password'))
  await rm(join(folder, 'socket'), { recursive: true })
  const [port = 0] = await freePorts(1)
  const settings = `-c port=${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''`
  const { program, args, identity } = runAs(cluster.account, cluster.binaries.pgCtl, [
    'start',
    '--wait',
    `--pgdata=${cluster.data}`,
    `--log=${cluster.log}`,
    '-o',
    settings,
  ])
  await run(program, args, { cwd: cluster.data, ...identity })
  return {
    url: urlOf({ kind: 'loopback', port }, OWNER, cluster.ownerPassword),
    stop: () => stopCluster(cluster),
  }
}

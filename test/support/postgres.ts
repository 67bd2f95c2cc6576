import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { urlOf } from '#src/embedded/address.ts'
import { prepareCluster } from '#src/embedded/cluster.ts'
import { ROLE } from '#src/embedded/names.ts'
import { readPostmaster } from '#src/embedded/postmaster.ts'
import { prepareRole } from '#src/embedded/role.ts'
import { startCluster, stopCluster } from '#src/embedded/running.ts'
import { createDatabase, type Database } from '#src/storage/database.ts'
import { migrate } from '#src/storage/migrate.ts'
import { makeDataFolder } from './data-folder.ts'
import { eventually } from './eventually.ts'
import { serverOf } from './server-of.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

/** A real PostgreSQL of our own that can be killed, migrated and empty. What it said was done is on disk. */
export type TestPostgres = {
  /** The same before and after a crash. */
  readonly url: string
  readonly database: Database
  /** What lies between: may be told to spoil connections. */
  readonly way: TcpProxy
  /**
   * Ends it. SIGKILL is a crash: its sessions end by themselves when they see that it is gone. SIGQUIT is what PostgreSQL calls
   * immediate, SIGINT fast: it may still be writing when nobody is connected any more.
   */
  kill(signal?: 'SIGKILL' | 'SIGQUIT' | 'SIGINT'): Promise<void>
  /** Ends it in order, and waits until it is gone: it has written all, and reads no journal when it starts again. */
  stop(): Promise<void>
  /** Starts it again on what is on disk. */
  start(): Promise<void>
  /**
   * Another server with all this one had on disk at that moment, as one that followed it has: what is written here from now on is not
   * there. This one is killed for it, and started again.
   */
  follower(): Promise<TestPostgres>
  close(): Promise<void>
}

/** @param options `isDurable: false` is faster, and loses what was said in the last second before it was killed */
export async function startPostgres({ isDurable = true } = {}): Promise<TestPostgres> {
  return startOn(await makeDataFolder('oppslag-postgres-'), isDurable)
}

async function startOn(dataDir: string, isDurable: boolean): Promise<TestPostgres> {
  const cluster = await prepareCluster(dataDir, { isDurable, transport: 'socket' })
  await startCluster(cluster)
  await prepareRole(cluster)
  const own = urlOf(cluster.address, ROLE, cluster.password)
  await migrate({ url: own })
  const way = await startTcpProxy({ upstream: serverOf(own) })
  const address = new URL(own)
  address.host = `${way.host}:${way.port}`
  const database = createDatabase({
    url: address.href,
    poolMax: 5,
    applicationName: 'test',
    connectTimeoutMs: 5000,
    statementTimeoutMs: 5000,
  })

  async function kill(signal: 'SIGKILL' | 'SIGQUIT' | 'SIGINT' = 'SIGKILL'): Promise<void> {
    const { pid } = (await readPostmaster(cluster)) ?? { pid: 0 }
    if (pid > 0) process.kill(pid, signal)
    await eventually('nobody is connected', () => way.connections.open === 0)
  }

  const start = () => eventually('it is up', () => startCluster(cluster), 60_000)

  return {
    url: address.href,
    database,
    way,
    kill,
    stop: () => stopCluster(cluster),
    start,
    async follower() {
      await kill()
      const copy = await makeDataFolder('oppslag-postgres-')
      // With the owners of the files, whoever those are.
      await promisify(execFile)('cp', ['-a', `${dataDir}/.`, copy])
      await start()
      return startOn(copy, isDurable)
    },
    async close() {
      await database.close()
      await way.close()
      await stopCluster(cluster)
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, type Database } from '#src/storage/database.ts'
import { openEmbeddedDatabase } from '#src/storage/embedded-database.ts'
import { migrate } from '#src/storage/migrate.ts'
import { eventually } from './eventually.ts'
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
   * immediate, SIGINT fast.
   */
  kill(signal?: 'SIGKILL' | 'SIGQUIT' | 'SIGINT'): Promise<void>
  /** Starts it again on what is on disk. */
  start(): Promise<void>
  close(): Promise<void>
}

/** @param options `isDurable: false` is faster; a crash of the server, which is not the machine's, loses nothing then either */
export async function startPostgres({ isDurable: durable = true } = {}): Promise<TestPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'oppslag-postgres-'))
  // PostgreSQL may run as another user, who has to get through.
  await chmod(dataDir, 0o755)
  let running = await openEmbeddedDatabase({ dataDir, durable })
  await migrate({ url: running.url })
  // It has another port each time it is started: whoever uses it is led there.
  const way = await startTcpProxy({
    upstream: {
      host: '127.0.0.1',
      get port() {
        return Number(new URL(running.url).port)
      },
    },
  })
  const address = new URL(running.url)
  address.port = String(way.port)
  const database = createDatabase({
    url: address.href,
    poolMax: 5,
    applicationName: 'test',
    connectTimeoutMs: 5000,
    statementTimeoutMs: 5000,
  })

  async function kill(signal: 'SIGKILL' | 'SIGQUIT' | 'SIGINT' = 'SIGKILL'): Promise<void> {
    const note = await readFile(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8')
    process.kill(Number(note.split('\n')[0]), signal)
    await eventually('nobody is connected', () => way.connections.open === 0)
    await running.close()
  }

  return {
    url: address.href,
    database,
    way,
    kill,
    async start() {
      running = await openEmbeddedDatabase({ dataDir, durable })
    },
    async close() {
      await database.close()
      await way.close()
      await running.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

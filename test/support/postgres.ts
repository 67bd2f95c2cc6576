import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, type Database } from '#src/storage/database.ts'
import { openEmbeddedDatabase } from '#src/storage/embedded-database.ts'
import { migrate } from '#src/storage/migrate.ts'
import { eventually } from './eventually.ts'
import { startTcpProxy } from './tcp-proxy.ts'

/** A real PostgreSQL of our own that can be killed, migrated and empty. What it said was done is on disk. */
export type TestPostgres = {
  /** The same before and after a crash. */
  readonly url: string
  readonly database: Database
  /** Ends it as a crash would: no session gets to say a word. */
  kill(): Promise<void>
  /** Starts it again on what is on disk. */
  start(): Promise<void>
  close(): Promise<void>
}

export async function startPostgres(): Promise<TestPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'oppslag-postgres-'))
  // PostgreSQL may run as another user, who has to get through.
  await chmod(dataDir, 0o755)
  let running = await openEmbeddedDatabase({ dataDir })
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

  async function kill(): Promise<void> {
    const note = await readFile(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8')
    process.kill(Number(note.split('\n')[0]), 'SIGKILL')
    // Its sessions end by themselves when they see that it is gone.
    await eventually('nobody is connected', () => way.connections.open === 0)
    await running.close()
  }

  return {
    url: address.href,
    database,
    kill,
    async start() {
      running = await openEmbeddedDatabase({ dataDir })
    },
    async close() {
      await database.close()
      await way.close()
      await running.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

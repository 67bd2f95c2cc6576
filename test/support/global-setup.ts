import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'
import { openEmbeddedDatabase } from '#src/embedded/embedded-database.ts'
import { ROLE } from '#src/embedded/names.ts'
import { createPostgresBackend } from '#src/queue/postgres-backend.ts'
import { migrate } from '#src/storage/migrate.ts'
import { makeDataFolder } from './data-folder.ts'
import { onServer } from './database-server.ts'
import { asOwner } from './embedded/as-owner.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A server where databases may be made and dropped. */
    databaseServerUrl: string
    /** A migrated, empty database on it, with the queue's tables, that new ones are copied from. Nobody may be connected to it. */
    databaseTemplate: string
  }
}

/** One PostgreSQL for the whole run: the one TEST_DATABASE_URL names, otherwise one of our own that is gone afterwards. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await openServer(process.env.TEST_DATABASE_URL)
  try {
    const template = `oppslag_mal_${randomBytes(6).toString('hex')}`
    await onServer(server.url, `create database ${template}`)
    const url = new URL(server.url)
    url.pathname = template
    await migrate({ url: url.href })
    // As where a service has run before: to make the queue's tables takes longer than to copy all of it.
    const queue = createPostgresBackend({ databaseUrl: url.href, deadlineMs: 30_000 })
    await queue.prove()
    await queue.close()
    project.provide('databaseServerUrl', server.url)
    project.provide('databaseTemplate', template)
    return async () => {
      await onServer(server.url, `drop database ${template}`)
      await server.close()
    }
  } catch (error) {
    await server.close()
    throw error
  }
}

async function openServer(given: string | undefined): Promise<{ url: string; close(): Promise<void> }> {
  if (given) return { url: given, close: async () => {} }
  const dataDir = await makeDataFolder('oppslag-test-')
  const remove = () => rm(dataDir, { recursive: true, force: true })
  try {
    const first = await openEmbeddedDatabase({ dataDir, durable: false })
    // More than the service may: databases of the tests' own, the write-ahead log on disk before it is looked through,
    // deadlocks that are found out soon, and connections for several files at once, which are thousands: a password is
    // derived once for each instead of 4,096 times.
    await asOwner(
      first.url,
      dataDir,
      `alter role ${ROLE} createdb`,
      `grant pg_checkpoint, pg_signal_backend, pg_signal_autovacuum_worker to ${ROLE}`,
      `grant set on parameter deadlock_timeout to ${ROLE}`,
      'alter system set max_connections = 600',
      'alter system set scram_iterations = 1',
    )
    await first.close()
    const { url, close } = await openEmbeddedDatabase({ dataDir, durable: false })
    return { url, close: () => close().then(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}

import { rm } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEmbeddedDatabase } from '#src/embedded/embedded-database.ts'
import { createPostgresBackend } from '#src/queue/postgres-backend.ts'
import { migrate } from '#src/storage/migrate.ts'
import { askPostgres } from '#test/support/ask-postgres.ts'
import { makeDataFolder } from '#test/support/data-folder.ts'
import { onServer } from '#test/support/database-server.ts'
import { startEarlierCluster } from '#test/support/embedded/earlier-cluster.ts'
import { eventually } from '#test/support/eventually.ts'

/** One and the same from test to test; nothing runs there between them. */
let dataDir: string
beforeAll(async () => {
  dataDir = await makeDataFolder('oppslag-for-')
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const open = () => openEmbeddedDatabase({ dataDir, durable: false })

/** All that the service makes there: its own schema, and the queue's. */
async function fill(url: string): Promise<void> {
  await migrate({ url })
  const queue = createPostgresBackend({ databaseUrl: url, deadlineMs: 10_000 })
  await queue.prove()
  await queue.close()
  await onServer(url, 'create table minne as select 7 as n')
}

describe('a cluster of an earlier release', () => {
  test('that was stopped is taken over with all that is in it, by a role that is no superuser', async () => {
    const earlier = await startEarlierCluster(dataDir)
    await fill(earlier.url)
    await earlier.stop()
    const { url, close } = await open()
    expect(await askPostgres(url, 'select n from minne')).toEqual([{ n: 7 }])
    expect(await askPostgres(url, LEFT_BEHIND)).toEqual([])
    // What the next release will do: change what is there, and make more.
    await onServer(url, 'alter table minne add column m integer')
    await onServer(url, 'alter table api_nokkel add column proeve integer')
    await onServer(url, 'create schema annet')
    expect(await migrate({ url })).toEqual([])
    const queue = createPostgresBackend({ databaseUrl: url, deadlineMs: 10_000 })
    await queue.prove()
    await queue.close()
    await close()
  })

  test('that was used by an earlier release again is taken over again', async () => {
    const earlier = await startEarlierCluster(dataDir)
    await onServer(earlier.url, 'create table fra_for as select 8 as n')
    await earlier.stop()
    const { url, close } = await open()
    await onServer(url, 'alter table fra_for add column m integer')
    expect(await askPostgres(url, LEFT_BEHIND)).toEqual([])
    await close()
  })

  test('that still runs since its user was killed is stopped, and started where nobody else reaches it', async () => {
    const earlier = await startEarlierCluster(dataDir)
    const { url, close } = await open()
    expect(await askPostgres(url, 'select n from minne')).toEqual([{ n: 7 }])
    await expect(askPostgres(earlier.url, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await close()
  })

  test('that is used by a process of that release is left to it, and one line says so', async () => {
    const earlier = await startEarlierCluster(dataDir)
    const user = new pg.Client({ connectionString: earlier.url })
    await user.connect()
    await expect(open()).rejects.toThrow(/^A process of an earlier release uses .* End it first\.$/)
    expect((await user.query('select 1 as en')).rows).toEqual([{ en: 1 }])
    await user.end()
    await eventually('it is let go', () =>
      open().then(
        ({ close }) => close().then(() => true),
        () => false,
      ),
    )
  })
})

/** What is not PostgreSQL's own and belongs to its superuser. */
const LEFT_BEHIND = `
  select relname::text as name from pg_class where pg_get_userbyid(relowner) = 'oppslag' and relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
  union all
  select proname::text from pg_proc where pg_get_userbyid(proowner) = 'oppslag' and pronamespace::regnamespace::text !~ '^(pg_|information_schema)'
  union all
  select typname::text from pg_type where pg_get_userbyid(typowner) = 'oppslag' and typnamespace::regnamespace::text !~ '^(pg_|information_schema)'
  union all
  select nspname::text from pg_namespace where pg_get_userbyid(nspowner) = 'oppslag' and nspname !~ '^(pg_|information_schema)'`

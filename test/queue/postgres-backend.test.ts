import type { Queue } from 'bullmq'
import { expect, test } from 'vitest'
import type { BackendQueue, QueueBackend } from '#src/queue/backend.ts'
import { lanes } from '#src/queue/jobs.ts'
import { createPostgresBackend } from '#src/queue/postgres-backend.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { LAST_WORDS } from '#test/support/deaths/last-words.ts'
import { serverOf } from '#test/support/server-of.ts'
import { startTcpProxy } from '#test/support/tcp-proxy.ts'

/** An error of a connection that nobody listens to ends the process: here, the run of the tests. */
test('P51: a connection that breaks right behind an answer ends its queue or worker, and not the process', async () => {
  const storage = await createTestDatabase({ isMigrated: false })
  const way = await startTcpProxy({ upstream: serverOf(storage.url) })
  const url = new URL(storage.url)
  url.host = `${way.host}:${way.port}`
  const backend = createPostgresBackend({ databaseUrl: url.href, deadlineMs: 5000 })
  await backend.prove()

  way.set({ kind: 'last_words', bytes: LAST_WORDS, oneOf: 6 })
  let broken = 0
  for (let made = 0; broken < 10; made++) {
    const one =
      made % 2 === 0
        ? backend.openQueue('levering')
        : backend.openWorker('levering', { process: async () => {}, atOnce: 1, limiter: null, lockMs: 1000 })
    // One that failed asks again without a pause until it is closed.
    one.on('error', () => void one.close())
    await one.waitUntilReady().catch(() => broken++)
    await one.close()
  }
  way.set()
  const queue = backend.openQueue('levering')
  await queue.waitUntilReady()
  expect(await queue.count()).toBe(0)
  await queue.close()
  await backend.close()
  await way.close()
  await storage.close()
})

test.each([
  [
    'whose schema was taken away',
    (storage: TestDatabase) => storage.database.query('drop schema bullmq cascade'),
  ],
  [
    'one lane of which an operator has emptied on the board',
    async (_storage: TestDatabase, backend: QueueBackend) => {
      const queue = backend.openQueue('levering') as BackendQueue & Pick<Queue, 'obliterate'>
      await queue.obliterate({ force: true })
      await queue.close()
    },
  ],
])(
  'P37: attack: a queue %s while it is used has what its lanes are numbered by again, before the next job',
  async (_, empty) => {
    const storage = await createTestDatabase({ isMigrated: false })
    const backend = createPostgresBackend({ databaseUrl: storage.url, deadlineMs: 5000 })
    const numbers = async () => {
      const [row] = await storage.database.query<{ count: string }>(
        `select count(*) from pg_sequences where schemaname = 'bullmq' and sequencename like 'bullmq\\_jid\\_%'`,
      )
      return Number(row?.count)
    }
    await backend.prove()
    expect(await numbers()).toBe(lanes.length)
    await empty(storage, backend)
    expect(await numbers()).toBeLessThan(lanes.length)
    await backend.prove()
    expect(await numbers()).toBe(lanes.length)
    await backend.close()
    await storage.close()
  },
)

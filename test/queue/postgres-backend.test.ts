import type { Queue } from 'bullmq'
import { expect, test } from 'vitest'
import type { BackendQueue, QueueBackend } from '#src/queue/backend.ts'
import { lanes } from '#src/queue/jobs.ts'
import { createPostgresBackend } from '#src/queue/postgres-backend.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { onServer } from '#test/support/database-server.ts'
import { LAST_WORDS } from '#test/support/deaths/last-words.ts'
import { eventually } from '#test/support/eventually.ts'
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

test('P105: attack: jobs are done once each, and who works is not cut off, whatever a database was told of itself', async () => {
  const storage = await createTestDatabase({ isMigrated: false })
  const name = new URL(storage.url).pathname.slice(1)
  await onServer(storage.url, `alter database ${name} set default_transaction_isolation = 'serializable'`)
  await onServer(storage.url, `alter database ${name} set idle_session_timeout = '1s'`)
  const done: string[] = []
  const faults: Error[] = []
  const backends = [0, 1].map(() => createPostgresBackend({ databaseUrl: storage.url, deadlineMs: 5000 }))
  const workers = await Promise.all(
    backends.map(async (backend) => {
      await backend.prove()
      const process = async ({ data }: { data: unknown }) => void done.push(JSON.stringify(data))
      const worker = backend.openWorker('utvisking', { process, atOnce: 8, limiter: null, lockMs: 5000 })
      worker.on('error', (error) => faults.push(error))
      await worker.waitUntilReady()
      return worker
    }),
  )
  const queues = backends.map((backend) => backend.openQueue('utvisking'))
  const add = async (queue: BackendQueue, from: number) => {
    for (let number = from; number < from + EACH; number += 10)
      await queue.addBulk(
        Array.from({ length: 10 }, (_, index) => ({
          name: 'erase-company',
          data: { organisasjonsnummer: String(900_000_000 + number + index) },
        })),
      )
  }
  await Promise.all(queues.map((queue, index) => add(queue, index * EACH)))
  await eventually('all are done, and nobody had work for longer than a connection may be idle', async () => {
    const [row] = await storage.database.query<{ idle: boolean }>(
      `select bool_or(clock_timestamp() - state_change > interval '1500 ms') as idle from pg_stat_activity
       where datname = current_database() and application_name like '%bedriftsoppslag-ko%' and query ~* 'listen'`,
    )
    return faults.length > 0 || (done.length >= 2 * EACH && row?.idle === true)
  })
  expect(faults).toEqual([])
  expect(done).toHaveLength(2 * EACH)
  expect(new Set(done)).toHaveLength(2 * EACH)
  for (const one of [...workers, ...queues, ...backends]) await one.close()
  await storage.close()
})

const EACH = 200

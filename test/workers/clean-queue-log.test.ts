import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { createLog } from '#src/core/log.ts'
import { type JobQueue, openQueue } from '#src/queue/open-queue.ts'
import { registerBudgets } from '#src/sources/lanes.ts'
import { buryCompanies } from '#src/storage/tombstones.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { handlersOf } from '#test/support/job-handlers.ts'
import { startRedis, type TestRedis } from '#test/support/redis.ts'
import { createQueueLogCleaner, QUEUE_PLACE } from '#workers/clean-queue-log.ts'
import { eraseCompany } from '#workers/erase-company.ts'

const ERASED = '936127088'
const OTHER = '923609016'
const signal = AbortSignal.timeout(120_000)

let redis: TestRedis
let storage: TestDatabase
let queue: JobQueue
beforeAll(async () => {
  ;[redis, storage] = await Promise.all([startRedis({ isKept: true }), createTestDatabase()])
  queue = openQueue({
    redisUrl: redis.url,
    databaseUrl: storage.url,
    waitingMax: 100,
    policy: policy.queue,
    onFault: () => {},
  })
})
afterAll(async () => {
  await queue.close()
  await storage.close()
  await redis.close()
})

/** All that Redis has on disk. */
async function onDisk(): Promise<string> {
  const folder = join(redis.folder, 'appendonlydir')
  const files = await readdir(folder)
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'latin1').catch(() => '')))
  return texts.join('')
}

describe('a company that was erased', () => {
  it('P11: leaves what the queue’s Redis has on disk, with what its jobs left there, and no job of others does', async () => {
    const { database } = storage
    const clean = createQueueLogCleaner({ database, queue, log: createLog({ level: 'silent', file: null }) })
    await clean(signal)
    await clean(signal)
    for (const organisasjonsnummer of [ERASED, OTHER])
      await queue.enqueue('refresh-company', [
        { organisasjonsnummer, seksjon: 'enhet' },
        { organisasjonsnummer, seksjon: 'roller' },
      ])
    await buryCompanies(database, [{ organisasjonsnummer: ERASED, slettedato: null, at: new Date() }])
    await queue.enqueue('erase-company', [{ organisasjonsnummer: ERASED }])
    let erased = 0
    const erasers = [{ name: QUEUE_PLACE, erase: (company: string) => queue.forget(company) }]
    // The registers' lanes are paused by somebody: what is of others goes on waiting.
    for (const bare of await queue.board()) if (!isErasing(bare)) await pauseOf(bare)
    const working = queue.work(
      handlersOf({
        'erase-company': async ({ organisasjonsnummer }, call) => {
          await eraseCompany(organisasjonsnummer, { database, erasers, deadlineMs: 10_000, ...call })
          erased += 1
        },
      }),
      {
        registers: registerBudgets,
        erasure: policy.erasure,
        sales: policy.sales,
        batches: policy.batches,
        push: policy.push,
      },
    )
    await eventually('it is erased', () => erased === 1)
    await working.close()
    expect(await onDisk()).toContain(ERASED)

    // The first look sees that something was erased, the second that nothing more was.
    await clean(signal)
    await clean(signal)
    await eventually('what is not in use any more is gone', async () => !(await onDisk()).includes(ERASED))
    expect(await onDisk()).toContain(OTHER)
    expect((await queue.depths()).find(({ lane }) => lane === 'enhetsregisteret')).toMatchObject({
      waiting: 2,
    })
    const mark = await database.query('select nummer from fjernet')
    expect(await queue.rewriteLog(`1-${mark[0]?.nummer}`, signal)).toBe('done before')
  })
})

type Bare = { name: string; pause(): Promise<void> }
const isErasing = (queue: unknown) => (queue as Bare).name.endsWith('utvisking')
const pauseOf = (queue: unknown) => (queue as Bare).pause()

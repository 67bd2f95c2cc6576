import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { QueueMayEvictError } from '#src/queue/errors.ts'
import { eventually } from '#test/support/eventually.ts'
import { handlersOf } from '#test/support/job-handlers.ts'
import { openQuickQueue, paceOf } from '#test/support/quick-queue.ts'
import { startRedis } from '#test/support/redis.ts'

const COUNT = 1000
const LANE = 'ko:bedriftsoppslag-utvisking'

/** Companies to be erased by a queue whose jobs wait until they may go on: the first of them have begun, and none is done. */
async function jobsThatWait() {
  const server = await startRedis()
  const redis = new Redis(server.url)
  const queue = openQuickQueue(server.url, { waitingMax: 10 * COUNT })
  const payloads = Array.from({ length: COUNT }, (_, index) => ({
    organisasjonsnummer: String(900_000_000 + index),
  }))
  const done = new Set<string>()
  const waited = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const work = async ({ organisasjonsnummer }: { organisasjonsnummer: string }) => {
    begun.resolve()
    await waited.promise
    done.add(organisasjonsnummer)
  }
  const working = queue.work(
    handlersOf({ 'erase-company': work }, async () => {}),
    paceOf(1000),
  )
  await queue.enqueue('erase-company', payloads)
  await begun.promise
  return {
    redis,
    queue,
    letGoOn: () => waited.resolve(),
    left: () => payloads.filter(({ organisasjonsnummer }) => !done.has(organisasjonsnummer)),
    async [Symbol.asyncDispose]() {
      waited.resolve()
      await working.close()
      await queue.close()
      redis.disconnect()
      await server.close()
    },
  }
}

test.each([
  ['is told right again', async () => {}],
  ['was started anew since, and counts from nothing', (redis: Redis) => redis.config('RESETSTAT')],
])(
  'P33: attack: jobs that a Redis threw away, as it was told it may, are done when they are asked for again: one that %s',
  async (_, since) => {
    await using jobs = await jobsThatWait()
    const { redis, queue, left } = jobs
    const used = Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1])
    await redis.config('SET', 'maxmemory-policy', 'allkeys-random')
    await redis.config('SET', 'maxmemory', String(used - 200_000))
    await redis.set('another', 'x'.repeat(10_000))
    expect(await redis.info('stats')).toMatch(/^evicted_keys:[1-9]/m)
    await expect(queue.check()).rejects.toBeInstanceOf(QueueMayEvictError)
    await since(redis)
    await redis.config('SET', 'maxmemory', '0')
    await redis.config('SET', 'maxmemory-policy', 'noeviction')
    // Which it takes is chance: that the line they stood in is among them is made sure of.
    await redis.del(`${LANE}:wait`)
    jobs.letGoOn()
    await eventually('all are done', async () => {
      // As the sweeps do for whatever is not done yet.
      await queue.enqueue('erase-company', left())
      return left().length === 0
    })
  },
)

test('P33: attack: a Redis that threw away how far jobs are numbered, with some of them, gives none the number of one that is left', async () => {
  await using jobs = await jobsThatWait()
  const { redis, queue, left } = jobs
  await redis.config('SET', 'maxmemory-policy', 'allkeys-random')
  await expect(queue.check()).rejects.toBeInstanceOf(QueueMayEvictError)
  const lost = Array.from({ length: COUNT / 2 }, (_, index) => `${LANE}:${2 * index + 1}`)
  await redis.del(`${LANE}:id`, ...lost)
  // One that was asked for before it was set right has been given the number of the last.
  await redis.hset(`${LANE}:${COUNT}`, 'deid', 'another')
  const stale = left().slice(-2)
  const keys = stale.map(({ organisasjonsnummer }) => `${LANE}:de:${organisasjonsnummer}-alt`)
  await redis.config('SET', 'maxmemory-policy', 'noeviction')
  await eventually(
    'what is lost can be asked for again',
    async () => (await redis.exists(keys)) === 0,
    10_000,
  )
  // Once, and in another order than before: others would be given the numbers of those that are left.
  await queue.enqueue('erase-company', left().reverse())
  jobs.letGoOn()
  await eventually('all are done', () => left().length === 0, 10_000)
})

import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { QueueMayEvictError } from '#src/queue/errors.ts'
import { openQueue } from '#src/queue/open-queue.ts'
import { eventually } from '#test/support/eventually.ts'
import { handlersOf } from '#test/support/job-handlers.ts'
import { startRedis } from '#test/support/redis.ts'
import { everyLane } from '#test/support/register-paces.ts'

const COUNT = 1000

test.each([
  ['is told right again', async () => {}],
  ['was started anew since, and counts from nothing', (redis: Redis) => redis.config('RESETSTAT')],
])(
  'P33: attack: jobs that a Redis threw away, as it was told it may, are done when they are asked for again: one that %s',
  async (_, since) => {
    const server = await startRedis()
    const redis = new Redis(server.url)
    const queue = openQueue({
      redisUrl: server.url,
      databaseUrl: 'postgres://127.0.0.1:1/none',
      waitingMax: 10 * COUNT,
      policy: {
        deadlineMs: 5000,
        retryMs: 20,
        retryMsMax: 200,
        quietMs: 200,
        bringBackEveryMs: 50,
        lockMs: 5000,
        finishMs: 100,
        closeMs: 5000,
      },
      onFault: () => {},
    })
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
    const missing = async () => {}
    const one = { atOnce: 4 }
    const working = queue.work(handlersOf({ 'erase-company': work }, missing), {
      registers: everyLane({ atOnce: 4, callsPerSecond: 1000 }),
      erasure: one,
      sales: one,
      batches: one,
      push: { endpointsAtOnce: 4, endpointsApartAtOnce: 4 },
    })
    await queue.enqueue('erase-company', payloads)
    await begun.promise
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
    await redis.del('ko:bedriftsoppslag-utvisking:wait')
    waited.resolve()
    await eventually('all are done', async () => {
      // As the sweeps do for whatever is not done yet.
      const left = payloads.filter(({ organisasjonsnummer }) => !done.has(organisasjonsnummer))
      await queue.enqueue('erase-company', left)
      return left.length === 0
    })
    await working.close()
    await queue.close()
    redis.disconnect()
    await server.close()
  },
)

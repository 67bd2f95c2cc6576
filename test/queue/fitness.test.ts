import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { QueueMayEvictError, QueueRefusesError } from '#src/queue/errors.ts'
import { type JobQueue, openQueue } from '#src/queue/open-queue.ts'
import { eventually } from '#test/support/eventually.ts'
import { handlersOf } from '#test/support/job-handlers.ts'
import { startRedis, type TestRedis } from '#test/support/redis.ts'
import { everyLane } from '#test/support/register-paces.ts'
import { startTcpProxy } from '#test/support/tcp-proxy.ts'

function open(redisUrl: string, onFault: (error: unknown) => void = () => {}): JobQueue {
  return openQueue({
    redisUrl,
    databaseUrl: 'postgres://127.0.0.1:1/none',
    waitingMax: 10,
    policy: {
      // A busy machine is no Redis that is away, which would be told of first.
      deadlineMs: 30_000,
      retryMs: 20,
      retryMsMax: 50,
      lockMs: 30_000,
      quietMs: 100,
      bringBackEveryMs: 15_000,
      finishMs: 100,
      closeMs: 1000,
    },
    onFault,
  })
}

const job = { organisasjonsnummer: '111111111', seksjon: 'enhet' } as const

describe('a Redis that may throw jobs away', () => {
  let redis: TestRedis
  let queue: JobQueue
  let faults: unknown[]

  beforeAll(async () => {
    redis = await startRedis({ policy: 'allkeys-lru' })
    faults = []
    queue = open(redis.url, (error) => void faults.push(error))
  })
  afterAll(async () => {
    await queue.close()
    await redis.close()
  })

  test('P39: is not ready, and says what was found and what to do', async () => {
    await expect(queue.check()).rejects.toThrow(QueueMayEvictError)
    await expect(queue.check()).rejects.toMatchObject({
      code: 'ko_kan_kaste_jobber',
      policy: 'allkeys-lru',
      message: expect.stringMatching(/QUEUE_REDIS_URL.*allkeys-lru.*noeviction/s),
    })
  })

  test('P39: gets no job and no worker, until it is set right', async () => {
    await expect(queue.enqueue('refresh-company', [job])).rejects.toThrow(QueueMayEvictError)
    const done: string[] = []
    const working = queue.work(
      handlersOf({
        'refresh-company': async ({ organisasjonsnummer }) => void done.push(organisasjonsnummer),
      }),
      {
        registers: everyLane({ atOnce: 1, callsPerSecond: 10 }),
        erasure: { atOnce: 1 },
        sales: { atOnce: 1 },
        batches: { atOnce: 1 },
        push: { endpointsAtOnce: 4, endpointsApartAtOnce: 4 },
      },
    )
    const raw = new Redis(redis.url)
    try {
      await eventually('the lanes have asked, which is told once', () => faults.length > 0)
      expect(faults).toEqual([
        expect.objectContaining({ kind: 'failing', error: expect.any(QueueMayEvictError) }),
      ])
      expect(await raw.dbsize()).toBe(0)
      await raw.config('SET', 'maxmemory-policy', 'noeviction')
      // A look that began before the change still says what it found.
      await eventually('it is looked at anew', () =>
        queue.check().then(
          () => true,
          () => false,
        ),
      )
      await queue.enqueue('refresh-company', [job])
      await eventually('the job is done', () => done.length === 1)
    } finally {
      raw.disconnect()
      await working.close()
    }
  })
})

test('P185: a Redis that follows another takes no job, says why, and is left for the one its name leads to', async () => {
  const redis = await startRedis()
  const way = await startTcpProxy({ upstream: redis })
  const queue = open(`redis://${way.host}:${way.port}`)
  const raw = new Redis(redis.url)
  const isTaken = () =>
    queue.enqueue('refresh-company', [job]).then(
      () => true,
      () => false,
    )
  try {
    await queue.check()
    await raw.call('REPLICAOF', '127.0.0.1', '1')
    await eventually('it says why', async () => {
      const error = await queue.check().catch((cause) => cause)
      return error instanceof QueueRefusesError && error.reason === 'READONLY'
    })
    await eventually('it is connected to anew', () => way.connections.taken > 1)
    expect(await isTaken()).toBe(false)
    await raw.call('REPLICAOF', 'NO', 'ONE')
    await eventually('jobs are taken', isTaken)
  } finally {
    raw.disconnect()
    await queue.close()
    await way.close()
    await redis.close()
  }
})

describe('a Redis whose scripts can move no job', () => {
  const whyOf = (queue: JobQueue) =>
    queue.check().then(
      () => null,
      (error) => (error instanceof QueueRefusesError ? error.reason : error),
    )

  test('P39: attack: of a user who may run none is told of, and is used again when they may', async () => {
    const redis = await startRedis()
    const queue = open(redis.url)
    const raw = new Redis(redis.url)
    try {
      await queue.check()
      await raw.call('ACL', 'SETUSER', 'default', '-eval', '-evalsha')
      await eventually('it says why', async () => (await whyOf(queue)) === 'NOPERM')
      await raw.call('ACL', 'SETUSER', 'default', '+@all')
      await eventually('it is looked at anew', async () => (await whyOf(queue)) === null)
      await queue.enqueue('refresh-company', [job])
    } finally {
      raw.disconnect()
      await queue.close()
      await redis.close()
    }
  })

  test('P39: attack: whose address names a database it has not is told of, and the first is left alone', async () => {
    const redis = await startRedis()
    const queue = open(`${redis.url}/99`)
    const raw = new Redis(redis.url)
    try {
      await eventually('it says why', async () => (await whyOf(queue)) === 'ERR')
      expect(await raw.dbsize()).toBe(0)
    } finally {
      raw.disconnect()
      await queue.close()
      await redis.close()
    }
  })

  test('P39: attack: since it is a cluster, where the keys of a lane lie apart, is told of', async () => {
    const redis = await startRedis({ isCluster: true })
    const queue = open(redis.url)
    const raw = new Redis(redis.url)
    try {
      await raw.call('CLUSTER', 'ADDSLOTS', ...Array.from({ length: 16_384 }, (_, slot) => slot))
      await eventually('the cluster is up', async () =>
        String(await raw.call('CLUSTER', 'INFO')).includes('cluster_state:ok'),
      )
      await eventually('it says why', async () => (await whyOf(queue)) === 'CROSSSLOT')
    } finally {
      raw.disconnect()
      await queue.close()
      await redis.close()
    }
  })
})

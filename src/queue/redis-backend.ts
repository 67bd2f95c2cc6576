import { once } from 'node:events'
import { createRedisBackend as createBullRedisBackend, withBackend } from 'bullmq'
import { Redis } from 'ioredis'
import { type AnyPayload, EVENTS_MAX, type QueueBackend, queueName, together } from './backend.ts'
import { withinDeadline } from './deadline.ts'
import { refuseEviction } from './eviction.ts'

const { Queue, Worker } = withBackend(createBullRedisBackend)

/**
 * The queue in Redis. Whoever adds does so over one connection that fails at once while Redis is away; workers have
 * connections of their own, which wait.
 */
export function createRedisBackend({ url, deadlineMs }: { url: string; deadlineMs: number }): QueueBackend {
  const redis = new Redis(url, {
    connectionName: 'bedriftsoppslag-ko',
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: deadlineMs,
    // A server that owes an answer and is silent for so long is left and connected to anew.
    socketTimeout: deadlineMs,
    retryStrategy,
  })
  // Without a listener every failed attempt is printed. That Redis is away shows in what is asked of it.
  redis.on('error', () => {})

  async function prove(): Promise<void> {
    if (redis.status === 'wait') await redis.connect()
    else if (redis.status !== 'ready') await once(redis, 'ready', { signal: AbortSignal.timeout(deadlineMs) })
    await refuseEviction(redis)
  }

  return {
    kind: 'redis',
    prove: together(() => withinDeadline(deadlineMs, prove())),
    openQueue: (lane) =>
      new Queue<AnyPayload, void, string>(queueName(lane), {
        connection: redis,
        prefix: PREFIX,
        streams: { events: { maxLen: EVENTS_MAX } },
      }),
    openWorker: (lane, { process, atOnce, limiter, lockMs }) =>
      new Worker(queueName(lane), process, {
        connection: { url, connectTimeout: deadlineMs, socketTimeout: WORKER_SILENCE_MS, retryStrategy },
        prefix: PREFIX,
        concurrency: atOnce,
        lockDuration: lockMs,
        stalledInterval: lockMs / 2,
        ...(limiter === null ? {} : { limiter }),
      }),
    // A lost connection is waited for. An answer that says no (out of memory, read only, no access) comes at once, each time.
    isSpinning: (error) => error.name === 'ReplyError',
    async close() {
      redis.disconnect()
    },
  }
}

const PREFIX = 'ko'
/** A worker without work asks to be answered within 10 s at the latest. */
const WORKER_SILENCE_MS = 20_000

function retryStrategy(times: number): number {
  return Math.min(100 * 2 ** Math.min(times, 6), 3000) + Math.random() * 200
}

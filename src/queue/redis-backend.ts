import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { createRedisBackend as createBullRedisBackend, withBackend } from 'bullmq'
import { Redis } from 'ioredis'
import { leavesFollower } from '#src/core/redis-follows.ts'
import { boundRedisReplies } from '#src/core/redis-replies.ts'
import {
  type AnyPayload,
  CLOCKS_DIFFER_MS,
  EVENTS_MAX,
  PUT_OFF_MS_MAX,
  type QueueBackend,
  queueName,
  STALLS_MAX,
  together,
} from './backend.ts'
import { withinDeadline } from './deadline.ts'
import { QueueMayEvictError } from './errors.ts'
import { proveFit } from './fitness.ts'
import { lanes } from './jobs.ts'
import { createLostJobs } from './lost-jobs.ts'

boundRedisReplies()

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
    reconnectOnError: leavesFollower(),
  })
  // Without a listener every failed attempt is printed. That Redis is away shows in what is asked of it.
  redis.on('error', () => {})

  const lost = createLostJobs(redis, PREFIX)

  async function prove(): Promise<void> {
    if (redis.status === 'wait') await redis.connect()
    else if (redis.status !== 'ready') await once(redis, 'ready', { signal: AbortSignal.timeout(deadlineMs) })
    await proveFit(redis, PROOF_KEY).catch((error) => {
      if (error instanceof QueueMayEvictError) lost.suspect()
      throw error
    })
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
        maxStalledCount: STALLS_MAX,
        ...(limiter === null ? {} : { limiter }),
      }),
    async bringBack() {
      await withinDeadline(deadlineMs, bringBack(redis))
      await lost.forget()
    },
    failedAbout(lane, organisasjonsnummer) {
      const jobs = `${PREFIX}:${queueName(lane)}:`
      // As it stands in the text BullMQ keeps of what a job is about.
      const named = JSON.stringify({ organisasjonsnummer }).slice(1, -1)
      const asked = redis.eval(FAILED_ABOUT, 1, `${jobs}failed`, jobs, named)
      return withinDeadline(deadlineMs, asked as Promise<string[]>)
    },
    // A lost connection is waited for. An answer that says no (out of memory, read only, no access) comes at once, each time.
    isSpinning: (error) => error.name === 'ReplyError',
    async rewriteLog(mark, signal) {
      await withinDeadline(deadlineMs, prove())
      if ((await redis.get(MARK_KEY)) === mark) return 'done before'
      // The steps of jobs, which name companies.
      for (const lane of lanes) await redis.xtrim(`${PREFIX}:${queueName(lane)}:events`, 'MAXLEN', 0)
      const isLogged = stateOf(await redis.info('persistence'), 'aof_enabled') === '1'
      if (isLogged) await rewriteNow(redis, signal)
      await redis.set(MARK_KEY, mark)
      return isLogged ? 'rewritten' : 'no log'
    },
    async close() {
      redis.disconnect()
    },
  }
}

const FAILED_ABOUT = `local about = {}
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local data = redis.call('HGET', ARGV[1] .. id, 'data')
  if data and string.find(data, ARGV[2], 1, true) then about[#about + 1] = id end
end
return about`

/** A window ends by Redis' clock; when a job is tried again is dated by that of whichever process had it. */
async function bringBack(redis: Redis): Promise<void> {
  const now = Date.now()
  const [seconds] = await redis.time()
  if (Math.abs(Number(seconds) * 1000 - now) > CLOCKS_DIFFER_MS) return
  for (const lane of lanes) {
    const [limiter, delayed] = ['limiter', 'delayed'].map((of) => `${PREFIX}:${queueName(lane)}:${of}`)
    if (limiter === undefined || delayed === undefined) continue
    if ((await redis.pttl(limiter)) > PUT_OFF_MS_MAX) await redis.del(limiter)
    let late: string[]
    do {
      const from = (now + PUT_OFF_MS_MAX) * SCORES_A_MS
      late = await redis.zrangebyscore(delayed, from, '+inf', 'LIMIT', 0, AT_ONCE)
      if (late.length > 0) await redis.zadd(delayed, 'XX', ...late.flatMap((id) => [now * SCORES_A_MS, id]))
    } while (late.length === AT_ONCE)
  }
}

/** What BullMQ puts off is in order within a millisecond as well. */
const SCORES_A_MS = 4096
/** Of jobs that are put off, in one step: Redis does nothing else meanwhile. */
const AT_ONCE = 1000

/** One that was begun before may have read what is gone since: it is waited for, and another is begun. */
async function rewriteNow(redis: Redis, signal: AbortSignal): Promise<void> {
  await untilIdle(redis, signal)
  await redis.bgrewriteaof()
  const info = await untilIdle(redis, signal)
  const status = stateOf(info, 'aof_last_bgrewrite_status')
  if (status !== 'ok') throw new Error(`the queue's Redis could not rewrite its log: ${status}`)
}

async function untilIdle(redis: Redis, signal: AbortSignal): Promise<string> {
  while (true) {
    const info = await redis.info('persistence')
    const isBusy = ['aof_rewrite_in_progress', 'aof_rewrite_scheduled'].some(
      (name) => stateOf(info, name) === '1',
    )
    if (!isBusy) return info
    await pause(REWRITE_LOOK_MS, undefined, { signal })
  }
}

function stateOf(info: string, name: string): string | null {
  return new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1] ?? null
}

const PREFIX = 'ko'
const MARK_KEY = `${PREFIX}:omskrevet`
const PROOF_KEY = `${PREFIX}:tar-imot`
const REWRITE_LOOK_MS = 200
/** A worker without work asks to be answered within 10 s at the latest. */
const WORKER_SILENCE_MS = 20_000

function retryStrategy(times: number): number {
  return Math.min(100 * 2 ** Math.min(times, 6), 3000) + Math.random() * 200
}

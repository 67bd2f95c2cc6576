import { once } from 'node:events'
import { Redis } from 'ioredis'
import { leavesFollower } from '#src/core/redis-follows.ts'
import { boundRedisReplies } from '#src/core/redis-replies.ts'
import { within } from '#src/core/wait.ts'
import type { RedisFailure } from './events.ts'
import { type ScriptCommands, scripts } from './redis-scripts.ts'

boundRedisReplies()

export type RedisConnection = Redis & ScriptCommands

/**
 * One connection to the cache's Redis, made in the background and made again for as long as it is not closed. Nothing
 * waits in line for it: while it is not there, a command fails at once.
 *
 * @param name shown in Redis' CLIENT LIST
 * @param silenceMaxMs a server that owes an answer and sends nothing for so long has its connection ended
 */
export function openRedisConnection({
  url,
  name,
  silenceMaxMs,
}: {
  url: string
  name: string
  silenceMaxMs: number
}): RedisConnection {
  const beside = opened.get(url) ?? { leaves: leavesFollower(), all: new Set() }
  const redis: Redis = new Redis(url, {
    connectionName: name,
    scripts,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: silenceMaxMs,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), RECONNECT_MS_MAX) + Math.random() * 100,
    reconnectOnError: (error) => {
      if (!beside.leaves(error)) return false
      // Who only reads there, or listens, is never told that another has taken its place.
      for (const other of beside.all) if (other !== redis && other.status === 'ready') other.disconnect(true)
      return true
    },
  })
  opened.set(url, beside)
  beside.all.add(redis)
  redis.on('end', () => {
    beside.all.delete(redis)
    if (beside.all.size === 0) opened.delete(url)
  })
  // Without a listener every failed attempt is printed. That Redis is away shows in what is asked of it. Where the database of the address
  // is refused, as one it has not, or to a user who may choose none, the first would be used instead, which may be another's.
  redis.on('error', (error: Error & { command?: { name: string } }) => {
    if (error.command?.name === 'select') redis.disconnect(true)
  })
  return redis as RedisConnection
}

/** Those of this process that lead to the same place, until they are closed: they leave it together. */
const opened = new Map<string, { leaves: (error: Error) => boolean; all: Set<Redis> }>()

/** True when the connection is there before the time is up. */
export async function isReadyWithin(redis: Redis, ms: number): Promise<boolean> {
  const signal = AbortSignal.timeout(ms)
  while (redis.status !== 'ready') {
    // A failed attempt rejects as well, and is followed by another.
    await once(redis, 'ready', { signal }).catch(() => {})
    if (signal.aborted) return false
  }
  return true
}

/** Ends the connection and stops making new ones; what was asked and not answered fails. */
export async function closeRedisConnection(redis: Redis): Promise<void> {
  if (redis.status === 'end') return
  // Between two attempts there is nothing to end but the timer, and nobody tells of that.
  const isConnected = redis.status !== 'reconnecting' && redis.status !== 'close'
  const ended = isConnected
    ? once(redis, 'end', { signal: AbortSignal.timeout(4 * DISCONNECT_TIMEOUT_MS) }).catch(() => {})
    : undefined
  redis.disconnect()
  await ended
}

/** Redis was asked and did not answer in time. */
export class RedisTimeout extends Error {}

/** The answer, or a RedisTimeout after `ms`. */
export function answerWithin<T>(answer: Promise<T>, ms: number): Promise<T> {
  return within(answer, ms, () => {
    throw new RedisTimeout()
  })
}

/** ioredis puts the whole command, and so what the register said of people, into its errors: only this word goes on. */
export function failureOf(error: unknown): RedisFailure {
  if (error instanceof RedisTimeout) return 'timeout'
  if (!(error instanceof Error) || error.name !== 'ReplyError') return 'unreachable'
  return /^OOM\b/.test(error.message) ? 'full' : 'refused'
}

const CONNECT_TIMEOUT_MS = 1000
const DISCONNECT_TIMEOUT_MS = 100
const RECONNECT_MS_MAX = 1000

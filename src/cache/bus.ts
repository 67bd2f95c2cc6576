import type { Clock } from '#src/core/clock.ts'
import { tellUnreadable } from '#src/core/unreadable.ts'
import { type CacheChange, readChange } from './change.ts'
import type { OnCacheEvent } from './events.ts'
import { answerWithin, closeRedisConnection, openRedisConnection } from './redis-connection.ts'
import { channelOf } from './redis-keys.ts'

export type Bus = ReturnType<typeof createBus>

/**
 * Hears what other processes do to companies this one may have in memory. Redis tells it in the same step as it does it;
 * what is told while nobody listens is lost, so `hasHeardAllSince` says from when on nothing can have been missed.
 *
 * @param heartbeatMs how often the connection is proven: a peer that vanished without a word is noticed answerWithin two of them
 */
export function createBus({
  url,
  schemaVersion,
  clock,
  heartbeatMs,
  onEvent,
}: {
  url: string
  schemaVersion: number
  clock: Clock
  heartbeatMs: number
  onEvent: OnCacheEvent
}) {
  const redis = openRedisConnection({ url, name: 'bo-cache-bus', silenceMaxMs: heartbeatMs })
  const listeners = new Set<(change: CacheChange) => void>()
  let listeningSince: number | null = null
  let heardUntil: { since: number; lostAt: number } | null = null

  function listening(isListening: boolean): void {
    const now = clock.now().getTime()
    if (isListening === (listeningSince !== null)) return
    if (listeningSince !== null) heardUntil = { since: listeningSince, lostAt: now }
    listeningSince = isListening ? now : null
    onEvent({ kind: 'bus-listening', isListening })
  }

  redis.on('ready', () => {
    redis.subscribe(channelOf(schemaVersion, redis.options.db)).then(
      () => listening(redis.status === 'ready'),
      () => redis.disconnect(true),
    )
  })
  redis.on('close', () => listening(false))
  // In a turn of its own: what fails there is a fault of ours, and not of the connection it came by.
  redis.on('message', (_channel, line) => queueMicrotask(() => hear(line)))
  function hear(line: string): void {
    const change = readChange(line)
    if (change === null) tellUnreadable('buss')
    else for (const listener of listeners) listener(change)
  }
  const heartbeat = setInterval(() => {
    if (redis.status !== 'ready') return
    answerWithin(redis.ping(), heartbeatMs).catch(() => redis.disconnect(true))
  }, heartbeatMs)
  heartbeat.unref()

  return {
    onChange(listener: (change: CacheChange) => void): void {
      listeners.add(listener)
    },

    isListening: (): boolean => listeningSince !== null,

    /**
     * True when everything told since `time` has been heard. After the connection is lost this stays true for `patienceMs`
     * for what was true until then: nobody is made to ask for everything again because of a hiccup.
     */
    hasHeardAllSince(time: number, now: number, patienceMs: number): boolean {
      // In the same millisecond it may as well have been before.
      if (listeningSince !== null) return time > listeningSince
      return heardUntil !== null && time > heardUntil.since && now - heardUntil.lostAt < patienceMs
    },

    /** True when nothing told since `time` was missed but for what was told while nobody listened just now. */
    hasHeardAllUntilLately(time: number): boolean {
      if (listeningSince === null) return false
      return time > listeningSince || (heardUntil !== null && time > heardUntil.since)
    },

    /**
     * Whoever knows that Redis has lost something since `time` says so: what was heard before is as after a lost connection.
     * One that was lost since then and is there again is the same loss, found out twice.
     */
    hasLost(time: number): void {
      if (listeningSince === null) return
      const before = listeningSince >= time ? heardUntil?.since : undefined
      listening(false)
      if (heardUntil !== null && before !== undefined) heardUntil.since = before
      listening(true)
    },

    async close(): Promise<void> {
      clearInterval(heartbeat)
      listeners.clear()
      await closeRedisConnection(redis)
    },
  }
}

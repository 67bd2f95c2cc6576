import type { OnCacheEvent } from './events.ts'
import { createCircuit } from './redis-circuit.ts'
import {
  answerWithin,
  closeRedisConnection,
  failureOf,
  isReadyWithin,
  openRedisConnection,
  type RedisConnection,
} from './redis-connection.ts'

/**
 * Asks Redis on behalf of readers, who do not wait: a question has its time, and without an answer it is done without one.
 * After a few such failures nothing is asked any more until Redis is seen to answer again, so a Redis that is away, slow or
 * full costs some readers `answerMs` and the others nothing (P15).
 */
export function createRedisReaders({
  url,
  answerMs,
  failuresMax,
  probeEveryMs,
  onEvent,
}: {
  url: string
  answerMs: number
  failuresMax: number
  probeEveryMs: number
  onEvent: OnCacheEvent
}) {
  const redis = openRedisConnection({ url, name: 'bo-cache', silenceMaxMs: SILENCE_MS_MAX })
  const circuit = createCircuit({
    failuresMax,
    probeEveryMs,
    probe: () => answerWithin(redis.ping(), answerMs),
    onChange: tellUsable,
  })
  const counts = { asked: 0, failed: 0, skipped: 0 }
  let wasUsable = false
  redis.on('ready', tellUsable)
  redis.on('close', tellUsable)

  function isUsable(): boolean {
    return redis.status === 'ready' && circuit.isClosed()
  }

  function tellUsable(): void {
    if (isUsable() === wasUsable) return
    wasUsable = !wasUsable
    onEvent({ kind: 'redis-usable', isUsable: wasUsable })
  }

  return {
    isUsable,

    isReady: (withinMs: number): Promise<boolean> => isReadyWithin(redis, withinMs),

    /** The answer to one question, or null when there is none to be had in time. */
    async ask<T>(
      operation: string,
      withinMs: number,
      command: (redis: RedisConnection) => Promise<T>,
    ): Promise<T | null> {
      if (!isUsable()) {
        counts.skipped++
        return null
      }
      counts.asked++
      const asked = circuit.asked()
      try {
        const answer = await answerWithin(command(redis), withinMs)
        circuit.succeeded()
        return answer
      } catch (error) {
        const why = failureOf(error)
        counts.failed++
        // An error reply is an answer, and came in time.
        if (why === 'timeout' || why === 'unreachable') circuit.failed(asked)
        else circuit.succeeded()
        onEvent({ kind: 'redis-failure', operation, why, withinMs })
        return null
      }
    },

    stats: () => ({ isUsable: isUsable(), ...counts }),

    async close(): Promise<void> {
      circuit.end()
      await closeRedisConnection(redis)
    },
  }
}

/** A connection that owes an answer this long is hung; made anew, it is not used before Redis has answered on it. */
const SILENCE_MS_MAX = 1000

import type { Log } from '#src/core/log.ts'
import { createRepeat, repeat } from '#src/core/repeat.ts'
import type { PushWork } from '#src/push/work.ts'
import type { EndpointInLine } from '#src/storage/push/sending.ts'

/**
 * Keeps changes going out: the log is gone through as soon as PostgreSQL tells of a change, endpoints that have something to send are
 * rung for, and a look each second finds what nobody rang for, be it that the queue lost it or that an attempt is due again. While
 * the queue is away it sends by itself, fewer at a time.
 */
export function keepDeliveries(
  work: Pick<PushWork, 'follow' | 'fanOut' | 'due' | 'turn' | 'upkeep'>,
  {
    ring,
    log,
    policy,
  }: {
    /** These have something to send. @throws when the queue is away */
    ring: (...endpoints: EndpointInLine[]) => Promise<unknown>
    log: Log
    policy: {
      fanOutEveryMs: number
      sweepEveryMs: number
      upkeepEveryMs: number
      retryMs: number
    }
  },
): { close(): Promise<void> } {
  const { fanOutEveryMs, sweepEveryMs, upkeepEveryMs, retryMs } = policy
  const goingThrough = createRepeat(
    {
      everyMs: fanOutEveryMs,
      retryMs,
      onFault: (error) =>
        log.warn({ err: error }, 'the log of changes could not be gone through for endpoints'),
    },
    async (signal: AbortSignal) => {
      for (let hasMore = true; hasMore && !signal.aborted; ) {
        const { endpoints, hasMore: goesOn } = await work.fanOut()
        if (endpoints.length > 0) await ring(...endpoints).catch(() => {})
        hasMore = goesOn
      }
    },
  )
  void goingThrough.start()
  const following = work.follow(goingThrough.again)
  const sweeping = repeat('deliveries', { afterMs: sweepEveryMs, retryMs, log }, async (signal) => {
    const due = await work.due()
    if (due.length === 0) return
    try {
      await ring(...due)
    } catch (error) {
      log.debug({ err: error }, 'the queue is away: deliveries are sent without it')
      const lines = [...Map.groupBy(due, ({ line }) => line).values()]
      const hands = lines.flatMap((waiting) =>
        Array.from({ length: WITHOUT_QUEUE_AT_ONCE }, async () => {
          for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift())
            await work.turn(next.id, { signal, line: next.line })
        }),
      )
      await Promise.all(hands)
    }
  })
  const upkeep = repeat('endpoints', { afterMs: upkeepEveryMs, retryMs, log }, () => work.upkeep())
  return {
    async close() {
      await Promise.all([following, goingThrough, sweeping, upkeep].map((part) => part.close()))
    },
  }
}

/** Of each line. */
const WITHOUT_QUEUE_AT_ONCE = 8

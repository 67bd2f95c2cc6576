import type { FastifyReply } from 'fastify'
import { createTurns } from '#src/core/turns.ts'
import { abortAfterReading } from '#src/core/wait.ts'
import { whenOver } from './when-over.ts'

export type PlaceBounds = {
  readonly atOnce: number
  readonly forOneMax: number
  readonly waitingMax: number
  readonly waitMs: number
}

/**
 * Places of what holds much while it is under way: a list that is being sent, what was found ahead of what the client reads, a
 * whole table. One has so many of them, and whoever comes then waits for a turn: what one sends, and leaves unread, takes no other's
 * room (P99).
 *
 * @param refusal what whoever got none in time is told; `isOwn`: for what they have under way themselves
 */
export function createPlaces(
  { atOnce, forOneMax, waitingMax, waitMs }: PlaceBounds,
  refusal: (isOwn: boolean) => Error,
) {
  const turns = createTurns({ atOnce, atOnceForOne: forOneMax, waitingMax })

  return {
    /**
     * Comes back when there is a place, which is given back when the answer has been sent, or the client has left.
     *
     * @param of whose places they are
     * @returns gives it back earlier, where there is nothing to be held after all
     * @throws the refusal when none came in time
     */
    async take(reply: Pick<FastifyReply, 'raw'>, of: string): Promise<() => void> {
      const begun = Promise.withResolvers<void>()
      const over = Promise.withResolvers<void>()
      const gone = new AbortController()
      const leave = () => {
        gone.abort()
        over.resolve()
      }
      const noLonger = whenOver(reply, leave)
      const waited = abortAfterReading(waitMs, gone)
      const work = () => {
        waited()
        begun.resolve()
        return over.promise
      }
      turns.run({ of, rank: 0 }, work, gone.signal).catch((error) => {
        waited()
        begun.reject(refusal(turns.isForOwn(of, error)))
      })
      await begun.promise
      return () => {
        noLonger()
        leave()
      }
    },
  }
}

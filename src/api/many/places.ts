import type { FastifyReply, FastifyRequest } from 'fastify'
import { networkOf } from '#src/core/client-network.ts'
import { createTurns } from '#src/core/turns.ts'
import { readerKey } from '../bearer.ts'
import { crowded } from '../routes/bedrift.ts'
import { whenOver } from '../when-over.ts'

/**
 * Places of answers that hold much while they are under way: a list, what was found ahead of what the client reads, a whole
 * table. One has so many of them, and whoever comes then waits for a turn: what one sends, and leaves unread, takes no other's
 * room (P99).
 */
export function createPlaces({
  atOnce,
  forOneMax,
  waitingMax,
  waitMs,
}: {
  atOnce: number
  forOneMax: number
  waitingMax: number
  waitMs: number
}) {
  const turns = createTurns({ atOnce, atOnceForOne: forOneMax, waitingMax })

  return {
    /**
     * Comes back when there is a place, which is given back when the answer has been sent, or the client has left.
     *
     * @param of whose places they are
     * @throws Problem `for_mange_oppslag` when none came in time
     */
    async take(reply: FastifyReply, of: string): Promise<void> {
      const begun = Promise.withResolvers<void>()
      const over = Promise.withResolvers<void>()
      const gone = new AbortController()
      const leave = () => {
        gone.abort()
        over.resolve()
      }
      whenOver(reply, leave)
      const timer = setTimeout(() => gone.abort(), waitMs)
      const work = () => {
        clearTimeout(timer)
        begun.resolve()
        return over.promise
      }
      turns.run({ of, rank: 0 }, work, gone.signal).catch(() => {
        clearTimeout(timer)
        begun.reject(crowded())
      })
      await begun.promise
    },
  }
}

/** Whose places they are: a key's, and of test keys, which everybody may have, a network's. */
export function ofWhom(request: FastifyRequest): string {
  return request.isTest ? networkOf(request.ip) : readerKey(request).id
}

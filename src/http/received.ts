import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify'
import { isStrangerAsking } from '#src/core/asker.ts'
import { createTurns } from '#src/core/turns.ts'
import { Problem } from './problem.ts'
import type { ReceivedSum, SumHolder } from './received-sum.ts'
import type { CountedRequest } from './server/gathered-request.ts'
import { whenOver } from './when-over.ts'

export type ReceivingBounds = {
  readonly freeBytes: number
  readonly atOnce: number
  readonly forOneMax: number
  readonly waitingMax: number
  readonly waitMs: number
  readonly heldMs: number
}

/** What came, whole. `giveBack`: it is held no more; with the end of the request it is given back anyhow. */
type Received = { payload: RequestPayload; giveBack: () => void }

declare module 'fastify' {
  interface FastifyInstance {
    /** Of all that is received at any address. */
    receivedSum: ReceivedSum
  }
}

/**
 * Receives what is sent along before anything is begun with it: whoever is slow with it, or never comes to its end, takes the place
 * of nobody who is whole (P147). A short one needs none here either. A long one has a place from where it is no longer short, for
 * as long as it likes; but from `heldMs` on whoever waits for a place gets that of the slowest.
 *
 * @param refusal what whoever got no place in time is told; `isOwn`: for what they send besides
 */
export function createReceiving(
  { freeBytes, atOnce, forOneMax, waitingMax, waitMs, heldMs }: ReceivingBounds,
  refusal: (isOwn: boolean) => Error,
) {
  const turns = createTurns({ atOnce, atOnceForOne: forOneMax, waitingMax })
  /** Longest first. */
  const holders = new Set<SumHolder>()
  let looking: NodeJS.Timeout | undefined

  function hold(holder: SumHolder): void {
    holders.add(holder)
    // So often that all places change hands in the time one is held: whoever waits behind as many as there are waits no longer.
    looking ??= setInterval(letGoOfOne, heldMs / atOnce).unref()
  }

  function isWhole(holder: SumHolder): void {
    holders.delete(holder)
    if (holders.size > 0) return
    clearInterval(looking)
    looking = undefined
  }

  function letGoOfOne(): void {
    const now = performance.now()
    for (const holder of holders) {
      if (now - holder.since < heldMs) return
      if (!turns.isWanted(holder.of)) continue
      holder.letGo()
      return
    }
  }

  /** @throws the refusal when none came in time */
  async function place(of: string, over: Promise<void>, gone: AbortSignal): Promise<void> {
    const begun = Promise.withResolvers<void>()
    const work = () => {
      begun.resolve()
      return over
    }
    const patience = AbortSignal.any([gone, AbortSignal.timeout(waitMs)])
    turns.run({ of, rank: 0 }, work, patience).catch((error) => {
      begun.reject(refusal(turns.isForOwn(of, error)))
    })
    await begun.promise
  }

  /**
   * @param of whose places they are
   * @throws Problem `ugyldig_foresporsel` when its client leaves, `for_stor` when it is longer than `bytesMax`, `tidsavbrudd` when another got its place before it was whole; the
   *   refusal
   */
  return async function receive(
    reply: FastifyReply,
    payload: RequestPayload,
    { of, bytesMax }: { of: string; bytesMax: number },
  ): Promise<Received> {
    const gone = new AbortController()
    const over = Promise.withResolvers<void>()
    const slow = Promise.withResolvers<never>()
    slow.promise.catch(() => {})
    whenOver(reply, () => {
      gone.abort()
      over.resolve()
    })
    const pieces = payload[Symbol.asyncIterator]()
    const chunks: Buffer[] = []
    let bytes = 0
    const { receivedSum } = reply.server
    let holder: SumHolder | null = null
    try {
      if (declared(reply.request) > bytesMax) throw new Problem('for_stor')
      for (;;) {
        // What has come is left where it is until there is a place for it: Node fetches as much again in its stead.
        if (holder === null && bytes + payload.readableLength > freeBytes) {
          await place(of, over.promise, gone.signal)
          const own: SumHolder = {
            of,
            isStranger: isStrangerAsking(),
            since: performance.now(),
            bytes,
            letGo: () => slow.reject(new Problem('tidsavbrudd')),
          }
          holder = own
          hold(own)
          receivedSum.hold(own)
          over.promise.then(() => receivedSum.leave(own))
          countNoMore(reply.request)
        }
        const { done, value } = await Promise.race([pieces.next().catch(leftBefore), slow.promise])
        if (done === true) break
        const chunk: Buffer = typeof value === 'string' ? Buffer.from(value) : value
        bytes += chunk.length
        if (bytes > bytesMax) throw new Problem('for_stor')
        chunks.push(chunk)
        if (holder !== null) receivedSum.come(holder, chunk.length)
      }
    } catch (error) {
      over.resolve()
      // Nobody reads what is still to come of it.
      reply.header('connection', 'close')
      throw error
    } finally {
      if (holder !== null) {
        isWhole(holder)
        receivedSum.whole(holder)
      }
    }
    return { payload: Readable.from(chunks), giveBack: over.resolve }
  }
}

/** Of the client's making, and no fault: it has left before it was whole, or breaks HTTP. */
function leftBefore(): never {
  throw new Problem('ugyldig_foresporsel')
}

/** Who has a place is bounded by it. */
function countNoMore({ raw }: { raw: object & Partial<CountedRequest> }): void {
  raw.countNoMore?.()
}

function declared({ headers }: FastifyRequest): number {
  return Number(headers['content-length'] ?? 0)
}

import ioredisReplies from 'ioredis/built/DataHandler.js'
import { createFrameCheck } from './redis-frames.ts'

const isBounded = Symbol('bounded')

/**
 * Whatever says something where a Redis should stand ends its own connection at most. ioredis, as it is, ends the process at a few bytes,
 * or keeps it for good: an answer nobody asked for, or of another type than what was asked has, is an error thrown where nobody catches
 * it, and lengths are believed. Of every connection that this process makes from now on, BullMQ's among them.
 */
export function boundRedisReplies(): void {
  // What it makes for each connection is looked for here each time.
  const replies = ioredisReplies as unknown as { default: ReplyHandler & { [isBounded]?: true } }
  const Original = replies.default
  if (Original[isBounded]) return
  replies.default = class extends Original {
    static override readonly [isBounded] = true
    #isOver = false

    constructor(redis: Connection, options: unknown) {
      super(redis, options)
      const { stream } = redis
      const [read] = stream.listeners('data') as Hear[]
      if (read === undefined) throw new Error('ioredis reads its connection in another way than it did')
      const check = createFrameCheck(REPLY_BYTES_MAX)
      stream.off('data', read)
      // First, as it was: the silence of who owes an answer is looked at behind it.
      stream.prependListener('data', (said: Buffer) => {
        if (this.#isOver) return
        try {
          check(said)
        } catch (error) {
          return this.returnFatalError(error as Error)
        }
        read(said)
      })
    }

    override dispatch(reply: () => void): void {
      if (this.#isOver) return
      try {
        reply()
        // Whoever was bidden goodbye (QUIT) ends the connection, or does not.
        if (this.redis.manuallyClosing && this.redis.commandQueue.length === 0) this.redis.disconnect()
      } catch (cause) {
        this.returnFatalError(new Error('an answer to nothing that was asked', { cause }))
      }
    }

    override returnFatalError(error: Error): void {
      if (this.#isOver) return
      this.#isOver = true
      super.returnFatalError(error)
    }
  }
}

/** Thirty-two companies in one, each ten times as long as most are. */
const REPLY_BYTES_MAX = 32 * 1024 * 1024

type Connection = {
  readonly stream: NodeJS.ReadableStream
  readonly manuallyClosing: boolean
  readonly commandQueue: { readonly length: number }
  disconnect(): void
}
type Hear = (said: Buffer) => void

/** What is used of ioredis' own, one for each connection. */
type ReplyHandler = new (
  redis: Connection,
  options: unknown,
) => {
  readonly redis: Connection
  /** An answer is whole: hands it to whoever asked. */
  dispatch(reply: () => void): void
  /** What was asked and not answered fails, and the connection is made anew. */
  returnFatalError(error: Error): void
}

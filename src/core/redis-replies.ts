import ioredisReplies from 'ioredis/built/DataHandler.js'

const isBounded = Symbol('bounded')

/**
 * Whatever says something where a Redis should stand ends its own connection at most. ioredis, as it is, ends the process at a few bytes:
 * an answer nobody asked for, or of another type than what was asked has, is an error thrown where nobody catches it. And it holds one
 * answer for as long as that goes on. Of every connection that this process makes from now on, BullMQ's among them.
 */
export function boundRedisReplies(): void {
  // What it makes for each connection is looked for here each time.
  const replies = ioredisReplies as unknown as { default: ReplyHandler & { [isBounded]?: true } }
  const Original = replies.default
  if (Original[isBounded]) return
  replies.default = class extends Original {
    static override readonly [isBounded] = true
    #saidBytes = 0
    #isOver = false

    constructor(redis: Connection, options: unknown) {
      super(redis, options)
      // Behind the one that reads it.
      redis.stream.on('data', ({ length }: Buffer) => {
        this.#saidBytes += length
        if (this.#saidBytes > REPLY_BYTES_MAX) this.#end(new Error('an answer without end'))
      })
    }

    override dispatch(reply: () => void): void {
      if (this.#isOver) return
      this.#saidBytes = 0
      try {
        reply()
      } catch (cause) {
        this.#end(new Error('an answer to nothing that was asked', { cause }))
      }
    }

    #end(error: Error): void {
      if (!this.#isOver) this.returnFatalError(error)
      this.#isOver = true
    }
  }
}

/** Thirty-two companies in one, each ten times as long as most are. */
const REPLY_BYTES_MAX = 32 * 1024 * 1024

type Connection = { readonly stream: NodeJS.ReadableStream }

/** What is used of ioredis' own, one for each connection. */
type ReplyHandler = new (
  redis: Connection,
  options: unknown,
) => {
  /** An answer is whole: hands it to whoever asked. */
  dispatch(reply: () => void): void
  /** What was asked and not answered fails, and the connection is made anew. */
  returnFatalError(error: Error): void
}

import { Readable, type ReadableOptions } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Pieces of lines that are sent together, so many bytes at a time: what is at hand goes together, and what is made is sent before
 * the next is waited for.
 *
 * A piece that is long is passed on as it is. To copy records together is not only their bytes: memory of that kind, taken and
 * left by the megabyte, has the whole heap looked through again and again, which cost twice what all else of a list did.
 *
 * @param lines some at a time, as the pieces they are made of
 */
export async function* inChunks(
  lines: AsyncGenerator<readonly Buffer[]>,
  bytesMax: number,
): AsyncGenerator<Buffer[]> {
  let held: Buffer[] = []
  let bytes = 0
  /** Begun with the first line that is held, for all that come in the same turn of the process. */
  let turn: Promise<typeof NOT_YET> | null = null
  const taken = () => {
    const chunk = shortOnesJoined(held)
    held = []
    bytes = 0
    return chunk
  }
  try {
    while (true) {
      const next = lines.next()
      next.catch(() => {})
      if (held.length > 0) {
        turn ??= nextTurn(NOT_YET)
        if ((await Promise.race([next, turn])) === NOT_YET) {
          turn = null
          yield taken()
        }
      }
      const { done, value } = await next
      if (done) break
      for (const piece of value) {
        // What ends the line before it goes with that.
        if (bytes >= bytesMax && piece.length > SHORT_BYTES) yield taken()
        held.push(piece)
        bytes += piece.length
      }
      if (bytes >= bytesMax) yield taken()
    }
    if (held.length > 0) yield taken()
  } finally {
    await lines.return(undefined)
  }
}

const NOT_YET = Symbol('not yet')

/** What is no longer than this costs less to copy than to send by itself. */
const SHORT_BYTES = 4096

function shortOnesJoined(pieces: readonly Buffer[]): Buffer[] {
  const joined: Buffer[] = []
  let short: Buffer[] = []
  const join = () => {
    const [only] = short
    if (only !== undefined) joined.push(short.length === 1 ? only : Buffer.concat(short))
    short = []
  }
  for (const piece of pieces) {
    if (piece.length <= SHORT_BYTES) short.push(piece)
    else {
      join()
      joined.push(piece)
    }
  }
  join()
  return joined
}

/** For whoever does more with each piece than pass it on. */
export async function* inOnePiece(chunks: AsyncGenerator<readonly Buffer[]>): AsyncGenerator<Buffer[]> {
  for await (const pieces of chunks) yield [Buffer.concat(pieces)]
}

/** Each chunk is made when the one before it has been taken; who ends the stream ends their making. */
export function streamOf(chunks: AsyncGenerator<readonly Buffer[]>, highWaterMark: number): Readable {
  return streamed(chunks, { highWaterMark }, (stream, pieces) => {
    for (const piece of pieces) stream.push(piece)
  })
}

/** The same for whoever takes the pieces of a chunk together, as they are (`ComposedResponse`): none lies ready beside it. */
export function streamOfChunks(chunks: AsyncGenerator<readonly Buffer[]>): Readable {
  return streamed(chunks, { objectMode: true, highWaterMark: 0 }, (stream, pieces) => stream.push(pieces))
}

function streamed(
  chunks: AsyncGenerator<readonly Buffer[]>,
  form: Pick<ReadableOptions, 'objectMode' | 'highWaterMark'>,
  handOn: (stream: Readable, pieces: readonly Buffer[]) => void,
): Readable {
  return new Readable({
    ...form,
    read() {
      chunks.next().then(
        ({ done, value }) => {
          if (done) this.push(null)
          else handOn(this, value)
        },
        (error: Error) => this.destroy(error),
      )
    },
    destroy(error, done) {
      chunks.return(undefined).then(
        () => done(error),
        (fault: Error) => done(error ?? fault),
      )
    },
  })
}

import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Pieces of lines put together to pieces of so many bytes: what is at hand goes together, and what is made is sent before the
 * next is waited for.
 *
 * @param lines some at a time, as the pieces they are made of, which are copied once
 */
export async function* inChunks(
  lines: AsyncGenerator<readonly Buffer[]>,
  bytesMax: number,
): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let bytes = 0
  /** Begun with the first line that is held, for all that come in the same turn of the process. */
  let turn: Promise<typeof NOT_YET> | null = null
  const taken = () => {
    const chunk = Buffer.concat(held)
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
        held.push(piece)
        bytes += piece.length
        if (bytes >= bytesMax) yield taken()
      }
    }
    if (held.length > 0) yield taken()
  } finally {
    await lines.return(undefined)
  }
}

const NOT_YET = Symbol('not yet')

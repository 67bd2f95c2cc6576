import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Lines put together to pieces of so many bytes: what is at hand goes together, and what is made is sent before the next is
 * waited for.
 */
export async function* inChunks(lines: AsyncGenerator<Buffer>, bytesMax: number): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let bytes = 0
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
      if (held.length > 0 && (await Promise.race([next, nextTurn(NOT_YET)])) === NOT_YET) yield taken()
      const { done, value } = await next
      if (done) break
      held.push(value)
      bytes += value.length
      if (bytes >= bytesMax) yield taken()
    }
    if (held.length > 0) yield taken()
  } finally {
    await lines.return(undefined)
  }
}

const NOT_YET = Symbol('not yet')

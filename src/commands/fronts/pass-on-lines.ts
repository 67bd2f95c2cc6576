import type { Readable } from 'node:stream'
import type { LogLines } from '#src/core/log/lines.ts'

/** A line that is longer is passed on in parts. */
const LINE_BYTES_MAX = 1024 * 1024

/**
 * Passes on whole lines only. Two processes that write to one pipe themselves cut into each other's lines, once what they
 * write at a time is longer than the pipe takes at once. While there is no room for them nothing is read, so that it is whoever
 * wrote them who finds no reader, and counts what is lost.
 */
export function passOnLines(from: Readable, to: Pick<LogLines, 'push' | 'onRoom'>): void {
  let begun: Buffer[] = []
  let begunBytes = 0

  function pass(bytes: Buffer): void {
    if (bytes.length === 0 || to.push(bytes.toString()) || from.isPaused()) return
    from.pause()
    to.onRoom(() => from.resume())
  }

  function passBegun(last: Buffer): void {
    pass(begun.length === 0 ? last : Buffer.concat([...begun, last]))
    begun = []
    begunBytes = 0
  }

  from.on('data', (chunk: Buffer) => {
    const end = chunk.lastIndexOf('\n') + 1
    if (end > 0) passBegun(chunk.subarray(0, end))
    if (end === chunk.length) return
    begun.push(chunk.subarray(end))
    begunBytes += chunk.length - end
    if (begunBytes > LINE_BYTES_MAX) passBegun(Buffer.alloc(0))
  })
  // Whoever ended in the middle of a line does not get another's behind it.
  from.once('end', () => {
    if (begunBytes > 0) passBegun(Buffer.from('\n'))
  })
}

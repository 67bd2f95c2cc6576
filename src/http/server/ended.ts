import type { Socket } from 'node:net'
import { letGoOf } from '#src/core/let-go.ts'

export type EndedBounds = {
  readonly endedQuietMs: number
  readonly endedForMsMax: number
}

/**
 * Lets go of connections that have been ended from here, with the last of an answer, and whose client does not end them too. While more
 * comes of what it was sending it is given time to come to the end, since closed before that it would be reset, and the answer lost on its
 * way. To Node such a connection is one like any other, that may be silent for as long as those may, and as long again where any of it moves.
 *
 * @param open every connection there is
 */
export function createEnded(
  { endedQuietMs, endedForMsMax }: EndedBounds,
  { open }: { open: ReadonlyMap<Socket, unknown> },
) {
  const ended = new WeakMap<Socket, { since: number; movedAt: number; bytesRead: number }>()

  function lookAt(socket: Socket, now: number): void {
    const { bytesRead } = socket
    const found = ended.get(socket) ?? { since: now, movedAt: now, bytesRead }
    ended.set(socket, found)
    if (bytesRead !== found.bytesRead) {
      found.movedAt = now
      found.bytesRead = bytesRead
    }
    if (now - found.movedAt > endedQuietMs || now - found.since > endedForMsMax) letGoOf(socket, 'halvt')
  }

  return {
    /** To be called now and again. */
    look(): void {
      const now = performance.now()
      for (const socket of open.keys()) if (socket.writableFinished) lookAt(socket, now)
    },
  }
}

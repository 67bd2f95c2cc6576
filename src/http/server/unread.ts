import type { Socket } from 'node:net'
import { letGoOf } from '#src/core/let-go.ts'

export type UnreadBounds = {
  readonly connectionTimeoutMs: number
  readonly unreadLookEveryMs: number
  readonly unreadTimeoutMs: number
  readonly unreadForMsMax: number
  readonly unreadBytesMax: number
}

/**
 * Lets go of clients that do not read what they asked for. What the system's buffers do not take waits in our memory: for as
 * long as the client takes some of it every now and then, for a bounded time, and as long as all such clients together do not
 * hold too much: beyond that the network whose clients hold the most gives the connection that holds most of it, and the next.
 *
 * @param open every connection there is
 * @param networkOf whose client it is
 * @param bytesInLine of answers behind the one that is being sent
 */
export function createUnread(
  bounds: UnreadBounds,
  {
    open,
    networkOf,
    bytesInLine,
    now = () => performance.now(),
  }: {
    open: ReadonlyMap<Socket, unknown>
    networkOf: (socket: Socket) => string
    bytesInLine: (socket: Socket) => number
    now?: () => number
  },
) {
  /** `timeout`: what it had before it fell behind. */
  const behind = new WeakMap<Socket, { since: number; timeout: number }>()

  /** @returns the bytes that wait for it, unless it was let go of */
  function lookAt(socket: Socket): number {
    const bytes = socket.writableLength
    if (bytes === 0) {
      const before = behind.get(socket)
      behind.delete(socket)
      // Unless the server has given it another time-out since: it is done with this client for now.
      if (before !== undefined && socket.timeout === bounds.unreadTimeoutMs) socket.setTimeout(before.timeout)
      return 0
    }
    const since = behind.get(socket)?.since
    if (since === undefined) {
      behind.set(socket, { since: now(), timeout: socket.timeout ?? bounds.connectionTimeoutMs })
      // Node looks whether any byte was taken since it last looked, which can not be seen from here: a client that takes none is
      // found the second time.
      socket.setTimeout(bounds.unreadTimeoutMs)
    } else if (now() - since > bounds.unreadForMsMax) {
      letGoOf(socket, 'ulest')
      return 0
    }
    return bytes + bytesInLine(socket)
  }

  return {
    /** To be called now and again. */
    look(): void {
      const waiting: Waiting[] = []
      let sum = 0
      for (const socket of open.keys()) {
        const bytes = lookAt(socket)
        if (bytes === 0) continue
        waiting.push({ socket, bytes })
        sum += bytes
      }
      if (sum <= bounds.unreadBytesMax) return
      const networks = Map.groupBy(waiting, ({ socket }) => networkOf(socket)).values()
      const inTurn = [...networks].flatMap(largestFirst).sort((a, b) => b.ofNetwork - a.ofNetwork)
      for (const { socket, bytes } of inTurn) {
        if (sum <= bounds.unreadBytesMax) return
        letGoOf(socket, 'ulest')
        sum -= bytes
      }
    },
  }
}

type Waiting = { socket: Socket; bytes: number }

/** @returns with what the network still holds when it is the turn of each */
function largestFirst(some: Waiting[]): (Waiting & { ofNetwork: number })[] {
  let left = some.reduce((sum, { bytes }) => sum + bytes, 0)
  return some
    .sort((a, b) => b.bytes - a.bytes)
    .map((each) => {
      const ofNetwork = left
      left -= each.bytes
      return { ...each, ofNetwork }
    })
}

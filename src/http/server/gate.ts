import type { Socket } from 'node:net'

export type GateBounds = {
  readonly gateEveryMs: number
  readonly gateRestMs: number
  readonly gateUnprovenMax: number
}

/** The connections of a network that are read one at a time, longest waiting first. */
type Line = {
  /** Something was answered on them. */
  proven: Set<Socket>
  /** Nothing was yet: what they will send is not known. */
  unproven: Set<Socket>
  wasProvenLast: boolean
}

/**
 * Reads the connections of networks that flood one at a time: what a flood costs is paid before it is known for one, so that
 * ten at once are ten times that, and whoever behaves at the same address is to be answered all the same. Those that were
 * answered before take turns with those that were not; after a flood nobody of such a network is read for a while.
 *
 * @param isFlooding whether a network still is to be read so
 */
export function createGate(
  { gateEveryMs, gateRestMs, gateUnprovenMax }: GateBounds,
  { isFlooding }: { isFlooding: (network: string) => boolean },
) {
  /** The network whose turn is next stands first. */
  const lines = new Map<string, Line>()
  const known = new WeakSet<Socket>()
  const hadTurn = new WeakSet<Socket>()
  let turn: NodeJS.Timeout | null = null
  let isReading = false
  let hasFlooded = false

  function lineOf(network: string): Line {
    const line = lines.get(network) ?? { proven: new Set(), unproven: new Set(), wasProvenLast: false }
    lines.set(network, line)
    return line
  }

  function comeOn(inMs: number): void {
    if (isReading || turn !== null) return
    turn = setTimeout(nextTurn, inMs).unref()
  }

  function nextTurn(): void {
    turn = null
    const [next] = lines
    if (next === undefined) return
    const [network, line] = next
    lines.delete(network)
    const isOver = !isFlooding(network) || line.proven.size + line.unproven.size === 0
    if (isOver) {
      for (const socket of [...line.proven, ...line.unproven]) socket.resume()
      comeOn(gateEveryMs)
      return
    }
    lines.set(network, line)
    const socket = takeFrom(line)
    if (socket !== null) hadTurn.add(socket)
    isReading = true
    hasFlooded = false
    socket?.resume()
    // Resumed in the next tick, read in the poll after it: by the second look what was there has been read.
    setImmediate(() =>
      setImmediate(() => {
        if (socket !== null && !socket.destroyed) putInto(line, socket)
        isReading = false
        comeOn(hasFlooded ? gateRestMs : gateEveryMs)
      }),
    )
  }

  return {
    /**
     * One that had its turn and said nothing gives its place to who comes: held on to, all of them would keep everybody out at that address.
     *
     * @returns whether one more that was never answered may wait
     */
    makeRoom(network: string): boolean {
      const unproven = lines.get(network)?.unproven ?? new Set()
      if (unproven.size < gateUnprovenMax) return true
      for (const socket of unproven) {
        if (!hadTurn.has(socket)) continue
        unproven.delete(socket)
        socket.destroy()
        return true
      }
      return false
    },

    /** From now on this one waits for its turn. One that was never answered is ended where too many of them wait. */
    hold(socket: Socket, network: string): void {
      const line = lineOf(network)
      if (!known.has(socket)) {
        if (!isProven(socket) && line.unproven.size >= gateUnprovenMax) {
          socket.destroy()
          return
        }
        known.add(socket)
        socket.once('close', () => {
          line.proven.delete(socket)
          line.unproven.delete(socket)
        })
      }
      putInto(line, socket)
      comeOn(gateEveryMs)
    },

    /** The one that was read just now has flooded. */
    noteFlood(): void {
      hasFlooded = true
    },
  }
}

function isProven(socket: Socket): boolean {
  return socket.bytesWritten > 0
}

/** Who is answered has the server read on by itself: held again, it keeps its place. */
function putInto({ proven, unproven }: Line, socket: Socket): void {
  socket.pause()
  if (!isProven(socket)) {
    unproven.add(socket)
    return
  }
  unproven.delete(socket)
  proven.add(socket)
}

function takeFrom(line: Line): Socket | null {
  const [first, second] = line.wasProvenLast ? [line.unproven, line.proven] : [line.proven, line.unproven]
  const from = first.size > 0 ? first : second
  const [socket = null] = from
  if (socket !== null) from.delete(socket)
  line.wasProvenLast = from === line.proven
  return socket
}

import type { Socket } from 'node:net'
import { letGoOf } from '#src/core/let-go.ts'
import { answerOn } from './answer-on.ts'

export type GateBounds = {
  readonly gateEveryMs: number
  readonly gateTurnMs: number
  readonly gateRestMs: number
  readonly gateRestTimes: number
  readonly gateAtOnceMax: number
  readonly gateUnprovenMax: number
}

/** The connections of a network that are read in turns, longest waiting first. */
type Line = {
  /** Something was answered on them, or is being answered. */
  proven: Set<Socket>
  /** Nothing was yet, and they were not read: what they have sent is not known. */
  unproven: Set<Socket>
  /** Nothing was yet, though they had their turn. */
  silent: Set<Socket>
  isProvenFirst: boolean
}

/**
 * Reads the connections of networks that flood a few at a time, of which the first flood is the last that is read: what a flood costs
 * is paid before it is known for one, so that ten at once are ten times that, and whoever behaves at the same address is to be answered
 * all the same, however many connect there. Those that were answered before and those that were not are the first in turns. What is no
 * flood may be as dear: a turn that took long ends as well, and after each nobody of such a network is read for some times as long as it
 * took.
 *
 * @param isFlooding whether a network still is to be read so
 */
export function createGate(
  { gateEveryMs, gateTurnMs, gateRestMs, gateRestTimes, gateAtOnceMax, gateUnprovenMax }: GateBounds,
  { isFlooding }: { isFlooding: (network: string) => boolean },
) {
  /** The network whose turn is next stands first. */
  const lines = new Map<string, Line>()
  const known = new WeakSet<Socket>()
  /** And how many bytes had been read of each before. */
  const beingRead = new Map<Socket, number>()
  let turn: NodeJS.Timeout | null = null
  let isReading = false
  let beganMs = 0
  /** What was asked on those that are read has taken so long in this turn; and since when something asked on one of them is looked at. */
  let spentMs = 0
  let ownSinceMs: number | null = null
  let hasFlooded = false

  function lineOf(network: string): Line {
    const line = lines.get(network) ?? {
      proven: new Set(),
      unproven: new Set(),
      silent: new Set(),
      isProvenFirst: false,
    }
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
    const isOver = !isFlooding(network) || line.proven.size + unansweredOf(line) === 0
    if (isOver) {
      for (const socket of [...line.proven, ...line.unproven, ...line.silent]) socket.resume()
      comeOn(gateEveryMs)
      return
    }
    lines.set(network, line)
    isReading = true
    hasFlooded = false
    beganMs = performance.now()
    spentMs = 0
    ownSinceMs = null
    for (const socket of firstOf(line, gateAtOnceMax)) {
      beingRead.set(socket, socket.bytesRead)
      socket.resume()
    }
    // Resumed in the next tick, read in the poll after it: by the second look what was there has been read.
    setImmediate(() => {
      const restMs = gateRestTimes * (performance.now() - beganMs)
      setImmediate(() => {
        for (const socket of beingRead.keys()) {
          leave(line, socket)
          if (socket.destroyed) continue
          socket.pause()
          ;(isProven(socket) ? line.proven : line.silent).add(socket)
        }
        beingRead.clear()
        isReading = false
        comeOn(Math.max(hasFlooded ? gateRestMs : gateEveryMs, restMs))
      })
    })
  }

  /** What was not read is not in this turn, and keeps its place. */
  function readNoMore(): void {
    for (const [socket, bytesBefore] of beingRead) {
      socket.pause()
      if (socket.bytesRead === bytesBefore) beingRead.delete(socket)
    }
  }

  return {
    /**
     * One that had its turn and said nothing gives its place to who comes: held on to, all of them would keep everybody out at that address.
     *
     * @returns whether one more that was never answered may wait
     */
    makeRoom(network: string): boolean {
      const line = lines.get(network)
      if (line === undefined || unansweredOf(line) < gateUnprovenMax) return true
      const [longest] = line.silent
      if (longest === undefined) return false
      line.silent.delete(longest)
      letGoOf(longest, 'trangt')
      return true
    },

    /** From now on this one waits for its turn. One that was never answered is ended where too many of them wait. */
    hold(socket: Socket, network: string): void {
      const line = lineOf(network)
      if (!known.has(socket)) {
        if (!isProven(socket) && unansweredOf(line) >= gateUnprovenMax) {
          letGoOf(socket, 'trangt')
          return
        }
        known.add(socket)
        // It may have come into another line of its network by then.
        socket.once('close', () => leave(lines.get(network), socket))
      }
      putInto(line, socket)
      comeOn(gateEveryMs)
    },

    /** Something was asked, by whichever network: what others take is no reason to read none of these. */
    noteRequest(socket: Socket): void {
      if (!isReading) return
      const now = performance.now()
      if (ownSinceMs !== null) spentMs += now - ownSinceMs
      ownSinceMs = beingRead.has(socket) ? now : null
      if (spentMs >= gateTurnMs) readNoMore()
    },

    /** This one, of whichever network, has flooded. */
    noteFlood(socket: Socket): void {
      if (!beingRead.has(socket)) return
      hasFlooded = true
      readNoMore()
    },
  }
}

function isProven(socket: Socket): boolean {
  return socket.bytesWritten > 0 || answerOn(socket)?.req.complete === true
}

function unansweredOf({ unproven, silent }: Line): number {
  return unproven.size + silent.size
}

/** Who is answered has the server read on by itself: held again, it keeps its place. */
function putInto(line: Line, socket: Socket): void {
  const { proven, unproven, silent } = line
  socket.pause()
  if (!isProven(socket)) {
    if (!silent.has(socket)) unproven.add(socket)
    return
  }
  unproven.delete(socket)
  silent.delete(socket)
  proven.add(socket)
}

function leave(line: Line | undefined, socket: Socket): void {
  line?.proven.delete(socket)
  line?.unproven.delete(socket)
  line?.silent.delete(socket)
}

/** As many of those that were answered as of the others, of whom those come first that had no turn yet. */
function firstOf(line: Line, most: number): Socket[] {
  const answered = [...line.proven.values().take(most)]
  const unproven = [...line.unproven.values().take(most)]
  const others = [...unproven, ...line.silent.values().take(most - unproven.length)]
  line.isProvenFirst = !line.isProvenFirst
  return line.isProvenFirst ? [...answered, ...others] : [...others, ...answered]
}

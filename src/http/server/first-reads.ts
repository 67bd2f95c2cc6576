import type { Socket } from 'node:net'
import { letGoOf } from '#src/core/let-go.ts'
import { createNetworkLines } from '#src/core/network-lines.ts'
import { areConnectionsTaken, newcomersWait } from '#src/core/newcomers.ts'
import { afterAllThatFollows } from '#src/core/wait.ts'

export type FirstReadBounds = {
  readonly crowdMs: number
  readonly crowdOf: number
  readonly firstReadsATurnMax: number
  readonly firstReadsWaitingMax: number
  readonly firstReadsTurnMs: number
  readonly firstReadsBusyTurnMs: number
  readonly firstReadsBusyATurnMax: number
  readonly firstReadsRestMs: number
  readonly firstReadsRestMsMax: number
  readonly networksMax: number
}

/**
 * Where many connect at a time they are all taken first, and then read a few a turn of the event loop, networks in turns: what the first
 * thing costs that somebody sends is known when it has been read, and libuv takes one connection a turn, so that whoever came behind six
 * hundred who send as much at once as they may waited until each of them had been read, and for a good part answered. Of networks that had
 * no turn yet the one that came last is read first: a crowd that came at one moment waits for itself, and not whoever comes after it. Every
 * eighth turn is that of the one that came first, which would be passed by all who come after it, however many networks those are; no more
 * of them, since those who come after it are most often cheap to read, and the crowd is not. And every other of these is that of a network
 * that had a turn before and comes again, which would be passed by all others for as long as one comes that had none: of version 6 there is
 * no end of them.
 *
 * @param read begins to read one, which was taken and not read yet
 */
export function createFirstReads(
  {
    crowdMs,
    crowdOf,
    firstReadsATurnMax,
    firstReadsWaitingMax,
    firstReadsTurnMs,
    firstReadsBusyTurnMs,
    firstReadsBusyATurnMax,
    firstReadsRestMs,
    firstReadsRestMsMax,
    networksMax,
  }: FirstReadBounds,
  { read }: { read: (socket: Socket, network: string) => void },
) {
  const lines = createNetworkLines<Socket>({ networksMax })
  let since = Number.NEGATIVE_INFINITY
  let came = 0
  let isComing = false
  /** As many as were read in no time are read twice as many at once. */
  let atOnce = 1
  let readMs: number | null = null
  /** Those that are read in this turn and have asked nothing yet, and how long what was asked on them has taken. */
  const beingRead = new Set<Socket>()
  let ownMs = 0
  /** So long have they been read since turns were left to those who are not taken yet; since when they are, and how long they were. */
  let spentMs = 0
  let leftSinceMs: number | null = null
  let leftMs = 0
  let turns = 0

  function comeOn(): void {
    if (isComing) return
    isComing = true
    setImmediate(nextTurn)
  }

  function nextTurn(): void {
    isComing = false
    const now = performance.now()
    // Those of the turn before have been read.
    if (readMs !== null) {
      const tookMs = now - readMs
      atOnce = Math.min(2 * atOnce, mostAfter(tookMs))
      spentMs += tookMs
      readMs = null
      beingRead.clear()
      ownMs = 0
    }
    if (lines.count() > 0 && !isLeftToOthers(now)) {
      for (let reads = 0; reads < atOnce; reads++) readNext()
      readMs = performance.now()
    }
    if (lines.count() > 0) newcomersWait()
    else {
      lines.forgetTurns()
      atOnce = 1
    }
    // Of the last of them as well it is to be known what they took; counted at the next crowd it would be all the time between.
    if (lines.count() > 0 || readMs !== null) comeOn()
  }

  /** Once they have been read as long as others were taken before, others are taken for as long as they come. */
  function isLeftToOthers(now: number): boolean {
    const areComing = areConnectionsTaken()
    if (leftSinceMs === null) {
      if (areComing && spentMs >= Math.max(firstReadsRestMs, leftMs)) leftSinceMs = now
    } else if (!areComing || now - leftSinceMs >= firstReadsRestMsMax) {
      leftMs = Math.min(now - leftSinceMs, firstReadsRestMsMax)
      leftSinceMs = null
      spentMs = 0
    }
    return leftSinceMs !== null
  }

  /** Of what takes its time one. Where it was something else that took it they have as much of the process, as far as that is known. */
  function mostAfter(tookMs: number): number {
    if (tookMs < firstReadsTurnMs) return firstReadsATurnMax
    const isOfOthers = tookMs < firstReadsBusyTurnMs && ownMs < tookMs / 2
    return isOfOthers ? firstReadsBusyATurnMax : 1
  }

  function readNext(): void {
    turns += 1
    const isFirsts = turns % FIRSTS_EVERY === 0
    const next = lines.next(turns % (2 * FIRSTS_EVERY) === 0 ? 'again' : isFirsts ? 'first' : 'last')
    if (next === null || next.one.destroyed) return
    beingRead.add(next.one)
    read(next.one, next.network)
  }

  return {
    /** Something was asked, on whichever connection. */
    noteRequest(socket: Socket): void {
      if (!beingRead.delete(socket)) return
      const beganMs = performance.now()
      afterAllThatFollows(() => {
        ownMs += performance.now() - beganMs
      })
    },

    /** One more is taken. @returns whether it is to wait for its turn */
    isCrowd(): boolean {
      const now = performance.now()
      if (now - since >= crowdMs) {
        since = now
        came = 0
      }
      came += 1
      return came > crowdOf || lines.count() > 0
    },

    /** Whether it was not read yet. */
    isWaiting(socket: Socket, network: string): boolean {
      return lines.isWaiting(socket, network)
    },

    /** It is not read before its turn. */
    hold(socket: Socket, network: string): void {
      socket.pause()
      if (lines.count() >= firstReadsWaitingMax) {
        const givesWay = lines.giveUpOne()
        if (givesWay !== null) letGoOf(givesWay, 'trangt')
      }
      lines.add(socket, network)
      if (lines.count() === 1) leftSinceMs ??= performance.now()
      comeOn()
    },
  }
}

const FIRSTS_EVERY = 8

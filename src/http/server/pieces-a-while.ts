import type { IncomingMessage } from 'node:http'
import { systemClock } from '#src/core/clock.ts'
import { createWindowedCount } from '#src/core/windowed-count.ts'
import { networkBehind } from './network-behind.ts'

export type PiecesAWhileBounds = {
  readonly piecesWhileMs: number
  readonly piecesWhileMax: number
  readonly piecesWhileLeft: number
  readonly piecesWhileSumMax: number
  readonly networksMax: number
}

/** They are counted by so many. */
export const PIECES_COUNTED = 500

/**
 * Small pieces of bodies by network, over a while: what one turn of the event loop has room for, each turn may have, if each time another
 * connection sends it, and a process that takes its connections one a turn takes no others meanwhile. Where all networks together have
 * sent too many, each is left some.
 *
 * @param isProxy whether an address is a proxy's in front: who is behind it has a network of their own
 */
export function createPiecesAWhile(
  { piecesWhileMs, piecesWhileMax, piecesWhileLeft, piecesWhileSumMax, networksMax }: PiecesAWhileBounds,
  { isProxy }: { isProxy: (ip: string) => boolean },
) {
  const window = { clock: systemClock, windowMs: piecesWhileMs }
  const ofEach = createWindowedCount({ ...window, namesMax: networksMax })
  const ofAll = createWindowedCount({ ...window, namesMax: 1 })

  /** This request has sent `PIECES_COUNTED` more. @returns whether they are too many */
  return function addMore(request: IncomingMessage): boolean {
    const own = ofEach.add(networkBehind(request, isProxy)).count * PIECES_COUNTED
    const sum = ofAll.add('').count * PIECES_COUNTED
    return own > piecesWhileMax || (own > piecesWhileLeft && sum > piecesWhileSumMax)
  }
}

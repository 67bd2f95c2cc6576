import type { IncomingMessage } from 'node:http'
import { systemClock } from '#src/core/clock.ts'
import { createWindowedCount } from '#src/core/windowed-count.ts'
import { networkBehind } from './network-behind.ts'

export type AWhileBounds = { readonly aWhileMs: number; readonly networksMax: number }

/** What one network may do in a while, and what each may still do when all together have done so many. */
export type Most = { readonly ofOneMax: number; readonly ofAllMax: number; readonly left: number }

/**
 * What may be done in each turn of the event loop, by network, over a while: each turn could have as much of it, if each time another
 * connection brings it, and a process that takes its connections one a turn takes no others meanwhile.
 *
 * @param isProxy whether an address is a proxy's in front: who is behind it has a network of their own
 * @param most in times it is counted
 */
export function createAWhile(
  { aWhileMs, networksMax }: AWhileBounds,
  { isProxy, most }: { isProxy: (ip: string) => boolean; most: Most },
) {
  const window = { clock: systemClock, windowMs: aWhileMs }
  const ofEach = createWindowedCount({ ...window, namesMax: networksMax })
  const ofAll = createWindowedCount({ ...window, namesMax: 1 })

  /** This request has done it once more. @returns whether that is too often */
  return function addMore(request: IncomingMessage): boolean {
    const own = ofEach.add(networkBehind(request, isProxy)).count
    const sum = ofAll.add('').count
    return own > most.ofOneMax || (own > most.left && sum > most.ofAllMax)
  }
}

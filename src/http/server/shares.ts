import type { Socket } from 'node:net'
import { systemClock } from '#src/core/clock.ts'
import { letGoOf } from '#src/core/let-go.ts'
import { createWindowedCount } from '#src/core/windowed-count.ts'
import { createFirstReads, type FirstReadBounds } from './first-reads.ts'
import { createGate, type GateBounds } from './gate.ts'

export type ShareBounds = GateBounds &
  FirstReadBounds & {
    readonly connectionsMax: number
    readonly connectionsPerNetworkMax: number
    readonly floodsMax: number
    readonly floodsPerMs: number
  }

/** What a connection is held for: the first of these is missed least. Of all but the last it is the client who is waited for. */
export const HELD_FOR = { nothingYet: 0, nothingMore: 1, restOfRequest: 2, readingAnswer: 3, work: 4 }

/**
 * Who may hold a connection. A network has a share of all there are, and when all are taken the network with the most gives
 * one to the newcomer: its oldest. Where that is the newcomer's own, or a proxy has them all, the oldest gives way that waits for nothing
 * but its own client: whoever holds as many as there may be, and asks nothing, sends half of it or does not read, would keep out who comes
 * by the same address, as all of a machine's users do, operators and what asks whether the process lives among them. A connection that
 * floods is ended; of a network where several do all are read in turns for a while (`gate.ts`): to end a flood costs more than to
 * begin one, and others at that address may behave. Where many connect at a time all are taken before they are read, networks in turns
 * (`first-reads.ts`). Behind a proxy there are many clients: it has all the connections it wants, and bounds
 * its clients itself.
 *
 * @param begin told of each that is admitted, when it is about to be read
 */
export function createShares(
  bounds: ShareBounds,
  {
    heldFor,
    begin,
  }: { heldFor: (socket: Socket) => number; begin: (socket: Socket, network: string | null) => void },
) {
  const { connectionsMax, connectionsPerNetworkMax, floodsMax, floodsPerMs, networksMax } = bounds
  const floods = createWindowedCount({ clock: systemClock, windowMs: floodsPerMs, namesMax: networksMax })
  const isFlooding = (network: string) => floods.read(network).count >= floodsMax
  const gate = createGate(bounds, { isFlooding })
  const firstReads = createFirstReads(bounds, {
    read(socket, network) {
      begin(socket, network)
      if (isFlooding(network)) gate.hold(socket, network)
      else socket.resume()
    },
  })
  /** null: by proxies. */
  const held = new Map<string | null, Set<Socket>>()
  const leaving = new Set<Socket>()
  let count = 0

  /** Oldest first. */
  function crowdOf(network: string | null): Set<Socket> {
    const found = held.get(network) ?? new Set()
    held.set(network, found)
    return found
  }

  function hold(socket: Socket, network: string | null): void {
    count += 1
    crowdOf(network).add(socket)
  }

  /** @returns false when nobody holds more than the newcomer's network */
  function makeRoom(newcomers: number): boolean {
    let largest: Set<Socket> | null = null
    for (const [network, crowd] of held)
      if (network !== null && crowd.size > (largest?.size ?? newcomers)) largest = crowd
    const [oldest] = largest ?? []
    if (oldest === undefined) return false
    letGoOf(oldest, 'trangt')
    return true
  }

  /** @returns false when all are at work, or too many are on their way out */
  function letIdleGo(network: string | null): boolean {
    const crowd = held.get(network)
    if (crowd === undefined || leaving.size >= LEAVING_MAX) return false
    let idle: Socket | null = null
    let least = HELD_FOR.work
    let looked = 0
    for (const socket of crowd) {
      looked += 1
      if (looked > LOOKED_AT_MAX || least === HELD_FOR.nothingYet) break
      if (leaving.has(socket)) continue
      const what = heldFor(socket)
      if (what < least) {
        idle = socket
        least = what
      } else if (what === HELD_FOR.work) {
        // The next newcomer is not to look at it again.
        crowd.delete(socket)
        crowd.add(socket)
      }
    }
    if (idle === null) return false
    leaving.add(idle)
    letGoOf(idle, 'trangt')
    return true
  }

  return {
    /**
     * @param network null: a proxy's
     * @returns whether it may stay; it is counted until it is over
     */
    admit(socket: Socket, network: string | null): boolean {
      const own = network === null ? 0 : (held.get(network)?.size ?? 0)
      const isWatched = network !== null && isFlooding(network)
      if (isWatched && !gate.makeRoom(network)) return false
      if (own >= connectionsPerNetworkMax) {
        if (!letIdleGo(network)) return false
      } else if (count >= connectionsMax && !makeRoom(own + 1)) {
        if (!letIdleGo(network) && !letIdleGo(null)) return false
      }
      hold(socket, network)
      const line = network === null ? null : isWatched ? gate : firstReads.isCrowd() ? firstReads : null
      if (line !== firstReads) begin(socket, network)
      // The server begins to read it in this tick.
      if (line !== null && network !== null)
        process.nextTick(() => socket.destroyed || line.hold(socket, network))
      return true
    },

    /** One that was admitted has closed. */
    over(socket: Socket, network: string | null): void {
      count -= 1
      leaving.delete(socket)
      const crowd = crowdOf(network)
      crowd.delete(socket)
      if (crowd.size === 0) held.delete(network)
    },

    /** Something was asked on this connection. */
    noteRequest(socket: Socket): void {
      gate.noteRequest(socket)
      firstReads.noteRequest(socket)
    },

    /** This connection had to be ended for what it sent. */
    noteFlood(socket: Socket, network: string | null): void {
      if (network === null) return
      gate.noteFlood(socket)
      if (floods.add(network).count < floodsMax) return
      // Before the next of them is read. Who waits to be read at all comes there when it is.
      for (const each of held.get(network) ?? [])
        if (each !== socket && !firstReads.isWaiting(each, network)) gate.hold(each, network)
    },
  }
}

/** They hold their descriptors until the system has closed them, some milliseconds later. */
const LEAVING_MAX = 50
/** Of the oldest, for each newcomer, of whom thousands may come in a second; more than are on their way out. */
const LOOKED_AT_MAX = 100

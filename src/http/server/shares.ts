import type { Socket } from 'node:net'
import { systemClock } from '#src/core/clock.ts'
import { createWindowedCount } from '#src/core/windowed-count.ts'
import { createGate, type GateBounds } from './gate.ts'

export type ShareBounds = GateBounds & {
  readonly connectionsMax: number
  readonly connectionsPerNetworkMax: number
  readonly floodsMax: number
  readonly floodsPerMs: number
  readonly networksMax: number
}

/**
 * Who may hold a connection. A network has a share of all there are, and when all are taken the network with the most gives
 * one to the newcomer: its oldest. A connection that floods is ended; of a network where several do all are read one at a time
 * for a while (`gate.ts`): to end a flood costs more than to begin one, and others at that address may behave.
 * Behind a proxy there are many clients: it has all the connections it wants, and bounds its clients itself.
 */
export function createShares(bounds: ShareBounds) {
  const { connectionsMax, connectionsPerNetworkMax, floodsMax, floodsPerMs, networksMax } = bounds
  const floods = createWindowedCount({ clock: systemClock, windowMs: floodsPerMs, namesMax: networksMax })
  const isFlooding = (network: string) => floods.read(network).count >= floodsMax
  const gate = createGate(bounds, { isFlooding })
  const held = new Map<string, Set<Socket>>()
  let count = 0

  /** Oldest first. */
  function crowdOf(network: string): Set<Socket> {
    const found = held.get(network) ?? new Set()
    held.set(network, found)
    return found
  }

  function hold(socket: Socket, network: string | null): void {
    count += 1
    if (network !== null) crowdOf(network).add(socket)
  }

  /** @returns false when nobody holds more than the newcomer's network */
  function makeRoom(newcomers: number): boolean {
    let largest: Set<Socket> | null = null
    for (const crowd of held.values()) if (crowd.size > (largest?.size ?? newcomers)) largest = crowd
    const [oldest] = largest ?? []
    oldest?.destroy()
    return oldest !== undefined
  }

  return {
    /**
     * @param network null: a proxy's
     * @returns whether it may stay; it is counted until it is over
     */
    admit(socket: Socket, network: string | null): boolean {
      const own = network === null ? 0 : (held.get(network)?.size ?? 0)
      if (own >= connectionsPerNetworkMax) return false
      const isWatched = network !== null && isFlooding(network)
      if (isWatched && !gate.hasRoom(network)) return false
      if (count >= connectionsMax && !makeRoom(own + 1)) return false
      hold(socket, network)
      // The server begins to read it in this tick.
      if (isWatched) process.nextTick(() => socket.destroyed || gate.hold(socket, network))
      return true
    },

    /** One that was admitted has closed. */
    over(socket: Socket, network: string | null): void {
      count -= 1
      if (network === null) return
      const crowd = crowdOf(network)
      crowd.delete(socket)
      if (crowd.size === 0) held.delete(network)
    },

    /** This connection had to be ended for what it sent. */
    noteFlood(socket: Socket, network: string | null): void {
      if (network === null) return
      gate.noteFlood()
      if (floods.add(network).count < floodsMax) return
      // Before the next of them is read.
      for (const each of held.get(network) ?? []) if (each !== socket) gate.hold(each, network)
    },
  }
}

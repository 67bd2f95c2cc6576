import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { BY_SOCKET, createNetworkList, networkOf } from '#src/core/client-network.ts'
import { createLine } from './line.ts'

/**
 * Has the cluster hand connections round in the turns of a line, of each address it listens at. It takes them by itself and puts all of
 * them into one of its own: here that one never has more than the next, and those by proxies, which stand for many and do not wait behind
 * whoever else reaches the port.
 *
 * @param trustProxy networks of the proxies in front
 * @returns `onItsWay`: to be told of each connection that is on its way to a front; `onRefused`: of each that a front did not take, and the
 *   cluster has again; `end`: addresses it listens at from then on have none
 */
export function handRoundInTurns({
  waitingMax,
  trustProxy,
}: {
  waitingMax: number
  trustProxy: readonly string[] | null
}): { onItsWay: (connection: Closable) => void; onRefused: (connection: Closable) => void; end: () => void } {
  const isProxy = createNetworkList(trustProxy ?? [])
  /** Of the addresses it listens at. */
  const lines = new Set<Line>()
  const takenAt = new WeakMap<Closable, Line>()

  function stand(listening: Listening): void {
    const { onconnection, close } = listening
    const line = createLine<Taken>(
      { waitingMax },
      { handOn: (taken) => onconnection.call(listening, 0, taken) },
    )
    lines.add(line)
    listening.onconnection = (error, taken) => {
      if (taken !== undefined) takenAt.set(taken, line)
      const ip = taken === undefined ? undefined : addressOf(taken)
      if (taken === undefined || (ip !== undefined && isProxy(ip))) onconnection.call(listening, error, taken)
      else line.come(taken, networkOf(ip ?? BY_SOCKET))
    }
    listening.close = (...given) => {
      lines.delete(line)
      line.end()
      close.apply(listening, given)
    }
  }

  const onListening = (message: unknown) => {
    const { server } = message as {
      server: { _handle: Listening; once(event: 'listening', tell: () => void): void }
    }
    const { _handle: listening } = server
    // Its own books, in every Node there is: the cluster takes them from the server when that listens.
    server.once('listening', () => queueMicrotask(() => stand(listening)))
  }
  subscribe(LISTENS, onListening)
  return {
    onItsWay(connection) {
      takenAt.get(connection)?.onItsWay(connection)
    },
    // The cluster gives it to another front, and keeps it for ever where none was left and it has closed the address.
    onRefused(connection) {
      const line = takenAt.get(connection)
      if (line !== undefined && !lines.has(line)) connection.close()
    },
    end: () => void unsubscribe(LISTENS, onListening),
  }
}

const LISTENS = 'tracing:net.server.listen:asyncEnd'

type Listening = {
  onconnection(error: number, taken?: Taken): void
  close(...given: unknown[]): void
}

type Closable = { close(): void }

type Line = ReturnType<typeof createLine<Taken>>

/** Of a port it knows who it is. */
type Taken = Closable & { getpeername?(of: { address?: string }): number }

function addressOf(taken: Taken): string | undefined {
  const of: { address?: string } = {}
  taken.getpeername?.(of)
  return of.address
}

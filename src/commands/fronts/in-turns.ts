import { subscribe } from 'node:diagnostics_channel'
import { networkOf } from '#src/core/client-network.ts'
import { createLine } from './line.ts'

/**
 * Has the cluster hand connections round in the turns of a line, of each address it listens at. It takes them by itself and puts all of
 * them into one of its own: here that one never has more than the next.
 *
 * @returns to be told of each connection that is on its way to a front
 */
export function handRoundInTurns(bounds: { waitingMax: number }): (connection: unknown) => void {
  const lines = new Set<ReturnType<typeof createLine<Taken>>>()

  function stand(listening: Listening): void {
    const { onconnection, close } = listening
    const line = createLine<Taken>(bounds, { handOn: (taken) => onconnection.call(listening, 0, taken) })
    lines.add(line)
    listening.onconnection = (error, taken) => {
      if (taken !== undefined) line.come(taken, networkOfTaken(taken))
      else onconnection.call(listening, error)
    }
    listening.close = (...given) => {
      lines.delete(line)
      line.end()
      close.apply(listening, given)
    }
  }

  subscribe('tracing:net.server.listen:asyncEnd', (message) => {
    const { server } = message as {
      server: { _handle: Listening; once(event: 'listening', tell: () => void): void }
    }
    const { _handle: listening } = server
    // Its own books, in every Node there is: the cluster takes them from the server when that listens.
    server.once('listening', () => queueMicrotask(() => stand(listening)))
  })
  return (connection) => {
    for (const line of lines) line.onItsWay(connection)
  }
}

type Listening = {
  onconnection(error: number, taken?: Taken): void
  close(...given: unknown[]): void
}

/** Of a port it knows who it is. */
type Taken = { close(): void; getpeername?(of: { address?: string }): number }

function networkOfTaken(taken: Taken): string {
  const of: { address?: string } = {}
  taken.getpeername?.(of)
  return networkOf(of.address ?? '')
}

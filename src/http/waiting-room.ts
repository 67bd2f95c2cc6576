import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { Readiness } from '#src/ops/readiness.ts'
import { languageOf } from './negotiation.ts'
import { Problem, problemBody } from './problem.ts'
import { listenAtSocket, type SocketAddress } from './server/at-socket.ts'
import { createIsHttps, withCommonHeaders } from './server/common-headers.ts'
import { openServer, type ServerBounds } from './server/open-server.ts'

export type WaitingRoom = {
  /** Some of its addresses, the very ones it was given, are another's from now on. Who has come to them is answered all the same. */
  leave(addresses: readonly WaitingAddress[]): Promise<void>
  close(): Promise<void>
}

/** `exclusive`: this process's own, where several share the other; `backlog`: who may wait to be taken (node:net). */
export type WaitingAddress =
  | { readonly host: string; readonly port: number; readonly exclusive?: boolean; readonly backlog?: number }
  | SocketAddress

/**
 * Answers in place of a service that can not be opened yet: it lives, is not ready, and says what it waits for. Whoever starts
 * and routes to processes then sees one that will come, and neither restarts it nor sends anybody here.
 *
 * @param publicUrl stands in the types of problems
 * @throws what the system says when an address can not be used
 */
export async function openWaitingRoom(
  addresses: readonly WaitingAddress[],
  {
    version,
    state,
    publicUrl,
    trustProxy,
    policy,
  }: {
    version: string
    state: () => Readiness
    publicUrl: string
    trustProxy: readonly string[] | null
    policy: ServerBounds
  },
): Promise<WaitingRoom> {
  const servers = new Map<WaitingAddress, Server>()
  /** They listen no more, and answer whom they have taken. */
  const leaving = new Set<Server>()

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url?.split('?')[0]
    if (path === '/health/live') write(response, 200, { lever: true, versjon: version })
    else if (path === '/health/ready') write(response, 503, state())
    else writeProblem(request, response)
  }

  function writeProblem(request: IncomingMessage, response: ServerResponse): void {
    const problem = new Problem('nokkellager_utilgjengelig')
    const body = problemBody(problem, {
      language: languageOf(request.headers['accept-language']),
      publicUrl,
      foresporselId: randomUUID(),
    })
    response.setHeader('retry-after', '5')
    write(response, 503, body, 'application/problem+json')
  }

  async function leave(left: readonly WaitingAddress[]): Promise<void> {
    await Promise.all(
      left.map(async (address) => {
        const server = servers.get(address)
        if (server === undefined) return
        await takeWhoeverCame(server)
        // Closed meanwhile.
        if (!servers.delete(address)) return
        leaving.add(server)
        server.once('close', () => leaving.delete(server))
        server.close()
      }),
    )
  }

  async function close(): Promise<void> {
    const ended = [...servers.values()].map(async (server) => {
      server.close()
      await once(server, 'close')
    })
    for (const server of [...servers.values(), ...leaving]) server.closeAllConnections()
    servers.clear()
    await Promise.all(ended)
  }

  try {
    for (const address of addresses) {
      const server = openServer(policy, {
        trustProxy,
        isAtSocket: 'path' in address,
        listener: withCommonHeaders(answer, createIsHttps(trustProxy)),
      })
      if ('path' in address) await listenAtSocket(server, address)
      else await once(server.listen(address), 'listening')
      servers.set(address, server)
    }
  } catch (error) {
    await close()
    throw error
  }
  return { leave, close }
}

/**
 * Who came while the event loop was at something else stands in the system's line, of which some are taken in a turn of the loop; or in
 * that of the process that hands them round to several fronts, one by one, as each says that it has the one before. They would be reset
 * with the line, and those are most who come while a service opens.
 */
async function takeWhoeverCame(server: Server): Promise<void> {
  let taken: number
  let all = 0
  const count = () => {
    all += 1
  }
  server.on('connection', count)
  const until = performance.now() + TAKE_MS_MAX
  do {
    taken = all
    await pause(HANDED_WITHIN_MS)
    // It may have been longer, with nobody looked at; and the first may end the turn that is under way.
    await turn()
    await turn()
  } while (all > taken && performance.now() < until)
  server.off('connection', count)
}

/** From one to the next: some times what it takes two processes that are not busy to speak with each other. */
const HANDED_WITHIN_MS = 20

/** Where they come without a pause. */
const TAKE_MS_MAX = 1000

/** Nobody keeps a connection to a server that is about to be another. */
function write(response: ServerResponse, status: number, body: object, type = 'application/json'): void {
  response
    .writeHead(status, {
      'content-type': `${type}; charset=utf-8`,
      'cache-control': 'no-store',
      connection: 'close',
    })
    .end(JSON.stringify(body))
}

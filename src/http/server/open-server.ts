import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ComposedResponse } from './composed-response.ts'
import { createInTurn, type TurnBounds } from './in-turn.ts'
import { createShares, type ShareBounds } from './shares.ts'
import { createUnread, type UnreadBounds } from './unread.ts'

/** What a client may take of a process. Each is reasoned in the policy (`http`). */
export type ServerBounds = TurnBounds &
  ShareBounds &
  UnreadBounds & {
    readonly requestTimeoutMs: number
    readonly headersTimeoutMs: number
    readonly connectionTimeoutMs: number
    readonly connectionsCheckingIntervalMs: number
    readonly idleTimeoutMs: number
    readonly idleTimeoutBehindProxyMs: number
    readonly headerBytesMax: number
  }

/**
 * The server under every port the service listens on, with all its bounds. A framework leaves a server made here as it is.
 *
 * @param trustProxy networks of the proxies in front: their connections are many clients'. Null: each is its client's own
 */
export function openServer(
  bounds: ServerBounds,
  { trustProxy, listener }: { trustProxy: readonly string[] | null; listener: RequestListener },
): Server {
  const shares = createShares(bounds, { trustProxy })
  const turns = createInTurn(bounds, { listener, onFlood: shares.noteFlood })
  const server = createServer(
    {
      requestTimeout: bounds.requestTimeoutMs,
      headersTimeout: bounds.headersTimeoutMs,
      keepAliveTimeout: trustProxy === null ? bounds.idleTimeoutMs : bounds.idleTimeoutBehindProxyMs,
      connectionsCheckingInterval: bounds.connectionsCheckingIntervalMs,
      maxHeaderSize: bounds.headerBytesMax,
      // A question without a body is not followed as a stream that might have one.
      optimizeEmptyRequests: true,
      ServerResponse: ComposedResponse as typeof ServerResponse,
    },
    turns.take,
  )
  server.setTimeout(bounds.connectionTimeoutMs)
  const open = new Set<Socket>()
  server.on('connection', (socket) => {
    if (!shares.admit(socket)) {
      socket.destroy()
      return
    }
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  const unread = createUnread(bounds, { open, bytesInLine: turns.bytesInLine })
  const looking = setInterval(unread.look, bounds.unreadLookEveryMs).unref()
  server.once('close', () => clearInterval(looking))
  return server
}

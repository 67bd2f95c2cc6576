import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ComposedResponse } from './composed-response.ts'
import { gatheredRequests, type PieceBounds } from './gathered-request.ts'
import { createInTurn, type TurnBounds } from './in-turn.ts'
import { createShares, type ShareBounds } from './shares.ts'
import { createUnread, type UnreadBounds } from './unread.ts'

/** What a client may take of a process. Each is reasoned in the policy (`http`). */
export type ServerBounds = TurnBounds &
  ShareBounds &
  PieceBounds &
  UnreadBounds & {
    readonly requestTimeoutMs: number
    readonly headersTimeoutMs: number
    readonly connectionTimeoutMs: number
    readonly connectionsCheckingIntervalMs: number
    readonly idleTimeoutMs: number
    readonly idleTimeoutBehindProxyMs: number
    readonly headerBytesMax: number
  } & CloseBounds

type CloseBounds = {
  readonly closeUnusedMs: number
  readonly closeUnfinishedMs: number
  readonly closeUnreadMs: number
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
  const last = new WeakMap<Socket, ServerResponse>()
  const begin: RequestListener = (request, response) => {
    last.set(request.socket, response)
    listener(request, response)
  }
  const turns = createInTurn(bounds, { listener: begin, onFlood: shares.noteFlood })
  const server = createServer(
    {
      requestTimeout: bounds.requestTimeoutMs,
      headersTimeout: bounds.headersTimeoutMs,
      keepAliveTimeout: trustProxy === null ? bounds.idleTimeoutMs : bounds.idleTimeoutBehindProxyMs,
      connectionsCheckingInterval: bounds.connectionsCheckingIntervalMs,
      maxHeaderSize: bounds.headerBytesMax,
      // A question without a body is not followed as a stream that might have one.
      optimizeEmptyRequests: true,
      IncomingMessage: gatheredRequests(bounds, { onFlood: shares.noteFlood }),
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
  const close = server.close.bind(server)
  server.close = (whenClosed) => {
    letGo(server, bounds, { open, last })
    return close(whenClosed)
  }
  return server
}

/**
 * Node closes the connections that have been answered, and waits for the others, however long their clients like: from then on it
 * looks for slow ones no more. Whoever's request is whole is still answered.
 *
 * @param last the answer of each connection that was begun last
 */
function letGo(
  server: Server,
  { closeUnusedMs, closeUnfinishedMs, closeUnreadMs }: CloseBounds,
  { open, last }: { open: ReadonlySet<Socket>; last: WeakMap<Socket, ServerResponse> },
): void {
  // Of whoever was answered there can only be the beginning of another.
  const isUnfinished = (socket: Socket) => {
    const response = last.get(socket)
    return response?.req.complete !== true || response.writableFinished
  }
  // One behind another waits for what is still made.
  const isUnread = (socket: Socket) => {
    const response = last.get(socket)
    return response?.writableEnded === true && response.socket !== null
  }
  const timers = [
    [closeUnusedMs, (socket: Socket) => socket.bytesRead === 0] as const,
    [closeUnfinishedMs, isUnfinished] as const,
    [closeUnreadMs, isUnread] as const,
  ].map(([afterMs, isWithout]) =>
    setTimeout(() => {
      for (const socket of open) if (isWithout(socket)) socket.destroy()
    }, afterMs),
  )
  server.once('close', () => {
    for (const timer of timers) clearTimeout(timer)
  })
}

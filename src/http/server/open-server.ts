import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { Socket } from 'node:net'
import { BY_SOCKET, createNetworkList, networkOf } from '#src/core/client-network.ts'
import { letGoOf } from '#src/core/let-go.ts'
import { connectionTaken } from '#src/core/newcomers.ts'
import { type AWhileBounds, createAWhile, type Most } from './a-while.ts'
import { answerOn } from './answer-on.ts'
import { createAtEase, type Ease, type EaseBounds } from './at-ease.ts'
import { ComposedResponse } from './composed-response.ts'
import { type CrumbBounds, createCrumbs } from './crumbs.ts'
import { createEnded, type EndedBounds } from './ended.ts'
import { type CountedRequest, gatheredRequests, type PieceBounds } from './gathered-request.ts'
import { createInTurn, type TurnBounds } from './in-turn.ts'
import { networkBehind } from './network-behind.ts'
import { createShares, HELD_FOR, type ShareBounds } from './shares.ts'
import { createUnfinished, type UnfinishedBounds } from './unfinished.ts'
import { createUnread, type UnreadBounds } from './unread.ts'
import { descriptorsOfProcess, withinDescriptors } from './within-descriptors.ts'

/** What a client may take of a process. Each is reasoned in the policy (`http`). */
export type ServerBounds = TurnBounds &
  ShareBounds &
  PieceBounds &
  CrumbBounds &
  AWhileBounds &
  UnfinishedBounds &
  EaseBounds &
  EndedBounds &
  UnreadBounds & {
    readonly piecesAWhile: Most
    readonly pipelinedAWhile: Most
    readonly requestTimeoutMs: number
    readonly headersTimeoutMs: number
    readonly connectionTimeoutMs: number
    readonly connectionsCheckingIntervalMs: number
    readonly idleTimeoutMs: number
    readonly idleTimeoutBehindProxyMs: number
    readonly headerLinesMax: number
    readonly unfinishedLookEveryMs: number
  } & CloseBounds

type CloseBounds = {
  readonly closeUnusedMs: number
  readonly closeUnfinishedMs: number
  readonly closeUnreadMs: number
  readonly closeUnansweredMs: number
}

/**
 * The server under every port the service listens on, with all its bounds. A framework leaves a server made here as it is.
 *
 * @param trustProxy networks of the proxies in front: their connections are many clients'. Null: each is its client's own
 * @param isAtSocket it listens at a Unix socket: whoever comes has the address that stands for it
 */
export function openServer(
  wanted: ServerBounds,
  {
    trustProxy,
    isAtSocket = false,
    listener,
  }: { trustProxy: readonly string[] | null; isAtSocket?: boolean; listener: RequestListener },
): Server {
  // The public side and the operators', each at a port, and where there are sockets at one besides.
  const servers = trustProxy?.includes(BY_SOCKET) ? 4 : 2
  const bounds = withinDescriptors(wanted, descriptorsOfProcess(), servers)
  const isProxy = createNetworkList(trustProxy ?? [])
  const isBehindProxy = isAtSocket || (trustProxy ?? []).some((network) => network !== BY_SOCKET)
  const open = new Map<Socket, Connection>()
  const heldFor = (socket: Socket) => whatIsHeldFor(socket, open.get(socket)?.hasAsked ?? false)
  const unfinished = createUnfinished(bounds, { isProxy, isAnswered })
  const shares = createShares(bounds, { heldFor, begin: unfinished.connected })
  const atEase = createAtEase(bounds, { open, isAnswered })
  const onFlood = (socket: Socket) => shares.noteFlood(socket, open.get(socket)?.network ?? null)
  const begin: RequestListener = (request, response) => {
    const connection = open.get(request.socket)
    if (connection?.hasAsked === false) {
      connection.hasAsked = true
      unfinished.hasAsked(request.socket)
    }
    listener(request, response)
  }
  const addPieces = createAWhile(bounds, { isProxy, most: bounds.piecesAWhile })
  const addPipelined = createAWhile(bounds, { isProxy, most: bounds.pipelinedAWhile })
  const turns = createInTurn(bounds, { listener: begin, addMore: addPipelined, onFlood })
  const take: RequestListener = (request, response) => {
    shares.noteRequest(request.socket)
    if (request.rawHeaders.length > 2 * bounds.headerLinesMax) {
      refuse(request.socket)
      return
    }
    if (!request.readableEnded) {
      unfinished.begin(request)
      // Given up: nothing is made of it.
      if (request.socket.destroyed) return
      const connection = open.get(request.socket)
      if (connection !== undefined) connection.coming = request
      response.once('finish', () => {
        leaveRest(request)
        if (connection?.coming === request && request.complete) connection.coming = null
      })
    }
    turns.take(request, response)
  }
  const server = createServer(
    {
      requestTimeout: bounds.requestTimeoutMs,
      headersTimeout: bounds.headersTimeoutMs,
      keepAliveTimeout: isBehindProxy ? bounds.idleTimeoutBehindProxyMs : bounds.idleTimeoutMs,
      connectionsCheckingInterval: bounds.connectionsCheckingIntervalMs,
      maxHeaderSize: bounds.headerBytesMax,
      // Whoever answers refuses what has none (`one-host.ts`).
      requireHostHeader: false,
      // A question without a body is not followed as a stream that might have one.
      optimizeEmptyRequests: true,
      IncomingMessage: gatheredRequests(bounds, {
        ...unfinished,
        turnOf: createCrumbs(bounds, { isProxy }),
        addMore: addPieces,
        onFlood,
      }),
      ServerResponse: ComposedResponse as typeof ServerResponse,
    },
    take,
  )
  // RFC 9110, 10.1.1: one of another kind may be left out of account. Node would answer it by itself, as one without a host: without end.
  server.on('checkExpectation', take)
  /** As Node does where a head is too long in bytes. */
  function refuse(socket: Socket): void {
    const error = Object.assign(new Error('a head of too many lines'), { code: 'HPE_HEADER_OVERFLOW' })
    if (!server.emit('clientError', error, socket)) socket.destroy()
  }

  /**
   * A connection that ends with its answer, while more of the request comes (RFC 9112, 9.6): closed at once it would be reset, and the
   * answer lost on the way. It is closed when all has come, or its time is up.
   */
  function endWhole(this: Socket): void {
    const request = open.get(this)?.coming ?? null
    if (request === null || request.complete || this.destroyed) {
      endSoon.call(this)
      return
    }
    this.end()
    request.once('end', () => endSoon.call(this))
    leaveRest(request)
  }
  server.setTimeout(bounds.connectionTimeoutMs)
  // Node ends it where nobody hears of it.
  server.on('timeout', (socket) => {
    if (socket.writableLength > 0) letGoOf(socket, 'ulest')
    else socket.destroy()
  })
  server.on('connection', (socket) => {
    connectionTaken()
    if (isAtSocket) Object.defineProperty(socket, 'remoteAddress', { value: BY_SOCKET })
    const ip = socket.remoteAddress
    const network = ip === undefined || isProxy(ip) ? null : networkOf(ip)
    // Gone before it was looked at.
    if (ip === undefined) {
      socket.destroy()
      return
    }
    if (!shares.admit(socket, network)) {
      letGoOf(socket, 'trangt')
      return
    }
    stopWhenEnded(socket)
    open.set(socket, { network, hasAsked: false, quiet: null, coming: null })
    socket.destroySoon = endWhole
    socket.setTimeout = setOtherTimeout
    socket.once('close', () => {
      open.delete(socket)
      shares.over(socket, network)
      unfinished.closed(socket)
    })
    atEase.connected()
  })
  // What is beyond it is left out by Node, and the request refused.
  server.maxHeadersCount = bounds.headerLinesMax + 1
  const lookingAtOpen = setInterval(() => {
    unfinished.look(() => begunAt(server))
    atEase.look()
  }, bounds.unfinishedLookEveryMs).unref()
  const unread = createUnread(bounds, {
    open,
    networkOf: (socket) => open.get(socket)?.network ?? clientOn(socket, isProxy),
    bytesInLine: turns.bytesInLine,
  })
  const ended = createEnded(bounds, { open })
  const looking = setInterval(() => {
    unread.look()
    ended.look()
  }, bounds.unreadLookEveryMs).unref()
  server.once('close', () => {
    clearInterval(looking)
    clearInterval(lookingAtOpen)
  })
  const close = server.close.bind(server)
  server.close = (whenClosed) => {
    letGo(server, bounds, open)
    return close(whenClosed)
  }
  return server
}

/**
 * Node goes on with what it has read of a connection that was ended, to the last of thousands of requests. Told that this one is none of
 * HTTP's any more (2), it leaves the rest alone. Its own books, in every Node there is; its types leave them out. A parser that is
 * taken for another connection is given another.
 */
function stopWhenEnded(socket: Socket & { parser?: { onIncoming?: (...about: unknown[]) => number } }): void {
  const { parser } = socket
  const { onIncoming } = parser ?? {}
  if (parser === undefined || onIncoming === undefined) return
  parser.onIncoming = (...about) => (socket.destroyed ? 2 : onIncoming(...about))
}

const { destroySoon: endSoon } = Socket.prototype

function leaveRest(request: IncomingMessage & Partial<CountedRequest>): void {
  request.leaveRest?.()
}

/** Connections with a request that has begun and is not whole: Node's own books, in every Node there is; its types leave them out. */
function begunAt(server: Server): Socket[] {
  const name = Object.getOwnPropertySymbols(server).find(
    ({ description }) => description === 'http.server.connections',
  )
  const books = server as unknown as Record<symbol, { active(): { socket: Socket }[] } | undefined>
  return (name === undefined ? undefined : books[name])?.active().map(({ socket }) => socket) ?? []
}

/**
 * Node sets it anew with each request and each answer, which takes a timer out of one list and puts it into another. Most often it is
 * what it was, and counts from what has just come or gone as it is.
 */
function setOtherTimeout(this: Socket, ms: number, tell?: () => void): Socket {
  return ms === this.timeout && tell === undefined ? this : Socket.prototype.setTimeout.call(this, ms, tell)
}

/** `coming`: the last request with something sent along, which may not have come to its end. */
type Connection = Ease & { coming: IncomingMessage | null }

/** Who is answered through a proxy's connection. */
function clientOn(socket: Socket, isProxy: (ip: string) => boolean): string {
  const request = answerOn(socket)?.req
  return request === undefined ? '' : networkBehind(request, isProxy)
}

function isAnswered(socket: Socket): boolean {
  return answerOn(socket) !== null
}

function whatIsHeldFor(socket: Socket, hasAsked: boolean): number {
  const answer = answerOn(socket)
  if (socket.writableLength > 0) return HELD_FOR.readingAnswer
  if (answer !== null) return answer.req.complete ? HELD_FOR.work : HELD_FOR.restOfRequest
  return hasAsked ? HELD_FOR.nothingMore : HELD_FOR.nothingYet
}

/**
 * Node closes the connections that have been answered, and waits for the others, however long their clients like: from then on it
 * looks for slow ones no more. Whoever's request is whole is still answered, but for who waits in a line that is too long for it.
 */
function letGo(
  server: Server,
  { closeUnusedMs, closeUnfinishedMs, closeUnreadMs, closeUnansweredMs }: CloseBounds,
  open: ReadonlyMap<Socket, Connection>,
): void {
  // Of whoever is not being answered there can only be the beginning of another.
  const isUnfinished = (socket: Socket) => answerOn(socket)?.req.complete !== true
  const isUnread = (socket: Socket) => answerOn(socket)?.writableEnded === true
  const timers = [
    [closeUnusedMs, (socket: Socket) => socket.bytesRead === 0] as const,
    [closeUnfinishedMs, isUnfinished] as const,
    [closeUnreadMs, isUnread] as const,
    [closeUnansweredMs, () => true] as const,
  ].map(([afterMs, isWithout]) =>
    setTimeout(() => {
      for (const socket of open.keys()) if (isWithout(socket)) socket.destroy()
    }, afterMs),
  )
  server.once('close', () => {
    for (const timer of timers) clearTimeout(timer)
  })
}

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type TurnBounds = {
  readonly pipelinedMax: number
  readonly pipelinedWaitingMax: number
  readonly pipelinedLinesMax: number
  readonly linesOfBody: number
}

/** What a connection has asked for beside the request that is answered next. */
type Line = {
  /** Being answered. */
  answering: Set<ServerResponse>
  /** Not begun. */
  waiting: { request: IncomingMessage; response: ServerResponse; lines: number }[]
  /** Of the heads of those, and of what may trail what is sent along with them. */
  lines: number
  /** The next will be begun when others have had their turn. */
  isComing: boolean
}

/**
 * Requests that a client sends along without waiting for answers (RFC 9112, 9.3.2) are begun one after another, other
 * connections in between, so many being under way at a time, and none while the client is behind with reading. Node reads
 * 64 kB of them in one go, some 2,500 requests, and would begin them all at once, whatever the client reads: a connection that
 * holds so many, or so many lines of heads, is ended where it stands. Of one go only the first is begun at once: what comes with a
 * body may be answered before Node looks at the next.
 *
 * A request that finds its connection idle, as nearly all do, passes at the cost of one look at a field.
 *
 * @param onFlood told of a connection that was ended for it
 */
export function createInTurn(
  { pipelinedMax, pipelinedWaitingMax, pipelinedLinesMax, linesOfBody }: TurnBounds,
  { listener, onFlood }: { listener: RequestListener; onFlood: (socket: Socket) => void },
) {
  const lines = new WeakMap<Socket, Line>()
  /** Whose request was begun last of what is read in this round of the event loop. */
  let begunLast: Socket | null = null
  const isOver = () => {
    begunLast = null
  }

  function isFirstOfGo({ socket }: IncomingMessage): boolean {
    if (begunLast === null) setImmediate(isOver)
    else if (begunLast === socket) return false
    begunLast = socket
    return true
  }

  function take(
    request: IncomingMessage,
    response: ServerResponse<IncomingMessage> & { req: IncomingMessage },
  ): void {
    // Only the response that is next to be written has the socket.
    if (response.socket !== null && isFirstOfGo(request)) {
      listener(request, response)
      return
    }
    const { socket } = request
    // Node goes on with what it has read, after the end as well.
    if (socket.destroyed) return
    const line = lines.get(socket) ?? begin(socket)
    const linesOfThis = request.rawHeaders.length / 2 + (request.readableEnded ? 0 : linesOfBody)
    line.lines += linesOfThis
    if (line.waiting.length >= pipelinedWaitingMax || line.lines > pipelinedLinesMax) {
      line.waiting = []
      onFlood(socket)
      socket.destroy()
      return
    }
    line.waiting.push({ request, response, lines: linesOfThis })
    comeOn(socket, line)
  }

  function begin(socket: Socket): Line {
    const line: Line = { answering: new Set(), waiting: [], lines: 0, isComing: false }
    lines.set(socket, line)
    socket.on('drain', () => comeOn(socket, line))
    // Node tells only the answer that is being written that its connection is gone.
    socket.once('close', () => {
      for (const response of line.answering) if (response.socket === null) response.destroy().emit('close')
    })
    return line
  }

  function comeOn(socket: Socket, line: Line): void {
    if (line.isComing || line.waiting.length === 0) return
    line.isComing = true
    setImmediate(() => {
      line.isComing = false
      beginNext(socket, line)
    })
  }

  function beginNext(socket: Socket, line: Line): void {
    // The first, which came before there was a line, is under way as well.
    if (socket.destroyed || socket.writableNeedDrain || line.answering.size + 1 >= pipelinedMax) return
    const next = line.waiting.shift()
    if (next === undefined) return
    const { request, response } = next
    line.lines -= next.lines
    line.answering.add(response)
    response.once('close', () => {
      line.answering.delete(response)
      comeOn(socket, line)
    })
    listener(request, response as Parameters<RequestListener>[1])
    comeOn(socket, line)
  }

  return {
    take,
    /** Bytes of answers that wait for those before them. */
    bytesInLine(socket: Socket): number {
      let bytes = 0
      for (const response of lines.get(socket)?.answering ?? []) {
        if (response.socket === null) bytes += response.writableLength
      }
      return bytes
    },
  }
}

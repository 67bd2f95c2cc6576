import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { letGoOf } from '#src/core/let-go.ts'
import { answerOn } from './answer-on.ts'

export type TurnBounds = {
  readonly pipelinedMax: number
  readonly pipelinedSumMax: number
  readonly pipelinedWaitingMax: number
  readonly pipelinedWaitingSumMax: number
  readonly pipelinedLinesMax: number
  readonly linesOfBody: number
}

/** What a connection has asked for beside the request that is answered next. */
type Line = {
  /** Being answered. */
  answering: Set<ServerResponse>
  /** Not begun. */
  waiting: { request: IncomingMessage; response: ServerResponse; lines: number }[]
  /** So many more that it sends along are counted with those of its network's other connections. */
  toCount: number
  /** Of the heads of those, and of what may trail what is sent along with them. */
  lines: number
  /** The next will be begun when others have had their turn. */
  isComing: boolean
  /** Whose end is waited for before the next is begun, since there are too many under way. */
  behind: ServerResponse | null
}

/**
 * Requests that a client sends along without waiting for answers (RFC 9112, 9.3.2) are begun one after another, other
 * connections in between, so many being under way at a time, and none while the client is behind with reading. Where those of all
 * connections together are many, each has one under way: what is begun waits with all that it is made of. Node reads 64 kB of them in
 * one go, some 2,500 requests, and would begin them all at once, whatever the client reads: a connection that holds so many, or so many
 * lines of heads, is ended where it stands, and so is one that would add to too many that wait. Of one go only the first is begun at
 * once: what comes with a body may be answered before Node looks at the next.
 *
 * A request that finds its connection idle, as nearly all do, passes at the cost of one look at a field.
 *
 * Each connection may send along so many, and whoever makes one after another could have all turns: of what a network sends along the
 * first on each of its connections are bounded over a while.
 *
 * @param addMore counts one of those. @returns whether its network has sent too many
 * @param onFlood told of a connection that was ended for what it holds itself
 */
export function createInTurn(
  {
    pipelinedMax,
    pipelinedSumMax,
    pipelinedWaitingMax,
    pipelinedWaitingSumMax,
    pipelinedLinesMax,
    linesOfBody,
  }: TurnBounds,
  {
    listener,
    addMore,
    onFlood,
  }: {
    listener: RequestListener
    addMore: (request: IncomingMessage) => boolean
    onFlood: (socket: Socket) => void
  },
) {
  const lines = new WeakMap<Socket, Line>()
  /** Under way beside the first of their connections. */
  let answeringSum = 0
  let waitingSum = 0
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
    const isFlood =
      line.waiting.length >= pipelinedWaitingMax ||
      line.lines > pipelinedLinesMax ||
      (line.toCount-- > 0 && addMore(request))
    if (isFlood) onFlood(socket)
    if (isFlood || waitingSum >= pipelinedWaitingSumMax) {
      forget(line)
      letGoOf(socket, isFlood ? 'flom' : 'trangt')
      return
    }
    line.waiting.push({ request, response, lines: linesOfThis })
    waitingSum += 1
    comeOn(socket, line)
  }

  function begin(socket: Socket): Line {
    const line: Line = {
      answering: new Set(),
      waiting: [],
      toCount: pipelinedWaitingMax,
      lines: 0,
      isComing: false,
      behind: null,
    }
    lines.set(socket, line)
    socket.on('drain', () => comeOn(socket, line))
    // Node tells only the answer that is being written that its connection is gone.
    socket.once('close', () => {
      forget(line)
      for (const response of line.answering) if (response.socket === null) response.destroy().emit('close')
    })
    return line
  }

  function forget(line: Line): void {
    waitingSum -= line.waiting.length
    line.waiting = []
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
    const [next] = line.waiting
    if (next === undefined) return
    const { request, response } = next
    if (answeringSum >= pipelinedSumMax && isBehindAnother(response, socket, line)) return
    line.waiting.shift()
    waitingSum -= 1
    line.lines -= next.lines
    line.answering.add(response)
    answeringSum += 1
    response.once('close', () => {
      line.answering.delete(response)
      answeringSum -= 1
      comeOn(socket, line)
    })
    listener(request, response as Parameters<RequestListener>[1])
    comeOn(socket, line)
  }

  /** Comes on when that one is over. */
  function isBehindAnother(response: ServerResponse, socket: Socket, line: Line): boolean {
    const answer = answerOn(socket)
    if (answer === null || answer === response) return false
    if (line.behind !== answer) {
      line.behind = answer
      answer.once('close', () => comeOn(socket, line))
    }
    return true
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

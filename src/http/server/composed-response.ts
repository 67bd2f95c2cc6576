import { ServerResponse } from 'node:http'

/**
 * Node's own response, some lines of whose head are composed by whoever answers: they go out behind the status line, which Node
 * takes as it is. To have Node look at a dozen headers one by one costs as much as the rest of a held answer.
 *
 * Everything Node knows of an answer stays its own, since nothing is written past it: whether the connection goes on, how long
 * the body is, whose turn it is on the connection, what of it has been sent. So the lines may name nothing that Node decides by:
 * Connection, Content-Length, Date, Expect, Keep-Alive, Trailer, Transfer-Encoding, Upgrade.
 */
export class ComposedResponse extends ServerResponse {
  /** Each with its end. Before `writeHead`. */
  lines = ''

  /** What `writeHead` ends in, in every Node there is; its types leave it out. `statusLine`: with its end. */
  _storeHeader(statusLine: string, headers: unknown): void {
    storeHead.call(this, statusLine + this.lines, headers)
  }

  /**
   * The whole of an answer whose lines are set: of status 200, or 304 where there is no body.
   *
   * What Node would put behind them is the same for all answers of a second on a connection that goes on, and is put there as it
   * is; where anything is otherwise Node does it.
   */
  sendWhole(body: Buffer | null, now: number): void {
    const known = this as unknown as Known
    if (!isAsEver(known)) {
      if (body === null) this.writeHead(304).end()
      else this.writeHead(200, ['content-length', String(body.length)]).end(body)
      return
    }
    const end = endOfHead(now, known._keepAliveTimeout)
    if (body === null) {
      this.statusCode = 304
      this.statusMessage = 'Not Modified'
      known._hasBody = false
      known._header = `HTTP/1.1 304 Not Modified\r\n${this.lines}${end}`
      this.end()
      return
    }
    this.statusMessage = 'OK'
    known._contentLength = body.length
    known._header = `HTTP/1.1 200 OK\r\n${this.lines}content-length: ${body.length}\r\n${end}`
    // Node would put the head among what waits for its turn, and take it out again.
    known._headerSent = true
    this.socket?.cork()
    known._send(known._header, 'latin1', null)
    this.end(body)
  }

  /**
   * Also pieces that go together: in one write, and as one chunk of the body (RFC 9112, 7.1), none of them copied. Node makes a
   * chunk of each, which is four writes for what may be three bytes.
   */
  override write(chunk: unknown, ...how: unknown[]): boolean {
    return Array.isArray(chunk) ? writeTogether(this, chunk) : super.write(chunk, ...(how as []))
  }
}

/**
 * Whoever makes an answer, counts it or waits behind it hears of its end: of one in pieces on a pipelined connection eleven do,
 * however long it is. Node takes more than ten for a leak, and writes a line to stderr for each such answer.
 */
ComposedResponse.prototype.setMaxListeners(16)

function writeTogether(response: ComposedResponse, pieces: readonly Buffer[]): boolean {
  const { socket } = response
  const known = response as unknown as Known
  socket?.cork()
  if (!response.headersSent) response.flushHeaders()
  let hasRoom = true
  let bytes = 0
  for (const { length } of pieces) bytes += length
  // A chunk of nothing would be the last.
  if (bytes > 0 && pieces.length > 1 && socket !== null && known.chunkedEncoding && known._hasBody) {
    // Bytes and no text among them: the system is then handed all of them as they are.
    known._send(Buffer.from(`${bytes.toString(16)}\r\n`), null, null)
    for (const piece of pieces) known._send(piece, null, null)
    known._send(LINE_END, null, null)
    // Nothing, by Node's own hand, which then tells when there is room for more.
    hasRoom = response.write(NOTHING)
  } else for (const piece of pieces) hasRoom = response.write(piece)
  socket?.uncork()
  return hasRoom
}

const LINE_END = Buffer.from('\r\n')
const NOTHING = Buffer.alloc(0)

const { _storeHeader: storeHead } = ServerResponse.prototype as unknown as Pick<
  ComposedResponse,
  '_storeHeader'
>

/** What Node decides by, in every Node there is; its types leave it out. */
type Known = {
  _header: string | null
  _headerSent: boolean
  _contentLength: number | null
  _hasBody: boolean
  _defaultKeepAlive: boolean
  _removedConnection: boolean
  _expect_continue: boolean
  _keepAliveTimeout: number
  _maxRequestsPerSocket: number | null
  maxRequestsOnConnectionReached: boolean
  shouldKeepAlive: boolean
  useChunkedEncodingByDefault: boolean
  sendDate: boolean
  chunkedEncoding: boolean
  getHeaderNames(): string[]
  _send(data: Buffer | string, encoding: 'latin1' | null, callback: null): boolean
}

/** A plain question on a connection that goes on, to which nobody has said anything yet. */
function isAsEver(known: Known): boolean {
  return (
    known._header === null &&
    known.shouldKeepAlive &&
    known._hasBody &&
    known._defaultKeepAlive &&
    known.useChunkedEncodingByDefault &&
    known.sendDate &&
    known._keepAliveTimeout > 0 &&
    !(Number(known._maxRequestsPerSocket) > 0) &&
    !known._removedConnection &&
    !known._expect_continue &&
    !known.maxRequestsOnConnectionReached &&
    known.getHeaderNames().length === 0
  )
}

let endedAt = Number.NaN
let endedFor = 0
let ending = ''

function endOfHead(now: number, keepAliveMs: number): string {
  const second = Math.floor(now / 1000)
  if (second !== endedAt || keepAliveMs !== endedFor) {
    endedAt = second
    endedFor = keepAliveMs
    const date = new Date(now).toUTCString()
    ending = `Date: ${date}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n\r\n`
  }
  return ending
}

/** @param headers names and values in turn, of ours: nothing in them ends a line */
export function headLines(headers: readonly string[]): string {
  let lines = ''
  for (let index = 0; index + 1 < headers.length; index += 2)
    lines += `${headers[index]}: ${headers[index + 1]}\r\n`
  return lines
}

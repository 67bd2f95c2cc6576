import { once } from 'node:events'
import { connect } from 'node:net'

/** `bodyBytes`: null where it comes in chunks and its end alone is known. */
export type Answer = { status: number; head: string; bodyBytes: number | null }

export type Connection = {
  /** One question at a time: the next when the answer is there. */
  ask(request: Buffer, onAnswer: (answer: Answer) => void): void
  close(): void
}

/**
 * A bare client connection. It reads no more of HTTP than is needed to know where an answer ends, and all of them read into one
 * piece of memory: a client that takes longer for an answer than the server does leaves the server waiting, who then pays for
 * each question by itself what a busy one pays for many at once, the cheapest server the most.
 *
 * @param onFailure the connection was lost or the answer not understood
 */
export async function openConnection(
  address: string,
  onFailure: (error: Error) => void,
): Promise<Connection> {
  const { hostname, port } = new URL(address)
  let waiting: ((answer: Answer) => void) | null = null
  let begun = ''
  let answer: Answer | null = null
  let missingBytes = 0

  function read(count: number): boolean {
    if (answer === null) {
      const end = READ.indexOf('\r\n\r\n', 0, 'latin1')
      // The head's end may stand in two pieces: then they are read as one text, which hardly ever happens.
      const isWhole = begun === '' && end >= 0 && end + 4 <= count
      const text = isWhole ? READ.toString('latin1', 0, end) : begun + READ.toString('latin1', 0, count)
      const headEnd = isWhole ? end : text.indexOf('\r\n\r\n')
      if (headEnd < 0) {
        begun = text
        return true
      }
      missingBytes = headEnd + 4 - begun.length - count
      begun = ''
      answer = readHead(isWhole ? text : text.slice(0, headEnd))
      missingBytes += answer.bodyBytes ?? 0
    } else missingBytes -= count
    if (answer.bodyBytes === null) {
      // The last chunk, which is empty, is sent by itself or with the one before it.
      if (READ.toString('latin1', Math.max(0, count - LAST_CHUNK.length), count) !== LAST_CHUNK) return true
      missingBytes = 0
    }
    if (missingBytes > 0) return true
    const whole = answer
    const tell = waiting
    answer = waiting = null
    if (missingBytes < 0 || tell === null) socket.destroy(new Error('more came than was asked for'))
    else tell(whole)
    return true
  }

  const socket = connect({
    host: hostname,
    port: Number(port),
    noDelay: true,
    onread: { buffer: READ, callback: read },
  })
  socket.on('error', onFailure)
  socket.on('close', () => {
    if (waiting !== null) onFailure(new Error('the connection was closed before the answer'))
  })
  await once(socket, 'connect')

  return {
    ask(request, onAnswer) {
      waiting = onAnswer
      socket.write(request)
    },
    close() {
      waiting = null
      socket.destroy()
    },
  }
}

/** What has just been read, until it has been looked at. */
const READ = Buffer.alloc(256 * 1024)
const LAST_CHUNK = '0\r\n\r\n'

/** As nearly all write it. */
const LENGTH = '\r\ncontent-length: '

function readHead(head: string): Answer {
  const status = Number(head.slice(9, 12))
  if (status === 304) return { status, head, bodyBytes: 0 }
  const at = head.indexOf(LENGTH)
  if (at >= 0)
    return {
      status,
      head,
      bodyBytes: Number.parseInt(head.slice(at + LENGTH.length, at + LENGTH.length + 12), 10),
    }
  const length = /\r\ncontent-length: *([0-9]+)/i.exec(head)?.[1]
  if (length === undefined && /\r\ntransfer-encoding: *chunked/i.test(head))
    return { status, head, bodyBytes: null }
  if (length === undefined) throw new Error(`an answer without its length: ${head.slice(0, 200)}`)
  return { status, head, bodyBytes: Number(length) }
}

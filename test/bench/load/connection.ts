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
 * A bare client connection. It reads no more of HTTP than is needed to know where an answer ends, so that the machine's
 * time goes to the server.
 *
 * @param onFailure the connection was lost or the answer not understood
 */
export async function openConnection(
  address: string,
  onFailure: (error: Error) => void,
): Promise<Connection> {
  const { hostname, port } = new URL(address)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let waiting: ((answer: Answer) => void) | null = null
  let begun: Buffer | null = null
  let answer: Answer | null = null
  let missingBytes = 0

  socket.on('data', (data: Buffer) => {
    if (answer === null) {
      const bytes = begun === null ? data : Buffer.concat([begun, data])
      const end = bytes.indexOf('\r\n\r\n')
      if (end < 0) {
        begun = bytes
        return
      }
      begun = null
      answer = readHead(bytes.toString('latin1', 0, end))
      missingBytes = (answer.bodyBytes ?? 0) - (bytes.length - end - 4)
    } else missingBytes -= data.length
    if (answer.bodyBytes === null) {
      // The last chunk, which is empty, is sent by itself or with the one before it.
      if (data.toString('latin1', data.length - LAST_CHUNK.length) !== LAST_CHUNK) return
      missingBytes = 0
    }
    if (missingBytes > 0) return
    const whole = answer
    const tell = waiting
    answer = waiting = null
    if (missingBytes < 0 || tell === null) socket.destroy(new Error('more came than was asked for'))
    else tell(whole)
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

const LAST_CHUNK = '0\r\n\r\n'

function readHead(head: string): Answer {
  const status = Number(head.slice(9, 12))
  if (status === 304) return { status, head, bodyBytes: 0 }
  const length = /\r\ncontent-length: *([0-9]+)/i.exec(head)?.[1]
  if (length === undefined && /\r\ntransfer-encoding: *chunked/i.test(head))
    return { status, head, bodyBytes: null }
  if (length === undefined) throw new Error(`an answer without its length: ${head.slice(0, 200)}`)
  return { status, head, bodyBytes: Number(length) }
}

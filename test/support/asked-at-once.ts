import { once } from 'node:events'
import { connect } from 'node:net'

/**
 * Connects and asks in the same moment, whether or not anybody takes it yet.
 *
 * @returns `connected`: when the system has it; `answer`: its beginning, or what was said instead
 */
export function askedAtOnce(where: { host: string; port: number }): {
  connected: Promise<unknown>
  answer: Promise<string>
} {
  const socket = connect(where)
  const answer = new Promise<string>((resolve) => {
    let text = ''
    socket
      .setTimeout(SILENT_MS, () => socket.destroy(new Error('no answer')))
      .on('error', ({ message }) => resolve(message))
      .on('data', (data) => {
        text += data
      })
      .on('close', () => resolve(text.slice(0, 'HTTP/1.1 503'.length)))
      .write('GET /health/ready HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  })
  return { connected: once(socket, 'connect'), answer }
}

/** Who was forgotten is told of nothing, for ever. */
const SILENT_MS = 30_000

import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { tellLetGoOf } from '#src/core/let-go.ts'
import { COMMON } from './common-headers.ts'

/** Answers what never became a request: broken HTTP, too large headers, too slow. There is nothing but the bare socket. */
export function answerSocket(
  socket: Socket,
  { status, headers, body }: { status: number; headers: Readonly<Record<string, string>>; body: string },
): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  // Browsers open some that they have nothing to ask by.
  if (status === 408 && socket.bytesRead > 0) tellLetGoOf(socket, 'halvt')
  const all = {
    ...Object.fromEntries(COMMON),
    ...headers,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    connection: 'close',
  }
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(all).map(([name, value]) => `${name}: ${value}`),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

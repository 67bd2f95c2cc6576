import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'

/** What a receiver does with a message. */
export type Conduct =
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Takes the connection and the message, and says nothing. */
  | 'hang'
  /** Breaks the connection off when the message is there. */
  | 'reset'
  /** Says that more is coming than does, and closes. */
  | 'too-short'
  /** Never ends its answer. */
  | 'endless'
  /** Says again and again that an answer will come. */
  | 'hints'
  /** Says 200, and then a byte of its answer now and then. */
  | 'drip'
  /** Says something that is not HTTP. */
  | 'not-http'
  /** Gives two lengths. */
  | 'two-lengths'
  /** Goes over to another protocol. */
  | 'upgrade'

/** One message as it came. */
export type Received = {
  path: string
  headers: IncomingHttpHeaders & {
    'webhook-id': string
    'webhook-timestamp': string
    'webhook-signature': string
  }
  body: string
}

export type WebhookReceiver = {
  origin: string
  /** All there were, in the order they came; to one path, when it is given. */
  received(path?: string): Received[]
  /** What it does from now on, at one path or at all; asked for each message. */
  conduct(conduct: Conduct | ((message: Received) => Conduct | Promise<Conduct>), path?: string): void
  /** Connections ever opened to it, and messages that wait for an answer now. */
  connections(): number
  underWay(): number
  /** The most that were under way at once. */
  underWayMost(): number
  /** Bytes of endless answers that were taken by the other side. */
  bytesTaken(): number
  close(): Promise<void>
}

const file = (name: string) => readFileSync(new URL(`webhook-receiver/${name}`, import.meta.url), 'utf8')
/** Of `mottaker.example` and `localhost`, for a hundred years. */
export const RECEIVER_CERTIFICATE = file('certificate.pem')

/**
 * A real HTTP server that is somebody's receiver of webhooks, and misbehaves on demand.
 *
 * @param keptMax so many messages are remembered
 */
export async function startWebhookReceiver({
  isTls = false,
  host = '127.0.0.1',
  port = 0,
  keptMax = Number.POSITIVE_INFINITY,
}: {
  isTls?: boolean
  host?: string
  port?: number
  keptMax?: number
} = {}): Promise<WebhookReceiver> {
  const messages: Received[] = []
  const conducts = new Map<string, (message: Received) => Conduct | Promise<Conduct>>()
  const sockets = new Set<Socket>()
  let connections = 0
  let underWay = 0
  let underWayMost = 0
  let bytesTaken = 0

  async function listener(request: IncomingMessage, response: ServerResponse): Promise<void> {
    underWay += 1
    underWayMost = Math.max(underWayMost, underWay)
    response.once('close', () => {
      underWay -= 1
    })
    const body = await text(request).catch(() => null)
    if (body === null) return
    const path = request.url ?? '/'
    const message = { path, headers: request.headers as Received['headers'], body }
    messages.push(message)
    if (messages.length > keptMax) messages.shift()
    const conduct = conducts.get(path) ?? conducts.get('*')
    answer(response, (await conduct?.(message)) ?? { status: 204 })
  }

  function answer(response: ServerResponse, conduct: Conduct): void {
    const { socket } = response
    if (typeof conduct === 'object') {
      response.writeHead(conduct.status, conduct.headers).end(conduct.body)
    } else if (conduct === 'reset') {
      socket?.resetAndDestroy()
      socket?.destroy()
    } else if (conduct === 'too-short') {
      response.writeHead(200, { 'content-length': '1000' }).write('x', () => socket?.destroy())
    } else if (conduct === 'not-http') {
      socket?.end('220 not a web server\r\n')
    } else if (conduct === 'two-lengths') {
      socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 5\r\n\r\nokay')
    } else if (conduct === 'upgrade') {
      socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n')
    } else if (conduct === 'drip') {
      response.writeHead(200).write('x')
    } else if (conduct === 'endless') {
      response.writeHead(200)
      pour(response, Buffer.alloc(1024))
    } else if (conduct === 'hints' && socket !== null) {
      pour(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)))
    }
  }

  /** As fast as the other side takes it, for as long as it does. */
  function pour(into: Writable, bytes: Buffer): void {
    const more = () => {
      if (into.destroyed) return
      into.write(bytes, () => {
        bytesTaken += bytes.length
        setImmediate(more)
      })
    }
    into.on('error', () => {})
    more()
  }

  const take = (request: IncomingMessage, response: ServerResponse) => void listener(request, response)
  const server = isTls
    ? createTlsServer({ cert: RECEIVER_CERTIFICATE, key: file('key.pem') }, take)
    : createServer(take)
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  const address = server.address() as AddressInfo
  return {
    origin: isTls ? `https://localhost:${address.port}` : `http://${host}:${address.port}`,
    received: (path) => messages.filter((message) => path === undefined || message.path === path),
    conduct: (conduct, path = '*') =>
      void conducts.set(path, typeof conduct === 'function' ? conduct : () => conduct),
    connections: () => connections,
    underWay: () => underWay,
    underWayMost: () => underWayMost,
    bytesTaken: () => bytesTaken,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

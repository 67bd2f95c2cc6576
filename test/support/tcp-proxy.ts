import { once } from 'node:events'
import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCourse, type Pause, type Toxic } from './tcp-proxy/course.ts'

export type { Toxic } from './tcp-proxy/course.ts'

/** A proxy between a client and a server that spoils the connection as it is told. */
export type TcpProxy = {
  readonly host: string
  readonly port: number
  /** Applies these from the next chunk on, in every connection, instead of those before. */
  set(...toxics: Toxic[]): void
  /** Ends all connections and refuses new ones. */
  down(): Promise<void>
  up(): Promise<void>
  /** How many connections were taken in so far, and how many are open. */
  readonly connections: { readonly taken: number; readonly open: number }
  close(): Promise<void>
}

/**
 * Starts a TCP proxy with the words of toxiproxy: latency (with jitter), bandwidth, slow_close, timeout, reset_peer, slicer,
 * limit_data, and down. Like there, a toxic works on what the server sends unless it says `stream: 'upstream'`.
 *
 * @param pause stands in for time in the proxy's own tests
 */
export async function startTcpProxy({
  upstream,
  pause = (ms, signal) => sleep(ms, undefined, { signal }),
}: {
  upstream: { host: string; port: number } | { path: string }
  pause?: Pause
}): Promise<TcpProxy> {
  const host = '127.0.0.1'
  const open = new Set<Socket>()
  let toxics: readonly Toxic[] = []
  let taken = 0
  let server: Server | null = null
  let port = 0

  function take(client: Socket): void {
    taken++
    const peer = dial({ ...upstream, allowHalfOpen: true })
    const gone = new AbortController()
    for (const socket of [client, peer]) {
      open.add(socket)
      socket.setNoDelay(true)
      // The other side hears of it by the close that follows.
      socket.on('error', () => {})
      socket.once('close', () => {
        open.delete(socket)
        if (client.destroyed && peer.destroyed) gone.abort()
      })
    }
    const ways = [
      { from: client, to: peer, stream: 'upstream' },
      { from: peer, to: client, stream: 'downstream' },
    ] as const
    for (const { from, to, stream } of ways) {
      const course = createCourse({
        to,
        toxics: () => toxics.filter((toxic) => (toxic.stream ?? 'downstream') === stream),
        pause,
        gone: gone.signal,
        reset: () => {
          peer.destroy()
          client.resetAndDestroy()
        },
        hold: (isHeld) => (isHeld ? from.pause() : from.resume()),
      })
      from.on('data', course.carry)
      from.once('end', course.end)
      // A side that broke off leaves the other with a broken connection, not with an orderly end.
      from.once('close', (hadError) => {
        if (hadError) to.destroy()
      })
    }
  }

  async function up(): Promise<void> {
    if (server !== null) return
    server = createServer({ allowHalfOpen: true }, take).listen(port, host)
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }

  async function down(): Promise<void> {
    const closing = server
    server = null
    for (const socket of open) socket.destroy()
    if (closing === null) return
    closing.close()
    await once(closing, 'close')
  }

  await up()
  return {
    host,
    port,
    set(...next) {
      toxics = next
    },
    down,
    up,
    connections: {
      get taken() {
        return taken
      },
      get open() {
        return open.size / 2
      },
    },
    close: down,
  }
}

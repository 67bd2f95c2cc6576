import { once } from 'node:events'
import { createServer, connect as dial, type Socket } from 'node:net'
import { serverOf } from './server-of.ts'

export type BreakableConnection = {
  /** The same database, by way of here. */
  readonly url: string
  /** As if the server died: what is open is reset, what comes is refused. */
  cut(): Promise<void>
  /** As if the network swallowed everything: what is open and what comes stays open and silent. */
  silence(): void
  /** The same of the connection that comes next, and of no other. */
  silenceNext(): void
  restore(): Promise<void>
  close(): Promise<void>
}

/** A way to a real PostgreSQL that can be broken and mended. */
export async function createBreakableConnection(databaseUrl: string): Promise<BreakableConnection> {
  const target = serverOf(databaseUrl)
  const sockets = new Set<Socket>()
  let isSilent = false
  let isNextSilent = false

  const server = createServer((near) => {
    const isLost = isNextSilent
    isNextSilent = false
    const far = dial(target)
    // The far side is let go of by the near one's end.
    sockets.add(near)
    near.once('close', () => sockets.delete(near))
    for (const [from, to] of [[near, far] as const, [far, near] as const]) {
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
      from.on('data', (data) => {
        if (!isSilent && !isLost) to.write(data)
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('expected an address with a port')
  const { port } = address
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${port}`

  async function cut(): Promise<void> {
    for (const socket of sockets) socket.resetAndDestroy()
    if (!server.listening) return
    server.close()
    await once(server, 'close')
  }

  return {
    url: url.href,
    cut,
    silence() {
      isSilent = true
    },
    silenceNext() {
      isNextSilent = true
    },
    async restore() {
      // What was lost on the way does not come again: connections of the silent time are of no use.
      if (isSilent) for (const socket of sockets) socket.resetAndDestroy()
      isSilent = false
      if (server.listening) return
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
    close: cut,
  }
}

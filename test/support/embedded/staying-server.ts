import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** Listens on the loopback, says the same to whatever comes, and keeps each connection for as long as the other side has it. */
export async function startStayingServer(said: Uint8Array) {
  const here = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    here.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => here.delete(socket))
    socket.once('data', () => socket.write(said))
    // Who has left for good is told from who has only said so by what comes back of this.
    socket.once('end', () => {
      const asking = setInterval(() => socket.write('x'), 10)
      socket.once('close', () => clearInterval(asking))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    here: () => here.size,
    async close() {
      server.close()
      for (const socket of here) socket.destroy()
      await once(server, 'close')
    },
  }
}

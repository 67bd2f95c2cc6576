import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { connectBounded } from '#src/mail/bounded-connection.ts'
import { believing, doubting } from '#src/mail/doubted-server.ts'

const SAID_BYTES = 64 * 1024

it('P177: attack: of a server that has not shown who it is no more is listened to than a handshake is', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    // Piece by piece, as certificates come.
    for (let bytes = 0; bytes < SAID_BYTES; bytes += 1024) socket.write(Buffer.alloc(1024))
    socket.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  async function heardBy(open: typeof doubting): Promise<number> {
    const connect = open((done) =>
      connectBounded({ host: '127.0.0.1', port }, { connectTimeoutMs: 60_000 }, done),
    )
    const opened = Promise.withResolvers<Parameters<Parameters<typeof connect>[0]>[1]>()
    connect((error, made) => (error === null ? opened.resolve(made) : opened.reject(error)))
    const connection = (await opened.promise)?.connection
    let heard = 0
    connection?.on('error', () => {})
    connection?.on('data', (piece) => {
      heard += piece.length
    })
    await new Promise((resolve) => connection?.once('close', resolve))
    return heard
  }

  expect(await heardBy(doubting)).toBeLessThanOrEqual(16 * 1024)
  expect(await heardBy(believing)).toBe(SAID_BYTES)
  server.close()
})

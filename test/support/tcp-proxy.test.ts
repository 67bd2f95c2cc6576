import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTcpProxy, type TcpProxy, type Toxic } from './tcp-proxy.ts'

/** Time in these tests: every wait is written down, and ends when it is let go. */
type Wait = { ms: number; end: () => void }

let upstream: Server
let proxy: TcpProxy
let waits: Wait[]
let isHeld: boolean
let atServer: { socket: Socket; text: string }[]

/** What a client has seen of its connection. */
type Client = { socket: Socket; text: string; chunks: number; hasEnded: boolean; error: string | null }

beforeEach(async () => {
  waits = []
  isHeld = false
  atServer = []
  // Answers every line with the same line, in capitals.
  upstream = createServer((socket) => {
    const one = { socket, text: '' }
    atServer.push(one)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      one.text += chunk.toString()
      socket.write(chunk.toString().toUpperCase())
    })
  }).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  proxy = await startTcpProxy({
    upstream: { host: '127.0.0.1', port: (upstream.address() as AddressInfo).port },
    pause: (ms, gone) =>
      new Promise((resolve, reject) => {
        waits.push({ ms, end: () => resolve(undefined) })
        gone.addEventListener('abort', () => reject(new Error('gone')))
        if (!isHeld) resolve(undefined)
      }),
  })
})
afterEach(async () => {
  await proxy.close()
  for (const { socket } of atServer) socket.destroy()
  upstream.close()
})

async function join(): Promise<Client> {
  const socket = connect({ host: proxy.host, port: proxy.port })
  const client: Client = { socket, text: '', chunks: 0, hasEnded: false, error: null }
  socket.on('data', (chunk) => {
    client.text += chunk.toString()
    client.chunks++
  })
  socket.on('end', () => {
    client.hasEnded = true
  })
  socket.on('error', (error: NodeJS.ErrnoException) => {
    client.error = error.code ?? error.message
  })
  await once(socket, 'connect')
  return client
}

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 1))
}

describe('the proxy', () => {
  it('carries both ways, in order, and passes on the end', async () => {
    const client = await join()
    const text = 'abcdefghij'.repeat(20_000)
    client.socket.write(text)
    await until(() => client.text.length === text.length)
    expect(client.text).toBe(text.toUpperCase())
    client.socket.end()
    await until(() => client.hasEnded)
    expect(proxy.connections.taken).toBe(1)
    await until(() => proxy.connections.open === 0)
  })

  it('down: ends what is open and refuses what comes, until it is up again on the same port', async () => {
    const client = await join()
    client.socket.write('a')
    await until(() => client.text === 'A')
    await proxy.down()
    await until(() => client.socket.closed)
    await expect(join()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await proxy.up()
    const again = await join()
    again.socket.write('b')
    await until(() => again.text === 'B')
  })

  it('latency: what was sent waits that long, each chunk from when it came, and stays in order', async () => {
    isHeld = true
    proxy.set({ kind: 'latency', ms: 5000 })
    const client = await join()
    client.socket.write('first ')
    await until(() => waits.length === 1)
    client.socket.write('second')
    await until(() => waits.length === 2)
    expect(waits.map(({ ms }) => ms)).toEqual([5000, 5000])
    waits[1]?.end()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(client.text).toBe('')
    waits[0]?.end()
    await until(() => client.text === 'FIRST SECOND')
  })

  it('latency with jitter: each waits a different time around it', async () => {
    proxy.set({ kind: 'latency', ms: 100, jitterMs: 50 })
    const client = await join()
    for (let n = 0; n < 20; n++) {
      client.socket.write('x')
      await until(() => client.text.length === n + 1)
    }
    expect(new Set(waits.map(({ ms }) => ms)).size).toBeGreaterThan(10)
    for (const { ms } of waits) expect(Math.abs(ms - 100)).toBeLessThanOrEqual(50)
  })

  it('bandwidth: waits for as long as so many bytes take', async () => {
    proxy.set({ kind: 'bandwidth', bytesPerSecond: 1000 })
    const client = await join()
    client.socket.write('x'.repeat(500))
    await until(() => client.text.length === 500)
    expect(waits.reduce((sum, { ms }) => sum + ms, 0)).toBe(500)
  })

  it('slow_close: the end comes late, what was sent does not', async () => {
    isHeld = true
    proxy.set({ kind: 'slow_close', ms: 3000 })
    const client = await join()
    client.socket.write('a')
    await until(() => client.text === 'A')
    atServer[0]?.socket.end()
    await until(() => waits.length === 1)
    expect(client.hasEnded).toBe(false)
    waits[0]?.end()
    await until(() => client.hasEnded)
  })

  it('timeout: nothing gets through, and the connection ends after that', async () => {
    isHeld = true
    proxy.set({ kind: 'timeout', ms: 700 })
    const client = await join()
    client.socket.write('a')
    await until(() => waits.length === 1)
    expect(atServer[0]?.text).toBe('a')
    expect([client.text, client.hasEnded, waits[0]?.ms]).toEqual(['', false, 700])
    waits[0]?.end()
    await until(() => client.hasEnded)
    expect(client.text).toBe('')
  })

  it('timeout of 0: nothing gets through, and nothing ends', async () => {
    proxy.set({ kind: 'timeout', ms: 0 })
    const client = await join()
    client.socket.write('a')
    await until(() => atServer[0]?.text === 'a')
    expect(waits).toEqual([])
    expect([client.text, client.hasEnded]).toEqual(['', false])
  })

  it('reset_peer: the connection is reset', async () => {
    proxy.set({ kind: 'reset_peer', ms: 10 })
    const client = await join()
    client.socket.write('a')
    await until(() => client.error !== null)
    expect(client.error).toBe('ECONNRESET')
    expect(waits.map(({ ms }) => ms)).toEqual([10])
  })

  it('slicer: small pieces with pauses between', async () => {
    proxy.set({ kind: 'slicer', bytes: 3, pauseMs: 20 })
    const client = await join()
    client.socket.write('abcdefgh')
    await until(() => client.text === 'ABCDEFGH')
    expect(waits.map(({ ms }) => ms)).toEqual([20, 20, 20])
  })

  it('limit_data: the connection ends after so many bytes', async () => {
    proxy.set({ kind: 'limit_data', bytes: 5 })
    const client = await join()
    client.socket.write('abcdefgh')
    await until(() => client.hasEnded)
    expect(client.text).toBe('ABCDE')
  })

  it('last_words: a chunk comes with them at its end, and is the last', async () => {
    proxy.set({ kind: 'last_words', bytes: Buffer.from('!'), oneOf: 1 })
    const client = await join()
    client.socket.write('ab')
    await until(() => client.hasEnded)
    expect(client).toMatchObject({ text: 'AB!', chunks: 1 })
  })

  it('spoils the other direction when told so, and nothing any more when told nothing', async () => {
    isHeld = true
    const toxic: Toxic = { kind: 'latency', ms: 9, stream: 'upstream' }
    proxy.set(toxic)
    const client = await join()
    client.socket.write('a')
    await until(() => waits.length === 1)
    expect(atServer[0]?.text ?? '').toBe('')
    waits[0]?.end()
    await until(() => client.text === 'A')
    proxy.set()
    client.socket.write('b')
    await until(() => client.text === 'AB')
    expect(waits).toHaveLength(1)
  })
})

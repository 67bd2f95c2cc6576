import { once } from 'node:events'
import {
  type AddressInfo,
  createServer as createTcpServer,
  connect as dial,
  type Server,
  type Socket,
} from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createUpstreamClient } from '#src/upstream/client.ts'
import { doubtful } from '#src/upstream/doubted-peers.ts'
import { UpstreamError } from '#src/upstream/upstream-error.ts'
import { soon } from '../mail/parts.ts'
import { certificate, certificateKey } from '../support/mail-server/certificate.ts'

const AT_ONCE = 20
const AT_ONCE_MAX = 6

/** By port. */
const clients = new Map<number, ReturnType<typeof createUpstreamClient>>()
afterAll(async () => {
  for (const client of clients.values()) await client.close()
})

describe('P177: attack: who stands where a peer should be', () => {
  it('and answers every connection with certificates that nobody believes is connected to once, however often it is asked', async () => {
    const there = await standing()
    await ask(there.port)
    await Promise.all(Array.from({ length: AT_ONCE }, () => ask(there.port)))
    expect(there.connections()).toBe(1)
    await there.close()
  })

  it('and shows certificates without ever coming to an end of them is connected to a few times', async () => {
    const there = await standing()
    const between = await hearingFirstWordsAlone(there.port)
    await Promise.all(Array.from({ length: AT_ONCE }, () => ask(between.port, { connectTimeoutMs: 200 })))
    await ask(between.port)
    expect(there.connections()).toBeLessThanOrEqual(AT_ONCE_MAX)
    await between.close()
    await there.close()
  })

  it('and is slow to say anything costs nothing, and is connected to as often as it is asked', async () => {
    const silent = await listening(createTcpServer())
    for (let nr = 1; nr <= 3; nr += 1) {
      await ask(silent.port, { connectTimeoutMs: 50 })
      expect(silent.connections()).toBe(nr)
    }
    await silent.close()
  })
})

describe('P177: attack: a peer that has not shown who it is', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('all connections that were under way fail with the first', async () => {
    const { connect, begun } = connecting()
    const asked = Array.from({ length: AT_ONCE }, () => connect('never'))
    begun[3]?.fails(new Error('who are you'), 'SELF_SIGNED_CERT_IN_CHAIN')
    for (const each of await Promise.all(asked)) expect(each).toBe('who are you')
    expect(await connect('never')).toBe('who are you')
    expect(begun).toHaveLength(AT_ONCE_MAX)
  })

  it('is connected to by a few at a time, and by all one after the other when each has shown it', async () => {
    const { connect, begun } = connecting()
    const asked = Array.from({ length: AT_ONCE }, () => connect('well'))
    expect(begun).toHaveLength(AT_ONCE_MAX)
    for (let nr = 0; nr < AT_ONCE; nr += 1) begun[nr]?.succeeds()
    expect(await Promise.all(asked)).toEqual(Array(AT_ONCE).fill('connected'))
  })

  it('is tried once at a time, after twice as long each time, and asked by all again when it has shown it', async () => {
    const { connect, begun } = connecting()
    for (const [nr, restMs] of [1000, 2000, 4000, 4000].entries()) {
      const tried = connect('later')
      // The first of all is not known to be the only one that will be needed.
      if (nr > 0) expect(await connect('later')).toBe('who are you')
      expect(begun).toHaveLength(nr + 1)
      begun[nr]?.fails(new Error('who are you'), 'SELF_SIGNED_CERT_IN_CHAIN')
      expect(await tried).toBe('who are you')
      vi.advanceTimersByTime(restMs - 1)
      expect(await connect('later')).toBe('who are you')
      vi.advanceTimersByTime(1)
    }
    const tried = connect('later')
    begun[4]?.succeeds()
    expect(await tried).toBe('connected')
    void connect('later')
    void connect('later')
    expect(begun).toHaveLength(7)
  })

  it('is not one that breaks off before', async () => {
    const { connect, begun } = connecting()
    const first = connect('broken off')
    begun[0]?.fails(new Error('reset'), null)
    expect(await first).toBe('reset')
    void connect('broken off')
    expect(begun).toHaveLength(2)
  })
})

/** Whom nobody believes. */
function standing() {
  // In this version a handshake is over when who answers has heard the end of it, too.
  return listening(createServer({ key: certificateKey, cert: certificate, maxVersion: 'TLSv1.2' }))
}

/** Hands on what each says first, and all that is answered to it. */
function hearingFirstWordsAlone(port: number) {
  const server = createTcpServer((socket) => {
    const there = dial(port, '127.0.0.1').on('error', () => {})
    socket.once('data', (bytes) => there.write(bytes)).on('close', () => there.destroy())
    there.pipe(socket)
  })
  return listening(server)
}

async function listening(server: Server) {
  const open = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    open.add(socket.on('error', () => {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function ask(port: number, { connectTimeoutMs = 5000 } = {}): Promise<void> {
  const client = clients.get(port) ?? clientOf(port, connectTimeoutMs)
  clients.set(port, client)
  await expect(client.ask({ path: '/', headers: {}, ...soon() })).rejects.toThrow(UpstreamError)
}

function clientOf(port: number, connectTimeoutMs: number) {
  return createUpstreamClient({
    name: 'x',
    baseUrl: new URL(`https://127.0.0.1:${port}`),
    ...{ connectionsMax: AT_ONCE, connectTimeoutMs, silenceMs: 5000, bodyBytesMax: 1000 },
  })
}

/** Connections that come to what they are told to. */
function connecting() {
  type Begun = { fails(error: Error, authorizationError: string | null): void; succeeds(): void }
  const begun: Begun[] = []
  const connector = doubtful(
    ((_options: buildConnector.Options, callback: buildConnector.Callback) => {
      const socket = {
        authorizationError: null as string | null,
        destroy: (error: Error) => callback(error, null),
      }
      begun.push({
        fails(error, authorizationError) {
          socket.authorizationError = authorizationError
          callback(error, null)
        },
        succeeds: () => callback(null, socket as unknown as TLSSocket),
      })
      return socket
    }) as unknown as buildConnector.connector,
    { connectTimeoutMs: 60_000, restFirstMs: 1000, restLastMs: 4000, atOnceMax: AT_ONCE_MAX },
  )
  const connect = (host: string) =>
    new Promise<string>((resolve) => {
      connector({ hostname: host, host, protocol: 'https:', port: '443' }, (...[error]) =>
        resolve(error === null ? 'connected' : error.message),
      )
    })
  return { connect, begun }
}

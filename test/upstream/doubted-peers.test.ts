import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createUpstreamClient } from '#src/upstream/client.ts'
import { doubtful } from '#src/upstream/doubted-peers.ts'
import { soon } from '../mail/parts.ts'
import { certificate, certificateKey } from '../support/mail-server/certificate.ts'

const AT_ONCE = 20

it('P177: attack: who answers every connection with certificates that nobody believes is connected to once, however often it is asked', async () => {
  let connections = 0
  const server = createServer({ key: certificateKey, cert: certificate })
    .on('connection', () => {
      connections += 1
    })
    .listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = createUpstreamClient({
    name: 'x',
    baseUrl: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`),
    ...{ connectionsMax: AT_ONCE, connectTimeoutMs: 5000, silenceMs: 5000, bodyBytesMax: 1000 },
  })
  const ask = () => expect(client.ask({ path: '/', headers: {}, ...soon() })).rejects.toThrow('no connection')
  await ask()
  await Promise.all(Array.from({ length: AT_ONCE }, ask))
  expect(connections).toBe(1)
  await client.close()
  await new Promise((resolve) => server.close(resolve))
})

describe('P177: attack: a peer that has not shown who it is', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('fails all connections that were under way with the first', async () => {
    const { connect, begun } = connecting()
    const asked = Array.from({ length: AT_ONCE }, () => connect('at once'))
    begun[3]?.fails(new Error('who are you'), 'SELF_SIGNED_CERT_IN_CHAIN')
    for (const each of await Promise.all(asked)) expect(each).toBe('who are you')
    expect(begun).toHaveLength(AT_ONCE)
  })

  it('is tried once in so long, and asked by all again when it has shown it', async () => {
    const { connect, begun } = connecting()
    const first = connect('later')
    begun[0]?.fails(new Error('who are you'), 'SELF_SIGNED_CERT_IN_CHAIN')
    expect(await first).toBe('who are you')
    vi.advanceTimersByTime(REST_MS - 1)
    expect(await connect('later')).toBe('who are you')
    expect(begun).toHaveLength(1)
    vi.advanceTimersByTime(1)
    const tried = connect('later')
    expect(await connect('later')).toBe('who are you')
    expect(begun).toHaveLength(2)
    begun[1]?.succeeds()
    expect(await tried).toBe('connected')
    void connect('later')
    void connect('later')
    expect(begun).toHaveLength(4)
  })

  it('is not one whose connection merely breaks', async () => {
    const { connect, begun } = connecting()
    const first = connect('broken')
    begun[0]?.fails(new Error('reset'), null)
    expect(await first).toBe('reset')
    void connect('broken')
    expect(begun).toHaveLength(2)
  })
})

const REST_MS = 1000

/** Connections that come to what they are told to. */
function connecting() {
  const begun: { fails(error: Error, authorizationError: string | null): void; succeeds(): void }[] = []
  const connector = doubtful(
    ((_options, callback) => {
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
    }) as buildConnector.connector,
    { restMs: REST_MS },
  )
  const connect = (host: string) =>
    new Promise<string>((resolve) => {
      connector({ hostname: host, host, protocol: 'https:', port: '443' }, (...[error]) =>
        resolve(error === null ? 'connected' : error.message),
      )
    })
  return { connect, begun }
}

import { EventEmitter, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createUpstreamClient } from '#src/upstream/client.ts'
import { doubtful } from '#src/upstream/doubted-peers.ts'
import { soon } from '../mail/parts.ts'
import { certificate, certificateKey } from '../support/mail-server/certificate.ts'

const AT_ONCE = 20
const AT_ONCE_MAX = 6

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

  it.each([
    ['are not believed', new Error('who are you'), 'SELF_SIGNED_CERT_IN_CHAIN'],
    ['have no end', Object.assign(new Error('who are you'), { code: 'UND_ERR_CONNECT_TIMEOUT' }), null],
  ])(
    'whose certificates %s: all connections that were under way fail with the first',
    async (name, error, said) => {
      const { connect, begun } = connecting()
      const asked = Array.from({ length: AT_ONCE }, () => connect(name))
      begun[3]?.fails(error, said)
      for (const each of await Promise.all(asked)) expect(each).toBe('who are you')
      expect(await connect(name)).toBe('who are you')
      expect(begun).toHaveLength(AT_ONCE_MAX)
    },
  )

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

  it.each([
    ['is reached, and breaks off', true, new Error('reset')],
    ['is not reached', false, Object.assign(new Error('late'), { code: 'UND_ERR_CONNECT_TIMEOUT' })],
  ])('is not one that %s', async (name, isReached, error) => {
    const { connect, begun } = connecting()
    const first = connect(name)
    begun[0]?.fails(error, null, isReached)
    expect(await first).toBe(error.message)
    void connect(name)
    expect(begun).toHaveLength(2)
  })
})

/** Connections that come to what they are told to. */
function connecting() {
  type Begun = {
    fails(error: Error, authorizationError: string | null, isReached?: boolean): void
    succeeds(): void
  }
  const begun: Begun[] = []
  const connector = doubtful(
    ((_options, callback) => {
      const socket = Object.assign(new EventEmitter(), {
        authorizationError: null as string | null,
        destroy: (error: Error) => callback(error, null),
      })
      begun.push({
        fails(error, authorizationError, isReached = true) {
          if (isReached) socket.emit('connect')
          socket.authorizationError = authorizationError
          callback(error, null)
        },
        succeeds: () => callback(null, socket as unknown as TLSSocket),
      })
      return socket
    }) as buildConnector.connector,
    { restFirstMs: 1000, restLastMs: 4000, atOnceMax: AT_ONCE_MAX },
  )
  const connect = (host: string) =>
    new Promise<string>((resolve) => {
      connector({ hostname: host, host, protocol: 'https:', port: '443' }, (...[error]) =>
        resolve(error === null ? 'connected' : error.message),
      )
    })
  return { connect, begun }
}

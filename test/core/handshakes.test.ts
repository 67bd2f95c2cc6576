import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { createLog } from '#src/core/log.ts'
import { openMail } from '#src/mail/transport.ts'
import { createSend } from '#src/push/send.ts'
import { createUpstreamClient } from '#src/upstream/client.ts'
import { letter, openOptions, soon } from '../mail/parts.ts'

/** Each connects to this port by TLS, and is let fall. */
const clients: Record<string, (port: number) => Promise<unknown>> = {
  'a register or Vipps': async (port) => {
    const bounds = { connectionsMax: 1, connectTimeoutMs: 5000, silenceMs: 5000, bodyBytesMax: 1000 }
    const client = createUpstreamClient({
      name: 'x',
      baseUrl: new URL(`https://127.0.0.1:${port}`),
      ...bounds,
    })
    await client.ask({ path: '/', headers: {}, ...soon() }).catch(() => {})
    await client.close()
  },
  'a receiver of webhooks': async (port) => {
    const origin = `https://127.0.0.1:${port}`
    const send = createSend({
      resolve: async () => [],
      named: [origin],
      lookUpNamed: async (host) => host,
      policy: policy.push,
      userAgent: 'x',
    })
    await send({ of: 'en', address: origin, headers: {}, body: Buffer.alloc(0) }, soon().signal)
  },
  'a mail server': async (port) => {
    const mail = openMail({ ...openOptions, smtpUrl: `smtps://127.0.0.1:${port}`, log })
    await mail.send(letter, soon())
    await mail.close()
  },
}
const log = createLog({ level: 'silent', file: null })

it.each(Object.keys(clients))(
  'P177: attack: %s, who could choose ten thousand bits to reckon with, is offered curves alone',
  async (name) => {
    const hellos: Buffer[] = []
    const server = createServer((socket: Socket) => {
      socket.on('error', () => {})
      socket.once('data', (hello) => {
        hellos.push(hello)
        socket.destroy()
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    await clients[name]?.((server.address() as AddressInfo).port)
    await new Promise((resolve) => server.close(resolve))
    const suites = suitesIn(hellos[0] ?? Buffer.alloc(0))
    expect(suites).toContain(ECDHE_ECDSA_AES128_GCM)
    for (const suite of OF_NUMBERS) expect(suites).not.toContain(suite)
  },
)

/** What a ClientHello offers (RFC 8446, 4.1.2). */
function suitesIn(hello: Buffer): number[] {
  const session = 5 + 4 + 2 + 32
  const at = session + 1 + hello.readUInt8(session)
  return Array.from({ length: hello.readUInt16BE(at) / 2 }, (_, nr) => hello.readUInt16BE(at + 2 + 2 * nr))
}

const ECDHE_ECDSA_AES128_GCM = 0xc02b
/** TLS_DHE_…, of those that Node offers by itself. */
const OF_NUMBERS = [0x0033, 0x0039, 0x0067, 0x006b, 0x009e, 0x009f, 0xccaa]

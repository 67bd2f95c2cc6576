import { lookup } from 'node:dns/promises'
import { createServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { publicAddress } from '#src/push/public-address.ts'
import { createResolve } from '#src/push/resolve.ts'
import { createSend } from '#src/push/send.ts'
import { signatureHeaders, writtenSecret } from '#src/push/signature.ts'
import { certificate, certificateKey } from '../support/mail-server/certificate.ts'
import { type NameServer, startNameServer } from '../support/name-server.ts'
import {
  type Conduct,
  RECEIVER_CERTIFICATE,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts'

const NAME = 'mottaker.example'
const PUBLIC = '93.184.215.14'
const body = Buffer.from('{"type":"prove","timestamp":"2026-11-22T12:00:00Z","data":{"navn":"Blåbær"}}')
const never = new AbortController().signal
let names: NameServer
const opened: { close(): Promise<void> }[] = []

beforeEach(async () => {
  names = await startNameServer()
  opened.push(names)
})
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

async function receiver(options: Parameters<typeof startWebhookReceiver>[0] = {}): Promise<WebhookReceiver> {
  const started = await startWebhookReceiver(options)
  opened.push(started)
  return started
}

/** @param judge the rule itself, or on one machine another that takes loopback for the internet */
function sender({
  named = [],
  judge = publicAddress,
  deadlineMs = 10_000,
  ca = RECEIVER_CERTIFICATE,
}: {
  ca?: string
  named?: readonly string[]
  judge?: typeof publicAddress
  deadlineMs?: number
} = {}) {
  return createSend({
    resolve: createResolve({ timeoutMs: 2000, servers: [names.address] }),
    named,
    lookUpNamed: async (host) => (await lookup(host, { family: 4 })).address,
    policy: { deadlineMs, connectMs: 5000, answerBytesMax: 4096, answerWaitMs: 1000 },
    userAgent: 'Bedriftsoppslag',
    ca,
    judge,
  })
}

const loopback = (address: string) => (address.startsWith('127.') ? address : publicAddress(address))
const to = (address: string) => ({ of: 'en', address, headers: {}, body })

async function answerTo(conduct: Conduct, options: { deadlineMs?: number } = {}) {
  const stand = await receiver()
  stand.conduct(conduct)
  const attempt = await sender({ named: [stand.origin], ...options })(to(`${stand.origin}/krok`), never)
  return { attempt, stand }
}

describe('no way into a network of ours (P124)', () => {
  it.each([
    ['127.0.0.1', [['127.0.0.1']]],
    ['the metadata of a cloud', [['169.254.169.254']]],
    ['an IPv4 address in an IPv6 one', [['::ffff:a9fe:a9fe']]],
    ['NAT64', [['64:ff9b::a9fe:a9fe']]],
    ['carrier-grade NAT', [['100.64.0.1']]],
    ['one closed address among open ones', [[PUBLIC, '10.0.0.1']]],
    ['an open IPv4 address and a closed IPv6 one', [[PUBLIC, 'fd00::1']]],
    ['loopback of IPv6', [['::1']]],
  ])('P124: a name that leads to %s is not connected to', async (_what, [addresses = []]) => {
    names.says(NAME, () => addresses)
    const attempt = await sender()(to(`https://${NAME}/krok`), never)
    expect(attempt).toMatchObject({ status: null, failure: 'adresse_sperret' })
  })

  it.each([
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'http://mottaker.example/',
  ])('P124: %s is not connected to, though it was stored', async (address) => {
    const attempt = await sender()(to(address), never)
    expect(attempt).toMatchObject({ status: null, failure: 'adresse_sperret' })
    expect(names.questions(NAME)).toBe(0)
  })

  it('P124: a name that says one thing when it is looked at and another when it is connected to is asked once', async () => {
    const meant = await receiver({ isTls: true, host: '127.0.0.2' })
    const port = Number(new URL(meant.origin).port)
    const inside = await receiver({ isTls: true, host: '127.0.0.3', port })
    names.says(NAME, (before) => (before === 0 ? ['127.0.0.2'] : ['127.0.0.3']))
    const attempt = await sender({ judge: loopback })(to(`https://${NAME}:${port}/krok`), never)
    expect(attempt).toMatchObject({ status: 204, failure: null })
    // One question for each kind of address.
    expect(names.questions(NAME)).toBe(2)
    expect([meant.received().length, inside.connections()]).toEqual([1, 0])
    expect(meant.received()[0]?.headers.host).toBe(`${NAME}:${port}`)
  })

  it('P124: a name that has become another since is not connected to the next time', async () => {
    const stand = await receiver({ isTls: true, host: '127.0.0.2' })
    const { port } = new URL(stand.origin)
    names.says(NAME, (before) => (before === 0 ? ['127.0.0.2'] : ['10.0.0.1']))
    const send = sender({ judge: loopback })
    expect((await send(to(`https://${NAME}:${port}/`), never)).failure).toBe(null)
    expect((await send(to(`https://${NAME}:${port}/`), never)).failure).toBe('adresse_sperret')
  })

  it('P124: who has not the certificate of the name is sent nothing', async () => {
    const stand = await receiver({ isTls: true })
    const { port } = new URL(stand.origin)
    names.says('annen.example', () => ['127.0.0.1'])
    const attempt = await sender({ judge: loopback })(to(`https://annen.example:${port}/`), never)
    expect(attempt).toMatchObject({ status: null, failure: 'sertifikat' })
    expect(stand.received()).toEqual([])
  })

  it('P124: a redirect into a network is an answer, and is not followed', async () => {
    const inside = await receiver()
    const { attempt } = await answerTo({ status: 307, headers: { location: `${inside.origin}/` } })
    expect(attempt).toMatchObject({ status: 307, failure: 'viderekobling' })
    expect(inside.connections()).toBe(0)
  })

  it('P124: what the operator has named is reached, and its neighbour on the same machine is not', async () => {
    const [one, other] = [await receiver(), await receiver()]
    const send = sender({ named: [one.origin] })
    expect((await send(to(one.origin), never)).status).toBe(204)
    expect((await send(to(other.origin), never)).failure).toBe('adresse_sperret')
    expect(other.connections()).toBe(0)
  })
})

describe('one attempt (P125)', () => {
  it('P125: the official library of receivers takes what was sent, with either secret while there are two', async () => {
    const stand = await receiver({ isTls: true })
    const secrets = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    const headers = signatureHeaders({ id: 'endring_17', at: new Date(), body, secrets })
    await sender({ named: [stand.origin] })(
      { of: 'en', address: `${stand.origin}/krok?a=1`, headers, body },
      never,
    )
    const [message] = stand.received()
    expect(message?.path).toBe('/krok?a=1')
    expect(message?.body).toBe(body.toString())
    expect(message?.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'endring_17' })
    for (const secret of secrets) {
      const judged = new Webhook(writtenSecret(secret)).verify(message?.body ?? '', message?.headers ?? {})
      expect(judged).toEqual(JSON.parse(body.toString()))
    }
    const wrong = new Webhook(writtenSecret(Buffer.alloc(32, 3)))
    expect(() => wrong.verify(message?.body ?? '', message?.headers ?? {})).toThrow()
  })

  it.each([
    [{ status: 200 }, { status: 200, failure: null }],
    [{ status: 299 }, { status: 299, failure: null }],
    [{ status: 301 }, { status: 301, failure: 'viderekobling' }],
    [{ status: 304 }, { status: 304, failure: 'viderekobling' }],
    [{ status: 400 }, { status: 400, failure: 'status' }],
    [{ status: 410 }, { status: 410, failure: 'borte' }],
    [
      { status: 429, headers: { 'retry-after': '70' } },
      { failure: 'status', retryAfterSeconds: 70 },
    ],
    [
      { status: 503, headers: { 'retry-after': 'soon' } },
      { failure: 'status', retryAfterSeconds: null },
    ],
    ['reset', { status: null, failure: 'brutt' }],
    ['not-http', { status: null, failure: 'brutt' }],
    ['two-lengths', { status: null, failure: 'brutt' }],
    ['upgrade', { status: null, failure: 'brutt' }],
    // The head was there and said yes: what comes after it, or does not, is not read for anything.
    ['too-short', { status: 200, failure: null }],
    ['drip', { status: 200, failure: null }],
  ] as const)('P125: an answer of %j comes to %j', async (conduct, expected) => {
    expect((await answerTo(conduct)).attempt).toMatchObject(expected)
  })

  it('P125: who hangs is left at the deadline, and the connection with it', async () => {
    const { attempt, stand } = await answerTo('hang', { deadlineMs: 300 })
    expect(attempt).toMatchObject({ status: null, failure: 'tidsfrist' })
    await expect.poll(() => stand.underWay()).toBe(0)
  })

  it('P125: the deadline counts a name server that is silent, and a connection nobody answers', async () => {
    names.says(NAME, () => 'silence')
    const attempt = await sender({ deadlineMs: 300 })(to(`https://${NAME}/`), never)
    expect(attempt.failure).toBe('tidsfrist')
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    opened.push({ close: async () => void silent.close() })
    const { port } = silent.address() as { port: number }
    const named = `https://127.0.0.1:${port}`
    const met: { destroy(): void }[] = []
    silent.on('connection', (socket) => met.push(socket))
    expect((await sender({ named: [named], deadlineMs: 300 })(to(named), never)).failure).toBe('tidsfrist')
    for (const socket of met) socket.destroy()
  })

  it('P125: of an answer without end a few kilobytes are taken', async () => {
    const { attempt, stand } = await answerTo('endless')
    expect(attempt).toMatchObject({ status: 200, failure: null })
    await expect.poll(() => stand.underWay()).toBe(0)
    // What systems hold between the two ends, and not what was written.
    expect(stand.bytesTaken()).toBeLessThan(16 * 1024 * 1024)
  })

  it('P125: attack: who says without end that an answer will come is left after a few times', async () => {
    const { attempt, stand } = await answerTo('hints')
    expect(attempt).toMatchObject({ status: null, failure: 'brutt' })
    await expect.poll(() => stand.underWay()).toBe(0)
    expect(stand.bytesTaken()).toBeLessThan(16 * 1024 * 1024)
  })

  it('P125: attack: who wants the handshake again and again has one', async () => {
    let again = 0
    const server = createTlsServer(
      { key: certificateKey, cert: certificate, maxVersion: 'TLSv1.2' },
      (socket) => {
        const renegotiate = () =>
          socket.renegotiate({}, (error) => {
            if (error !== null || again === 100) return socket.destroy()
            again += 1
            setImmediate(renegotiate)
          })
        socket.on('error', () => {})
        renegotiate()
      },
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    opened.push({ close: async () => void server.close() })
    const named = `https://127.0.0.1:${(server.address() as { port: number }).port}`
    expect((await sender({ named: [named], ca: certificate })(to(named), never)).failure).toBe('brutt')
    expect(again).toBe(0)
  })

  it('P125: nobody there, and no such name, are told apart', async () => {
    const gone = await receiver()
    await gone.close()
    opened.splice(opened.indexOf(gone), 1)
    expect((await sender({ named: [gone.origin] })(to(gone.origin), never)).failure).toBe('ingen_forbindelse')
    expect((await sender()(to('https://finnes-ikke.example/'), never)).failure).toBe('navn_ukjent')
  })

  it('P125: a process that ends gives up what is under way, as if it had not been begun', async () => {
    const stand = await receiver()
    stand.conduct('hang')
    const ending = new AbortController()
    const sending = sender({ named: [stand.origin] })(to(stand.origin), ending.signal)
    await expect.poll(() => stand.underWay()).toBe(1)
    ending.abort(new Error('ends'))
    await expect(sending).rejects.toThrow('ends')
    await expect.poll(() => stand.underWay()).toBe(0)
  })
})

import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer as createTcpServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { errors } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { installTracer } from '#src/core/trace.ts'
import { createUpstreamClient, type UpstreamClient } from '#src/upstream/client.ts'
import { readJson } from '#src/upstream/read-json.ts'
import { UpstreamError, type UpstreamFailure } from '#src/upstream/upstream-error.ts'

const opened: { close(): Promise<void> }[] = []

async function clientOf(
  server: Server | ReturnType<typeof createTcpServer>,
  { silenceMs = 5000, bodyBytesMax = 1000 } = {},
): Promise<UpstreamClient> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const client = createUpstreamClient({
    name: 'peer',
    baseUrl: new URL(`http://127.0.0.1:${port}/base/`),
    connectionsMax: 2,
    connectTimeoutMs: 1000,
    silenceMs,
    bodyBytesMax,
    clock: { now: () => new Date('2026-10-20T12:00:00Z') },
  })
  opened.push(client, {
    async close() {
      if ('closeAllConnections' in server) server.closeAllConnections()
      server.close()
    },
  })
  return client
}

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

const answering = (listener: RequestListener) => clientOf(createServer(listener))
const ask = (client: UpstreamClient, signal = AbortSignal.timeout(10_000)) =>
  client.ask({ path: '/a', headers: {}, signal })

async function failureOf(asked: Promise<unknown>): Promise<UpstreamFailure> {
  const error = await asked.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(UpstreamError)
  return (error as UpstreamError).failure
}

describe('one call to somebody else', () => {
  it('is sent as it was asked, and its answer comes back whole', async () => {
    const seen: unknown[] = []
    const client = await answering(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      seen.push(
        request.method,
        request.url,
        Buffer.concat(chunks).toString(),
        request.headers['accept-encoding'],
      )
      response.writeHead(201, { 'content-type': 'text/plain', etag: 'abc', 'retry-after': '7' }).end('svar')
    })
    const answer = await client.ask({
      method: 'POST',
      path: '/a/b',
      query: { navn: 'å & b' },
      headers: { 'content-type': 'application/json' },
      body: '{}',
      signal: AbortSignal.timeout(10_000),
    })
    expect(seen).toEqual(['POST', '/base/a/b?navn=%C3%A5%20%26%20b', '{}', 'identity'])
    expect(answer).toMatchObject({
      status: 201,
      contentType: 'text/plain',
      etag: 'abc',
      retryAfterSeconds: 7,
    })
    expect(answer.body.toString()).toBe('svar')
  })

  it('follows no redirect', async () => {
    const client = await answering((_request, response) => {
      response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    })
    expect((await ask(client)).status).toBe(302)
  })

  it.each<[UpstreamFailure, RequestListener]>([
    ['too_large', (_request, response) => void response.end('x'.repeat(1001))],
    [
      'encoded',
      (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x')),
    ],
    ['network', (request) => void request.socket.destroy()],
    ['deadline', () => {}],
  ])('fails as %s', async (failure, listener) => {
    const client = await answering(listener)
    const signal = failure === 'deadline' ? AbortSignal.abort() : AbortSignal.timeout(10_000)
    expect(await failureOf(ask(client, signal))).toBe(failure)
  })

  it('fails as not_http, and keeps nothing of what was sent', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.end('hemmelig-token ikke http\r\n\r\n')
    })
    const client = await clientOf(server)
    const error = await ask(client).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ failure: 'not_http', cause: undefined })
  })

  it('fails as network when the client is closed under it', async () => {
    const asked = Promise.withResolvers<void>()
    const client = await answering(() => asked.resolve())
    const failing = failureOf(ask(client))
    await asked.promise
    await client.close()
    expect(await failing).toBe('network')
  })

  it.each([
    ['7', 7],
    ['Tue, 20 Oct 2026 12:01:00 GMT', 60],
    ['Tue, 20 Oct 2026 11:00:00 GMT', 0],
    ['-5', null],
    ['soon', null],
  ])('says when to come again: %s', async (header, seconds) => {
    const client = await answering((_request, response) => {
      response.writeHead(429, { 'retry-after': header }).end()
    })
    expect((await ask(client)).retryAfterSeconds).toBe(seconds)
  })

  it('is a step of a trace that names the peer and what it answered, and nothing that was asked', async () => {
    const steps: unknown[] = []
    const uninstall = installTracer({
      begin(kind, name, facts) {
        return {
          run: (work) => work(),
          end: (told, failure) => steps.push([kind, name, facts, told, failure]),
        }
      },
      here: () => null,
    })
    try {
      const client = await answering((_request, response) => void response.end())
      await ask(client)
      await failureOf(ask(client, AbortSignal.abort()))
    } finally {
      uninstall()
    }
    const facts = { 'http.request.method': 'GET' }
    expect(steps).toEqual([
      ['asking', 'http peer', facts, { 'http.response.status_code': 200 }, null],
      ['asking', 'http peer', facts, {}, 'upstream_deadline'],
    ])
  })
})

describe('what somebody else takes to answer', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
  const saying = (text: string) =>
    clientOf(
      createTcpServer((socket) => {
        socket.on('error', () => {})
        socket.once('data', () => socket.end(text))
      }),
      { bodyBytesMax: 4 * 1024 * 1024 },
    )

  it('P177: an answer in a hundred thousand pieces of a byte is refused as such, and is held by none of them', async () => {
    const client = await saying(`${HEAD}${'1\r\n \r\n'.repeat(100_000)}0\r\n\r\n`)
    expect(await failureOf(ask(client))).toBe('crumbs')
  })

  it('one in as many pieces as networks make is taken', async () => {
    const client = await saying(`${HEAD}${`200\r\n${' '.repeat(512)}\r\n`.repeat(2000)}0\r\n\r\n`)
    expect((await ask(client)).body).toHaveLength(1_024_000)
  })

  it.each([
    ['a head', `HTTP/1.1 200 OK\r\n${'a:b\r\n'.repeat(100_000)}\r\n`],
    ['trailers', `${HEAD}0\r\n${'a:b\r\n'.repeat(100_000)}\r\n`],
  ])('P177: %s without end is refused before what is left of it is read', async (_what, text) => {
    const client = await saying(text)
    // The library makes one for each line beyond its bound, and each takes as long as ten lines.
    let made = 0
    const { prototype } = errors.HeadersOverflowError
    Object.defineProperty(prototype, 'code', {
      configurable: true,
      set(value) {
        made += 1
        Object.defineProperty(this, 'code', { value, writable: true })
      },
    })
    expect(await failureOf(ask(client)).finally(() => Reflect.deleteProperty(prototype, 'code'))).toBe(
      'not_http',
    )
    expect(made).toBeGreaterThan(0)
    expect(made).toBeLessThan(1000)
  })

  it.each([
    ['the status’ own words', 'HTTP/1.1 200 '],
    ['the words of a chunk', `${HEAD}1;`],
  ])('P177: attack: %s, which nobody reads, end where an answer would', async (_what, said) => {
    const more = 'o'.repeat(64 * 1024)
    const client = await clientOf(
      createTcpServer((socket) => {
        const goOn = () => !socket.destroyed && socket.write(more, goOn)
        socket.on('error', () => {})
        socket.once('data', () => socket.write(said, goOn))
      }),
    )
    expect(await failureOf(ask(client))).toBe('network')
  })

  it.each([
    [8, 200],
    [9, 'not_http'],
  ])('P177: of %d hints before it comes %s', async (hints, expected) => {
    const said = `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(hints)}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`
    const client = await saying(said)
    const asked = { path: '/a', headers: {}, signal: AbortSignal.timeout(10_000) }
    // Taken whole, and while it comes, as a file is.
    for (const how of ['ask', 'open'] as const) {
      const came = await client[how](asked).then(
        ({ status }) => status,
        (error: UpstreamError) => error.failure,
      )
      expect(came).toBe(expected)
    }
  })

  it('P177: hints without end before a file are no more read once there are too many', async () => {
    let isOver = () => {}
    const over = new Promise<void>((resolve) => {
      isOver = resolve
    })
    const client = await clientOf(
      createTcpServer((socket) => {
        const hints = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000)
        const more = () => {
          while (!socket.destroyed && socket.write(hints));
        }
        socket.on('error', isOver).on('close', isOver).on('drain', more).once('data', more)
      }),
    )
    const asked = { path: '/a', headers: {}, signal: AbortSignal.timeout(60_000) }
    expect(await failureOf(client.open(asked))).toBe('not_http')
    await over
  })
})

describe('P43: JSON of somebody else', () => {
  it('is not parsed when it is too deep or has too many values', () => {
    expect(readJson(Buffer.from('{"a":[1,2]}'))).toEqual({ a: [1, 2] })
    expect(() => readJson(Buffer.from('['.repeat(65)))).toThrow('nested deeper than 64')
    expect(() => readJson(Buffer.from('[1,2,3]'), 3)).toThrow('more than 3 values')
    expect(() => readJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow(TypeError)
  })
})

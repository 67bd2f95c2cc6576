import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { RegisterClient } from '#src/sources/register-client.ts'
import { type SourceCall, SourceError } from '#src/sources/source.ts'
import { eventually } from '../support/eventually.ts'
import { clientFor, patient } from './asking.ts'

const opened: { server: Server; client: RegisterClient }[] = []

/** A register of our own on a free port, and a client that asks it. */
async function register(
  answer: RequestListener,
  options: Parameters<typeof clientFor>[1] & { basePath?: string } = {},
): Promise<{ client: RegisterClient; server: Server; origin: string }> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { basePath = '', ...clientOptions } = options
  const client = clientFor(origin + basePath, clientOptions)
  opened.push({ server, client })
  return { client, server, origin }
}

afterEach(async () => {
  for (const { server, client } of opened.splice(0)) {
    await client.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

const ask = (client: RegisterClient, call: SourceCall = patient(), query?: Record<string, string>) =>
  client.get('enhet', '/api/enheter/111111111', {
    accept: 'application/json',
    ...call,
    ...(query === undefined ? {} : { query }),
  })

async function failureOf(asked: Promise<unknown>): Promise<SourceError> {
  const error = await asked.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(SourceError)
  return error as SourceError
}

describe('asking a register', () => {
  test('the base path stays, and the request says who asks, what for, and that plain bytes are wanted', async () => {
    const seen: { url: string | undefined; headers: Record<string, unknown> }[] = []
    const { client } = await register(
      (request, response) => {
        seen.push({ url: request.url, headers: request.headers })
        response.setHeader('content-type', 'application/json;charset=UTF-8').end('{"navn":"Å"}')
      },
      { basePath: '/speil/' },
    )
    const answer = await ask(client, patient(), { navn: 'å & b+c / d?e\ud800', size: '5' })
    expect(seen[0]?.url).toBe(
      '/speil/api/enheter/111111111?navn=%C3%A5%20%26%20b%2Bc%20%2F%20d%3Fe%EF%BF%BD&size=5',
    )
    expect(seen[0]?.headers).toMatchObject({
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'bedriftsoppslag-test/1 (kontakt@example.no)',
    })
    expect(answer).toMatchObject({
      status: 200,
      contentType: 'application/json;charset=UTF-8',
      retryAfterSeconds: null,
    })
    expect(answer.body.toString('utf8')).toBe('{"navn":"Å"}')
  })

  test('P61: whoever asks is told when it waits in a line of ours, and when the register is asked', async () => {
    const held = Promise.withResolvers<void>()
    const { client } = await register(
      async (_, response) => {
        await held.promise
        response.setHeader('content-type', 'application/json').end('{}')
      },
      { connectionsMax: 1 },
    )
    const noted: string[] = []
    const asked = ['first', 'second'].map((name) =>
      ask(client, {
        ...patient(),
        noteWait: (isWaiting: boolean) => void noted.push(`${name} ${isWaiting ? 'waits' : 'is asked'}`),
      }),
    )
    await eventually('the first is asked', () => noted.includes('first is asked'))
    expect(noted).toEqual(['first waits', 'second waits', 'first is asked'])
    held.resolve()
    await Promise.all(asked)
    const of = (name: string) => noted.filter((each) => each.startsWith(name))
    for (const name of ['first', 'second'])
      expect(of(name)).toEqual([`${name} waits`, `${name} is asked`, `${name} waits`])
    expect(noted.indexOf('second is asked')).toBeGreaterThan(noted.lastIndexOf('first is asked'))
  })

  test('a path that could leave the register is refused before anything is sent', async () => {
    const { client } = await register((_, response) => response.end())
    for (const path of [
      '',
      'api',
      '/api/../x',
      '/api/%2e%2e/x',
      '/api//x',
      '/api/x?y',
      '/api/x#y',
      '/api/x/',
      '/api/ x',
    ]) {
      await expect(client.get('enhet', path, { accept: '*/*', ...patient() }), path).rejects.toThrow(
        TypeError,
      )
    }
  })

  test('P9: a redirect is not followed but handed back', async () => {
    let calls = 0
    const { client } = await register((_, response) => {
      calls += 1
      response.writeHead(302, { location: '/elsewhere' }).end()
    })
    expect((await ask(client)).status).toBe(302)
    expect(calls).toBe(1)
  })

  test('P8: a register that never answers is given up at the deadline', async () => {
    const { client } = await register(() => {})
    expect(await failureOf(ask(client, { signal: AbortSignal.timeout(50) }))).toMatchObject({
      failure: 'tidsfrist',
    })
  })

  test('P8: a register that drips is given up at the deadline', async () => {
    const { client } = await register((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const drip = setInterval(() => response.write(' '), 5)
      response.on('close', () => clearInterval(drip))
    })
    expect(await failureOf(ask(client, { signal: AbortSignal.timeout(80) }))).toMatchObject({
      failure: 'tidsfrist',
    })
  })

  test('P8: without a deadline of its own a silent register is given up by the timeout on headers', async () => {
    const { client } = await register(() => {}, { headersTimeoutMs: 1 })
    expect(await failureOf(ask(client, { signal: new AbortController().signal }))).toMatchObject({
      failure: 'tidsfrist',
      cause: { code: 'UND_ERR_HEADERS_TIMEOUT' },
    })
  })

  test('a caller who has already given up asks nothing', async () => {
    let calls = 0
    const { client } = await register((_, response) => {
      calls += 1
      response.end()
    })
    expect(await failureOf(ask(client, { signal: AbortSignal.abort() }))).toMatchObject({
      failure: 'opptatt',
    })
    expect(calls).toBe(0)
  })

  test('P8: a reset before or in the middle of the answer is a network failure', async () => {
    const { client } = await register((request) => request.socket.destroy())
    expect(await failureOf(ask(client))).toMatchObject({ failure: 'nettverk' })
    const half = await register((_, response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('{"navn":', () => response.destroy())
    })
    expect(await failureOf(ask(half.client))).toMatchObject({ failure: 'nettverk' })
  })

  test('nobody listening is a network failure', async () => {
    const { client, server } = await register((_, response) => response.end())
    await new Promise((resolve) => server.close(resolve))
    expect(await failureOf(ask(client))).toMatchObject({ failure: 'nettverk' })
  })

  test('P9: an answer larger than accepted is refused, whether or not it states its length', async () => {
    const { client } = await register((_, response) => response.end('x'.repeat(2000)), { bodyBytesMax: 1000 })
    expect(await failureOf(ask(client))).toMatchObject({ failure: 'ugyldig_svar' })
    const chunked = await register(
      (_, response) => {
        response.write('x'.repeat(600))
        response.end('x'.repeat(600))
      },
      { bodyBytesMax: 1000 },
    )
    expect(await failureOf(ask(chunked.client))).toMatchObject({ failure: 'ugyldig_svar' })
    const fits = await register((_, response) => response.end('x'.repeat(1000)), { bodyBytesMax: 1000 })
    expect((await ask(fits.client)).body.length).toBe(1000)
  })

  test('P9: an encoded answer is refused: unpacked it could be of any size', async () => {
    const { client } = await register((_, response) =>
      response.setHeader('content-encoding', 'gzip').end('x'),
    )
    expect(await failureOf(ask(client))).toMatchObject({ failure: 'ugyldig_svar', status: 200 })
    const plain = await register((_, response) => response.setHeader('content-encoding', 'identity').end('x'))
    expect((await ask(plain.client)).status).toBe(200)
  })

  test('P9: what is not HTTP is refused', async () => {
    const { client } = await register((request) => request.socket.end('HELLO there\r\n\r\n'))
    expect(await failureOf(ask(client))).toMatchObject({ failure: 'ugyldig_svar' })
  })

  test('Retry-After is read as seconds or as a date, and nonsense as nothing', async () => {
    const now = new Date('2026-10-20T12:00:00Z')
    for (const [header, seconds] of [
      ['120', 120],
      ['Tue, 20 Oct 2026 12:01:00 GMT', 60],
      ['Tue, 20 Oct 2026 11:00:00 GMT', 0],
      ['soon', null],
      ['-5', null],
    ] as const) {
      const { client } = await register(
        (_, response) => response.writeHead(503, { 'retry-after': header }).end(),
        {
          clock: { now: () => now },
        },
      )
      expect(await ask(client), header).toMatchObject({
        status: 503,
        retryAfterSeconds: seconds,
        fetchedAt: now,
      })
    }
  })

  test('no failure tells the address that was asked', async () => {
    const { client, origin } = await register((request) => request.socket.destroy())
    const { message } = await failureOf(ask(client))
    expect(message).not.toContain(new URL(origin).port)
    expect(message).not.toMatch(/https?:|127\.0\.0\.1|\/api/)
  })

  test('closing ends the calls in flight', async () => {
    const reached = Promise.withResolvers<void>()
    const { client } = await register(() => reached.resolve())
    const asked = failureOf(ask(client))
    await reached.promise
    await client.close()
    expect(await asked).toMatchObject({ failure: 'nettverk' })
  })

  test('at most connectionsMax connections are opened; further calls wait for one of them', async () => {
    const { client, server } = await register((_, response) => response.end(), { connectionsMax: 2 })
    let connections = 0
    server.on('connection', () => {
      connections += 1
    })
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(client)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(connections).toBeLessThanOrEqual(2)
  })
})

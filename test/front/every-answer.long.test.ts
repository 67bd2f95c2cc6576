import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { SAMPLE, sampleAnswers } from '#test/fixtures/samples/index.ts'
import { eventually } from '#test/support/eventually.ts'
import { logIn, type TestOperator } from '#test/support/operators.ts'
import { type RegisterStandIn, startRegisterStandIn } from '#test/support/register-stand-in.ts'
import { type Route, withRoutes } from '#test/support/routes.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

type Said = { status: number; headers: Record<string, string | string[] | undefined> }

const READ = `/api/bedrift/${SAMPLE.healthy}`
const ORDINARY = {
  'x-content-type-options': 'nosniff',
  'permissions-policy': expect.stringContaining('usb=()'),
}
const BY_HTTPS = { 'x-forwarded-proto': 'https' }

describe('P48: every answer of both ports', () => {
  let register: RegisterStandIn
  let service: TestService
  let operator: TestOperator
  let routes: { public: Route[]; operators: Route[] }

  beforeAll(async () => {
    register = await startRegisterStandIn({ answers: sampleAnswers() })
    const opened = await withRoutes(() =>
      startTestService(register, {
        isLoaded: true,
        workers: false,
        variables: { TRUST_PROXY: '127.0.0.1', CONTACT: 'sikkerhet@bedriftsoppslag.example' },
      }),
    )
    ;({ service, routes } = opened)
    operator = await logIn(service.storage, service.opsAddress, { navn: 'Kari', rolle: 'skrive' })
  })
  afterAll(async () => {
    await service.close()
    await register.close()
  })

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const ends = () =>
    [
      [service.address, routes.public, service.token],
      [service.opsAddress, routes.operators, operator.token],
    ] as const

  it('of every route, with a key and without one, says what a browser may do with it; https is told where it is', async () => {
    expect(routes.public.length).toBeGreaterThan(40)
    expect(routes.operators.length).toBeGreaterThan(40)
    for (const [address, all, token] of ends()) {
      for (const { method, path } of all) {
        for (const known of [{}, bearer(token)]) {
          const plain = await ask(address + path, method, known)
          expect(plain.headers, `${method} ${path}`).toMatchObject(ORDINARY)
          expect(plain.headers['strict-transport-security'], `${method} ${path}`).toBeUndefined()
          expect(plain.status, `${method} ${path}`).not.toBe(500)
        }
        const secure = await ask(address + path, method, { ...bearer(token), ...BY_HTTPS })
        expect(secure.headers['strict-transport-security'], `${method} ${path}`).toBe('max-age=31536000')
      }
    }
  })

  it('that is held, not found, refused by the framework or no request at all, too', async () => {
    const known = bearer(service.token)
    expect((await ask(service.address + READ, 'GET', known)).status).toBe(200)
    await eventually('it is answered by the short way', async () => {
      const { headers } = await ask(service.address + READ, 'GET', known)
      return /; hit/.test(String(headers['cache-status']))
    })
    const held = await ask(service.address + READ, 'GET', { ...known, ...BY_HTTPS })
    expect(held.headers).toMatchObject({ ...ORDINARY, 'strict-transport-security': 'max-age=31536000' })
    for (const [address] of ends()) {
      for (const path of ['/finnes-ikke', '/%', `/${'a'.repeat(300)}/b`])
        expect((await ask(address + path, 'GET', {})).headers, path).toMatchObject(ORDINARY)
      for (const broken of [
        'tull\r\n\r\n',
        `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(100_000)}\r\n\r\n`,
        'GET / HTTP/1.1\r\nConnection: close\r\n\r\n',
        'GET /finnes-ikke HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: noe\r\nConnection: close\r\n\r\n',
      ]) {
        const answer = await send(address, broken)
        expect(answer).toMatch(/^HTTP\/1\.1 4/)
        expect(answer).toMatch(/^x-content-type-options: nosniff\r$/im)
        expect(answer).toContain('permissions-policy: ')
      }
    }
  })

  it('P187: to a request with nothing behind it comes at once, whatever type it says', async () => {
    const types = ['application/json', 'application/x-www-form-urlencoded', 'text/csv', 'x']
    for (const [address, all, token] of ends()) {
      for (const { method, path } of [...all, { method: 'DELETE', path: '/finnes-ikke' }]) {
        if (!['POST', 'PUT', 'PATCH', 'DELETE'].includes(method)) continue
        const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nConnection: close`
        const answers = await Promise.all(
          types.map((type) => send(address, `${head}\r\nContent-Type: ${type}\r\n\r\n`)),
        )
        for (const answer of answers)
          expect(answer.slice(0, 12), `${method} ${path}`).toMatch(/^HTTP\/1\.1 [234]/)
      }
    }
  })

  it('P182: attack: to a NUL or half a letter in a name, a question or a form is no fault of ours', async () => {
    const keyOfAll = [service.address, routes.public, PUBLIC_TEST_KEY] as const
    for (const [address, all, token] of [...ends(), keyOfAll]) {
      for (const { method, path } of all) {
        const odd = path.replace(/\/x(?=[/.]|$)/g, '/a%00b')
        if (odd === path) continue
        expect((await ask(address + odd, method, bearer(token))).status, `${method} ${path}`).toBeLessThan(
          500,
        )
      }
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...bearer(operator.token) }
    for (const hva of ['%00', 'a%00b', '%ED%A0%80'])
      expect((await ask(`${service.opsAddress}/ordre`, 'POST', form, `hva=${hva}`)).status, hva).toBe(200)
  })

  it.each([
    ['two Hosts', 'Host: 127.0.0.1\r\nHost: fremmed.example\r\n'],
    ['none', ''],
  ])('to a request with %s is 400', async (_, hosts) => {
    const held = `${READ} HTTP/1.1\r\nAuthorization: Bearer ${service.token}`
    for (const [address, all] of ends()) {
      for (const asked of new Set(['/', '/health/live', ...all.map(({ path }) => path)])) {
        const answer = await send(address, `GET ${asked} HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`)
        expect(answer, asked).toMatch(/^HTTP\/1\.1 400 /)
      }
    }
    expect(await send(service.address, `GET ${held}\r\n${hosts}Connection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 400 /,
    )
  })

  it('attack: a stranger’s page whose name leads to the operators’ port gets nothing there', async () => {
    for (const { method, path } of routes.operators) {
      for (const host of ['fremmed.example', 'fremmed.example:8081', '127.0.0.1.fremmed.example']) {
        const { status } = await ask(service.opsAddress + path, method, { ...bearer(operator.token), host })
        expect(status, `${method} ${path} ${host}`).toBe(421)
      }
    }
    const { port } = new URL(service.opsAddress)
    for (const host of [
      'localhost',
      `localhost:${port}`,
      '127.0.0.1',
      '[::1]:8081',
      '10.1.2.3:8081',
      'front:8081',
    ])
      expect((await ask(`${service.opsAddress}/health/live`, 'GET', { host })).status, host).toBe(200)
  })

  it('an operator’s session over https is kept under a name that only https can set', async () => {
    const logInBy = (headers: Record<string, string>) =>
      fetch(`${service.opsAddress}/inn`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ token: operator.token }),
        headers: { origin: service.opsAddress, ...headers },
      })
    const secure = service.opsAddress.replace('http:', 'https:')
    const cookie = (await logInBy({ origin: secure, ...BY_HTTPS })).headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(
      /^__Host-bedriftsdrift=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/,
    )
    const [session = ''] = cookie.split(';')
    const look = (headers: Record<string, string>) =>
      ask(`${service.opsAddress}/oversikt.json`, 'GET', headers)
    expect((await look({ cookie: session, ...BY_HTTPS })).status).toBe(200)
    // Under a name that any neighbour or plain answer may set, it is none.
    const plain = session.replace('__Host-', '')
    expect((await look({ cookie: plain, ...BY_HTTPS })).status).toBe(401)
    expect((await logInBy({})).headers.get('set-cookie')).toMatch(
      /^bedriftsdrift=[^;]+; .*SameSite=Strict; Max-Age=\d+$/,
    )
    // A proxy with TLS that nobody has told us of.
    expect((await logInBy({ origin: secure })).status).toBe(303)
  })

  it('P48: attack: a form of a page that somebody on the way has made, of our own name by http, does nothing by https', async () => {
    const send = (path: string, body: Record<string, string>) =>
      fetch(service.opsAddress + path, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams(body),
        headers: { origin: service.opsAddress, ...BY_HTTPS },
      })
    expect((await send('/inn', { token: operator.token })).status).toBe(403)
    expect((await send('/ut', {})).status).toBe(403)
  })

  it('where holes are told of is where RFC 9116 says, from what is configured, and never out of date', async () => {
    const answer = await service.getBare('/.well-known/security.txt')
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const fields = Object.fromEntries(
      answer.text
        .trim()
        .split('\n')
        .map((line) => line.split(/: (.*)/s)),
    )
    expect(fields).toEqual({
      Contact: 'mailto:sikkerhet@bedriftsoppslag.example',
      Expires: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/),
      'Preferred-Languages': 'nb, en',
      Canonical: `${service.address}/.well-known/security.txt`,
    })
    const daysLeft = (Date.parse(fields.Expires) - Date.now()) / 86_400_000
    expect(daysLeft).toBeGreaterThan(90)
    expect(daysLeft).toBeLessThan(365)
  })
})

/** The head of the answer, on a connection of its own; the rest is left unread, since it may go on for ever. */
async function ask(url: string, method: string, headers: Record<string, string>, body = ''): Promise<Said> {
  const asked = request(url, { method, headers, agent: false })
  asked.end(body)
  const [answer] = (await once(asked, 'response').catch((cause) => {
    throw new Error(`no answer to ${method} ${url}`, { cause })
  })) as [IncomingMessage]
  asked.on('error', () => {})
  answer.destroy()
  return { status: answer.statusCode ?? 0, headers: answer.headers }
}

async function send(address: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1')
  const answer = text(socket)
  await once(socket, 'connect')
  socket.write(bytes)
  return answer
}

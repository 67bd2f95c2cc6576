import { METHODS } from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { logIn } from './operators.ts'
import { withRoutes } from './routes.ts'
import { startSampleService } from './sample-service.ts'

/** At a time. */
const AT_ONCE = 200

/** Longer than the service itself waits for what never becomes a whole request. */
const PATIENCE_MS = 60_000

/**
 * `faults`: those that were answered with a fault of the service's own, not as HTTP or not at all. `understood`: how many were answered
 * otherwise than that they are no HTTP.
 */
type Outcome = { faults: string[]; understood: number }

/**
 * Sends so many to each port of a service, each on a connection of its own: requests as bytes, of every method, path and header a
 * stranger may think of. The same ones each time; some have the token of somebody who may do everything there is at the port.
 */
export async function sendRawBytes(count: number): Promise<Record<'public' | 'operators', Outcome>> {
  const { service, routes } = await withRoutes(() => startSampleService())
  try {
    const { storage, address, opsAddress, token } = service
    const operator = await logIn(storage, opsAddress, { navn: 'Kari', rolle: 'skrive' })
    const pathsOf = (port: keyof typeof routes) => routes[port].map(({ path }) => path)
    return {
      public: await sendTo(address, { count, paths: pathsOf('public'), token }),
      operators: await sendTo(opsAddress, { count, paths: pathsOf('operators'), token: operator.token }),
    }
  } finally {
    await service.close()
  }
}

async function sendTo(
  address: string,
  { count, paths, token }: { count: number; paths: readonly string[]; token: string },
): Promise<Outcome> {
  const requests = fc.sample(request(paths, token), { seed: 20_261_122, numRuns: count })
  const faults: string[] = []
  let understood = 0
  // One queue for all, so that nobody waits for the slowest of some.
  const queue = requests.values()
  async function sendOn(): Promise<void> {
    for (const bytes of queue) {
      const { status, body } = await sendBytes(address, bytes)
      const isRefusal = status === 'closed' || status === 400
      if (!isRefusal) understood += 1
      if (typeof status === 'number' ? status >= 500 : status !== 'closed')
        faults.push(`${status} ${JSON.stringify(bytes)} ${body.slice(0, 200)}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendOn))
  return { faults, understood }
}

/** The status that came back, or `closed` when the connection was ended without a word, as a refusal to speak at all. */
function sendBytes(
  address: string,
  bytes: string,
): Promise<{ status: number | 'closed' | 'silent' | 'no HTTP'; body: string }> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  let text = ''
  let isSilent = false
  socket.on('error', () => {}).setEncoding('latin1')
  socket.on('data', (more: string) => {
    text = (text + more).replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
    // What follows may go on for ever.
    if (text.includes('\r\n\r\n')) socket.destroy()
  })
  socket.setTimeout(PATIENCE_MS, () => {
    isSilent = true
    socket.destroy()
  })
  socket.write(Buffer.from(bytes, 'latin1'))
  return new Promise((resolve) =>
    socket.once('close', () => {
      const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s)
      const [, status] = /^HTTP\/1\.1 (\d{3}) .*\r\n/s.exec(head) ?? []
      if (status !== undefined) resolve({ status: Number(status), body })
      else resolve({ status: text !== '' ? 'no HTTP' : isSilent ? 'silent' : 'closed', body: text })
    }),
  )
}

const PATHS = [
  '/',
  '*',
  '/openapi.json',
  '/kjop',
  '/ordre/x',
  '/bytt-nokkel',
  '/forny/x',
  '/status.json',
  '/drift',
  '/health/live',
  '/health/ready',
  '/metrics',
  '/inn',
  '/ut',
  '/oversikt.json',
  '/jobber/se/',
  '/stil/drift.css',
  '/stil/..',
  '/dokumentasjon',
  '/dokumentasjon/konsoll/..',
  '/dokumentasjon/kall/%2e%2e/%2e%2e/package.json',
  '/dokumentasjon/feil/constructor',
  '/statisk/..',
  '/api/bedrift/sok?q=x',
  '/api/bedrift/status',
  '/api/bedrift/901012121',
  '/api/bedrift/901012121/eierskap?dybde=9',
  '/api/bedrift/oppslag',
  '/api/bedrift/bestillinger',
  '/api/bestillinger/x/resultat?fra=0',
  '/api/endringer?etter=x&vent=1',
  '/api/overvaking/901012121',
  '/api/avstemming?queries={"a":{"query":1}}',
  '/api/avstemming/x/forslag?prefix=a',
  '/mcp',
  '/liste',
  '/logg-inn',
  '/logg-ut',
  '/oppslag?q=%F0%9F%8D%95',
  '/oppslag/forslag?q=%C3%28',
  '/foretak/901012121/xlsx',
  '/foretak/\xef\xbc\x99',
  '/vipps/hendelser',
  '/vipps/webhook',
  '/.well-known/security.txt',
  'http://x/',
  'https://x:443/kjop',
  'x:443',
  '//x/..//',
]

const HEADERS = [
  'Range: bytes=9-1',
  'Range: bytes=0-,x',
  'Range: x',
  'If-Match: "x"',
  'If-Match: *',
  'If-None-Match: *, W/"x"',
  'If-Modified-Since: yesterday',
  'If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT',
  'Accept-Encoding: br;q=x, *;q=9, identity;q=0',
  'Accept-Encoding: zstd',
  'Accept: text/html',
  'Accept-Language: en;q=2,,;',
  'Expect: 100-continue',
  'Expect: more',
  'Upgrade: websocket\r\nConnection: Upgrade',
  'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMA',
  'Connection: close, , keep-alive',
  'Origin: null',
  'Origin: http://x',
  'Sec-Fetch-Site: cross-site',
  'Cookie: bedriftsdrift=%00; =; a',
  'Authorization: Bearer \x80\xff',
  'Authorization: Basic x',
  `Authorization: Bearer ${PUBLIC_TEST_KEY}`,
  'Idempotency-Key: x',
  'Content-Type: text/csv',
  'Content-Type: application/json',
  'Content-Type: application/x-www-form-urlencoded',
  'Content-Type: x',
  'Content-Type: multipart/form-data; boundary=',
  'Content-Encoding: gzip',
  'Content-Length: 0',
  'Content-Length: 2\r\n\r\n{}',
  'Content-Length: 3\r\n\r\na=%',
  'Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
  'X-Forwarded-For: x, ::1, 999.9.9.9',
  'X-Forwarded-Host: x\ty',
  'Last-Event-ID: x',
  'Trailer: Host',
]

/** That make no request of it. */
const BROKEN_HEADERS = [
  'Host: y',
  'Host:',
  'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding: chunked\r\n\r\nz\r\n',
  'Transfer-Encoding: gzip, x',
  ': x',
  'a b: c',
  ' folded',
]

function request(routes: readonly string[], token: string): fc.Arbitrary<string> {
  const paths = [...PATHS, ...routes]
  const method = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('GET', 'POST', 'HEAD', 'PUT', 'DELETE') },
    { weight: 3, arbitrary: fc.constantFrom(...METHODS) },
    { weight: 1, arbitrary: fc.constantFrom('get', 'X', '', 'G\x00T') },
  )
  const odd = fc.oneof(
    fc.constantFrom(
      '%00',
      '%',
      '%zz',
      '%ff',
      '..',
      '%2e%2e',
      '%2f',
      'a'.repeat(300),
      '__proto__',
      '?',
      '#',
      ';',
    ),
    fc.string({ maxLength: 20 }).map((text) => text.replaceAll(/[\s\p{Cc}]/gu, '_')),
  )
  const path = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...paths) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...paths), odd).map(([known, more]) => `${known}/${more}`),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...paths), odd).map(([known, more]) => `${known}?${more}=${more}`),
    },
    { weight: 1, arbitrary: odd.map((text) => `/${text}`) },
  )
  const version = fc.oneof(
    { weight: 20, arbitrary: fc.constant('HTTP/1.1') },
    { weight: 1, arbitrary: fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.11', '') },
  )
  const host = fc.oneof(
    { weight: 20, arbitrary: fc.constant('Host: 127.0.0.1') },
    { weight: 1, arbitrary: fc.constant('X: y') },
  )
  const header = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...HEADERS) },
    { weight: 10, arbitrary: fc.constant(`Authorization: Bearer ${token}`) },
    { weight: 1, arbitrary: fc.constantFrom(...BROKEN_HEADERS) },
    { weight: 1, arbitrary: fc.string({ maxLength: 30 }) },
  )
  return fc
    .tuple(method, path, version, host, fc.array(header, { maxLength: 4 }))
    .map(([name, target, protocol, named, headers]) =>
      [`${name} ${target} ${protocol}`, named, 'Connection: close', ...headers, '', ''].join('\r\n'),
    )
}

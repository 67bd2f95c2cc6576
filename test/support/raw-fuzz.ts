import { METHODS } from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'

/** Requests as bytes, of every method, path and header a stranger may think of: the same ones for the same seed. */
function rawRequests(seed: number, count: number): string[] {
  return fc.sample(request(), { seed, numRuns: count })
}

/** At a time. Whatever never becomes a whole request is waited for, so that most of them wait. */
const AT_ONCE = 200

/** Sends so many, each on a connection of its own. @returns those that were answered with a fault of the service's own, or not as HTTP */
export async function faultsAt(address: string, count: number): Promise<string[]> {
  const requests = rawRequests(20_261_122, count)
  const faults: string[] = []
  // One queue for all, so that nobody waits for the slowest of some.
  const queue = requests.values()
  async function sendOn(): Promise<void> {
    for (const bytes of queue) {
      const { status, head, body } = await sendBytes(address, bytes)
      const isFault = status !== null && (status >= 500 || !head.includes('\r\n'))
      if (isFault) faults.push(`${status} ${JSON.stringify(bytes)} ${body.slice(0, 200)}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendOn))
  return faults
}

/** What came back; null status when the connection was ended without an answer, as a refusal to speak at all. */
function sendBytes(
  address: string,
  bytes: string,
): Promise<{ status: number | null; head: string; body: string }> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on('error', () => {}).on('data', (chunk: Buffer) => chunks.push(chunk))
  // What never becomes a whole request is waited for no longer than this; it is not an answer that is looked at.
  socket.setTimeout(300, () => socket.destroy())
  socket.write(Buffer.from(bytes, 'latin1'))
  return new Promise((resolve) =>
    socket.once('close', () => {
      const text = Buffer.concat(chunks)
        .toString()
        .replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
      const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s)
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? Number.NaN)
      resolve({ status: Number.isNaN(status) ? null : status, head, body })
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
  'Host: y',
  'Host:',
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
  'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding: chunked\r\n\r\nz\r\n',
  'Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
  'Transfer-Encoding: gzip, x',
  'X-Forwarded-For: x, ::1, 999.9.9.9',
  'X-Forwarded-Host: x\ty',
  'Last-Event-ID: x',
  'Trailer: Host',
  ': x',
  'a b: c',
  ' folded',
]

function request(): fc.Arbitrary<string> {
  const method = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('GET', 'POST', 'HEAD') },
    { weight: 4, arbitrary: fc.constantFrom(...METHODS) },
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
    fc.constantFrom(...PATHS),
    fc.tuple(fc.constantFrom(...PATHS), odd).map(([known, more]) => `${known}/${more}`),
    fc.tuple(fc.constantFrom(...PATHS), odd).map(([known, more]) => `${known}?${more}=${more}`),
    odd.map((text) => `/${text}`),
  )
  const version = fc.oneof(
    { weight: 8, arbitrary: fc.constant('HTTP/1.1') },
    { weight: 2, arbitrary: fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/1.11', '') },
  )
  const host = fc.oneof(
    { weight: 8, arbitrary: fc.constant('Host: 127.0.0.1') },
    { weight: 1, arbitrary: fc.constant('X: y') },
  )
  const header = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...HEADERS) }, fc.string({ maxLength: 30 }))
  return fc
    .tuple(method, path, version, host, fc.array(header, { maxLength: 4 }))
    .map(([name, target, protocol, named, headers]) =>
      [`${name} ${target} ${protocol}`, named, ...headers, 'Connection: close', '', ''].join('\r\n'),
    )
}

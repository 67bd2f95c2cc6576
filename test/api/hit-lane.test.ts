import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ValidKey } from '#src/access/verify.ts'
import { createHitLane } from '#src/api/hit-lane.ts'
import { createAnswers } from '#src/cache/answers.ts'
import { createLog } from '#src/core/log.ts'
import { ComposedResponse } from '#src/http/server/composed-response.ts'
import type { Assembled } from '#src/record/assembled.ts'
import { heldAnswer } from '#test/support/held-answer.ts'

const HELD = '901012121'
const KEY = 'bo_test_key'
const NOW = new Date('2026-11-21T10:00:00Z')
const valid: ValidKey = { id: 'abc', miljo: 'test', right: 'abc', utloper: new Date('2027-01-01T00:00:00Z') }
const answer = heldAnswer(HELD)
const part = { ...answer, bytes: Buffer.from('{"navn":"LYNGHEI AS","roller":{}}') }

describe('the short way', () => {
  let key: ValidKey | null = valid
  let asked: string[] = []
  const answers = createAnswers<Assembled>({ bytesMax: 1e6, answerBytesMax: 1e6, isTrusted: () => true })
  const lane = createHitLane({
    reader: {
      atHand: (orgnr, fields) =>
        orgnr !== HELD ? null : fields === null ? answer : fields.join() === 'navn,roller' ? part : null,
      shared: () => null,
    },
    answers,
    verifier: {
      atHand(text) {
        asked.push(text)
        return key
      },
    },
    clock: { now: () => NOW },
    log: createLog({ level: 'silent', file: null }),
    isHttps: () => false,
    deprecations: [],
  })
  const server = createServer(
    { ServerResponse: ComposedResponse as typeof ServerResponse },
    (request, response) => {
      const ordinary = () => response.writeHead(299).end()
      if (!lane(request, response, ordinary)) ordinary()
    },
  )
  let port = 0

  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  afterEach(() => {
    key = valid
    asked = []
  })
  afterAll(() => server.close())

  /** Bytes as they are: some of these no client library would send. */
  async function ask(
    start: string,
    ...headers: string[]
  ): Promise<{ status: number; head: string; body: string }> {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.write([`${start} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n'))
    await once(socket, 'close')
    const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n')
    return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body }
  }

  const BEARER = `Authorization: Bearer ${KEY}`
  const PATH = `/api/bedrift/${HELD}`

  it('serves a plain question for what is held', async () => {
    const { status, head, body } = await ask(`GET ${PATH}`, BEARER)
    expect([status, body]).toEqual([200, answer.bytes.toString()])
    expect(head).toContain('cache-status: bedriftsoppslag; hit; ttl=3600')
    expect(head).toContain('age: 30')
    expect(asked).toEqual([KEY])
    expect((await ask(`HEAD ${PATH}`, BEARER)).body).toBe('')
    for (const tag of ['"tag"', 'W/"tag"', '"x", W/"tag"'])
      expect((await ask(`GET ${PATH}`, BEARER, `If-None-Match: ${tag}`)).status).toBe(304)
  })

  it.each<[string, string, string[]]>([
    ['no key', `GET ${PATH}`, []],
    ['two hosts', `GET ${PATH}`, [BEARER, 'host: y']],
    ['two keys', `GET ${PATH}`, [BEARER, BEARER]],
    ['two different ones, one in small letters', `GET ${PATH}`, [BEARER, 'authorization: Bearer other']],
    ['a scheme in small letters', `GET ${PATH}`, [`Authorization: bearer ${KEY}`]],
    ['another scheme', `GET ${PATH}`, [`Authorization: Basic ${KEY}`]],
    ['two words for a key', `GET ${PATH}`, [`Authorization: Bearer ${KEY} x`]],
    ['two spaces before it', `GET ${PATH}`, [`Authorization: Bearer  ${KEY}`]],
    ['a question mark', `GET ${PATH}?`, [BEARER]],
    ['a query', `GET ${PATH}?fersk=true`, [BEARER]],
    ['fields that were not cut out before', `GET ${PATH}?felt=navn`, [BEARER]],
    ['a field there is not', `GET ${PATH}?felt=navnet`, [BEARER]],
    ['fields, and something more', `GET ${PATH}?felt=navn,roller&fersk=true`, [BEARER]],
    ['fields twice', `GET ${PATH}?felt=navn,roller&felt=navn`, [BEARER]],
    ['fields in other letters', `GET ${PATH}?felt=navn%2Croller`, [BEARER]],
    ['two lists of what is taken', `GET ${PATH}`, [BEARER, 'Accept: text/html', 'Accept: application/json']],
    ['a slash at the end', `GET ${PATH}/`, [BEARER]],
    ['a number in groups', 'GET /api/bedrift/901%20012%20121', [BEARER]],
    ['another method', `POST ${PATH}`, [BEARER, 'Content-Length: 0']],
    ['OPTIONS', `OPTIONS ${PATH}`, [BEARER]],
    ['a company that is not held', 'GET /api/bedrift/923609016', [BEARER]],
    ['another address of the same length', 'GET /api/bedriften/90101212', [BEARER]],
    ['an address with a host', `GET http://x${PATH}`, [BEARER]],
  ])('leaves to the ordinary way: %s', async (_what, start, headers) => {
    expect((await ask(start, ...headers)).status).toBe(299)
    expect(asked).toEqual([])
  })

  it('serves fields that were cut out before, in whatever order they are named', async () => {
    for (const named of ['navn,roller', 'roller,navn']) {
      const { status, body } = await ask(`GET ${PATH}?felt=${named}`, BEARER)
      expect([status, body]).toEqual([200, part.bytes.toString()])
    }
  })

  it('leaves to the ordinary way: a key that is not known to be valid', async () => {
    key = null
    expect((await ask(`GET ${PATH}`, BEARER)).status).toBe(299)
    expect(asked).toEqual([KEY])
  })

  it('P27: tells the holder of a key in its last thirty days how many are left, and nobody before that', async () => {
    const inDays = (days: number, ms = 0) => new Date(NOW.getTime() + days * 86_400_000 + ms)
    const told = async (utloper: Date, ...headers: string[]) => {
      key = { ...valid, utloper }
      const { head } = await ask(`GET ${PATH}`, BEARER, ...headers)
      return /x-nokkel-dager-igjen: (\d+)/.exec(head)?.[1] ?? null
    }
    expect(await told(inDays(30, 1))).toBeNull()
    expect(await told(inDays(30))).toBe('30')
    expect(await told(inDays(30, -1))).toBe('30')
    expect(await told(inDays(29))).toBe('29')
    expect(await told(inDays(1))).toBe('1')
    expect(await told(inDays(0, 1), 'If-None-Match: "tag"')).toBe('1')
  })
})

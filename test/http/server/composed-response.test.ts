import { EventEmitter, once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ComposedResponse, headLines } from '#src/http/server/composed-response.ts'

const HEADERS = ['content-type', 'application/json', 'etag', 'W/"tag"', 'x-request-id', 'abc']
const BODY = Buffer.from('{"navn":"BLÅFJELL AS"}')

describe('P128: an answer whose head is composed is the answer Node would have sent', () => {
  const server = createServer(
    { ServerResponse: ComposedResponse as typeof ServerResponse, keepAliveTimeout: 7000 },
    (request, response) => {
      const [, how, status] = (request.url ?? '').split('/')
      const length = status === '304' ? [] : ['content-length', String(BODY.length)]
      if (how === 'composed' && response instanceof ComposedResponse) {
        response.lines = headLines(HEADERS)
        if (request.method !== 'HEAD') {
          response.sendWhole(status === '304' ? null : BODY, Date.now())
          return
        }
        response.writeHead(Number(status), length)
      } else response.writeHead(Number(status), [...HEADERS, ...length])
      if (status === '304' || request.method === 'HEAD') response.end()
      else response.end(BODY)
    },
  )
  let port = 0

  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => server.close())

  /** All that is sent until the server, or this client at the end of its last answer, closes. */
  async function answerTo(start: (path: string) => string, how: 'composed' | 'listed'): Promise<string> {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('latin1').on('data', (data: string) => {
      text += data
    })
    // A client that says it sends no more is answered, and closed upon.
    socket.end(start(`/${how}`))
    await once(socket, 'close')
    for (const [, date = ''] of text.matchAll(/Date: ([^\r]+)/g))
      expect(Math.abs(Date.now() - Date.parse(date))).toBeLessThan(60_000)
    return text.replaceAll(/Date: [^\r]+/g, 'Date: today')
  }

  it.each<[string, (path: string) => string]>([
    ['on a connection that goes on', (path) => `GET ${path}/200 HTTP/1.1\r\nHost: x\r\n\r\n`],
    [
      'on one that the client ends',
      (path) => `GET ${path}/200 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    ],
    ['to an old client', (path) => `GET ${path}/200 HTTP/1.0\r\n\r\n`],
    ['to an old client that goes on', (path) => `GET ${path}/200 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`],
    ['to HEAD', (path) => `HEAD ${path}/200 HTTP/1.1\r\nHost: x\r\n\r\n`],
    [
      'to one that asks first whether it may send',
      (path) => `GET ${path}/200 HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n`,
    ],
    [
      'that has no body, on a connection that the client ends',
      (path) => `GET ${path}/304 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    ],
    ['that has no body', (path) => `GET ${path}/304 HTTP/1.1\r\nHost: x\r\n\r\n`],
    [
      'one behind the other, of both kinds',
      (path) =>
        `GET ${path}/200 HTTP/1.1\r\nHost: x\r\n\r\nGET ${path}/304 HTTP/1.1\r\nHost: x\r\n\r\n` +
        `HEAD ${path}/200 HTTP/1.1\r\nHost: x\r\n\r\nGET ${path}/200 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    ],
  ])('%s', async (_what, start) => {
    const composed = await answerTo(start, 'composed')
    expect(composed).toBe(await answerTo(start, 'listed'))
    expect(composed).toContain('etag: W/"tag"\r\n')
  })
})

describe('P142: pieces that are written together', () => {
  const GROUPS = [[10, 20_000, 3], [0], [0, 0], [5, 1], [30_000, 2, 30_000, 2, 30_000, 2]].map(
    (lengths, group) => lengths.map((length, index) => Buffer.alloc(length, `${group}${index}`)),
  )
  const WHOLE = Buffer.concat(GROUPS.flat()).toString()
  const writtenTo = new EventEmitter()
  const server = createServer(
    { ServerResponse: ComposedResponse as typeof ServerResponse },
    (request, response) => {
      if (request.url === '/large') {
        const megabytes = Array.from({ length: 16 }, (_, index) =>
          Buffer.alloc(1024 * 1024, String(index % 10)),
        )
        writtenTo.emit('large', response, response.write(megabytes))
        return
      }
      for (const group of GROUPS) response.write(group)
      response.end()
    },
  )

  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterAll(() => server.close())

  function client() {
    return connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1')
  }

  async function answersTo(text: string) {
    const said = await Array.fromAsync<string>(client().end(text))
    const heads = said.join('').split(/(?=HTTP\/1\.1 200)/)
    return heads.map((answer) => {
      const [head = ''] = answer.split('\r\n\r\n', 1)
      const rest = answer.slice(head.length + 4)
      return head.includes('chunked') ? chunksIn(rest) : [rest]
    })
  }

  function chunksIn(text: string): string[] {
    const chunks: string[] = []
    for (let at = 0; at < text.length; ) {
      const size = text.slice(at, text.indexOf('\r\n', at))
      const from = at + size.length + 2
      at = from + Number.parseInt(size, 16) + 2
      expect(text.slice(at - 2, at)).toBe('\r\n')
      chunks.push(text.slice(from, at - 2))
    }
    expect(chunks.pop()).toBe('')
    return chunks
  }

  it('come in their order, whole, each time as one chunk of the body, and of nothing none', async () => {
    const [chunks = []] = await answersTo('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(chunks.join('')).toBe(WHOLE)
    expect(chunks.map(({ length }) => length)).toEqual([20_013, 6, 90_006])
  })

  it('come to an old client, which knows of no chunks, and not to one that asks for the head', async () => {
    expect(await answersTo('GET / HTTP/1.0\r\n\r\n')).toEqual([[WHOLE]])
    const [[body] = []] = await answersTo('HEAD / HTTP/1.0\r\n\r\n')
    expect(body).toBe('')
  })

  it('come behind an answer that is still being sent', async () => {
    const one = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
    const answers = await answersTo(one + one + one.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    expect(answers.map((chunks) => chunks.join(''))).toEqual([WHOLE, WHOLE, WHOLE])
  })

  it('wait for a client that does not read, and whoever writes them is told when it has', async () => {
    const written = once(writtenTo, 'large')
    const slow = client().pause()
    slow.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
    const [response, hasRoom] = (await written) as [ServerResponse, boolean]
    expect(hasRoom).toBe(false)
    expect(response.writableNeedDrain).toBe(true)
    const drained = once(response, 'drain')
    slow.resume()
    await drained
    slow.destroy()
  })
})

import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installTracer } from '#src/core/trace.ts'
import { type PageFront, startPageFront } from '#test/pages/page-front.ts'
import { closedPages } from '#test/support/closed-pages.ts'
import { heldAnswer } from '#test/support/held-answer.ts'

const HELD = '901012121'
const KEY = { authorization: 'Bearer bo_test_key' }
const key = { id: 'abc', miljo: 'test', right: 'abc', utloper: new Date('2027-06-01T00:00:00Z') } as const
const unknown = { outcome: 'unknown', forced: null } as const
const long = 'Lang tekst. '.repeat(200)
const answer = heldAnswer(HELD)

/** Each address, with an answer that goes on where there are pages. */
const READ = [
  '/api/bedrift/status',
  '/api/bedrift/sok?q=lynghei&size=1',
  '/api/bedrift/forslag?q=lyng',
  '/api/bedrift/finn?navn=lynghei',
  `/api/bedrift/${HELD}`,
  `/api/bedrift/${HELD}/aksjonaerer?size=1`,
  `/api/bedrift/${HELD}/eierskap`,
]
const PAGES = READ.filter((path) => path.includes('size='))

describe('P91: whichever address is read', () => {
  let front: PageFront

  beforeAll(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: what lies below is not what is looked at
    const found = async (): Promise<any> => ({
      outcome: 'found',
      answer: { tekst: long, neste: 'peker' },
      essence: { tekst: long },
      orgnrs: [],
      side: { tekst: long, aar: 2024, neste: 'peker' },
      eierskap: { tekst: long },
    })
    front = await startPageFront(closedPages(), {
      changes: {
        reader: {
          atHand: (orgnr) => (orgnr === HELD ? answer : null),
          shared: () => null,
          read: async () => unknown,
          readPart: async () => unknown,
          waiting: () => 0,
        },
        search: { sok: found, forslag: found, finn: found, mayShow: () => true, toSn2025: () => [] },
        shares: { holders: found, ownership: found },
        verifier: { verify: () => ({ ok: true, key }), atHand: () => key },
      },
    })
  })
  afterAll(() => front.close())

  it.each(READ)('%s says its language, its id, and whether it came out of a cache', async (path) => {
    const { status, headers } = await front.get(path, KEY)
    expect([status, headers.get('content-language')]).toEqual([200, 'nb'])
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers.get('cache-status')).toMatch(/^bedriftsoppslag; (?:hit|fwd=)/)
  })

  it.each(READ.filter((path) => !path.includes('status')))(
    '%s has a weak tag, and is not sent again',
    async (path) => {
      const tag = (await front.get(path, KEY)).headers.get('etag') ?? ''
      expect(tag).toMatch(/^W\/"/)
      const again = await front.get(path, { ...KEY, 'if-none-match': tag })
      expect([again.status, again.text, again.headers.get('content-language')]).toEqual([304, '', 'nb'])
    },
  )

  it.each(READ.filter((path) => !/status|\d$/.test(path)))(
    '%s is packed as the client likes it',
    async (path) => {
      const plain = await front.get(path, { ...KEY, 'accept-encoding': 'identity' })
      expect(plain.text.length).toBeGreaterThan(1000)
      for (const form of ['br', 'gzip', 'zstd']) {
        const { headers, text } = await front.get(path, { ...KEY, 'accept-encoding': form })
        expect([headers.get('content-encoding'), text === plain.text]).toEqual([form, true])
        expect(headers.get('vary')).toContain('Accept-Encoding')
        expect(headers.get('etag')).toBe(plain.headers.get('etag'))
      }
    },
  )

  it.each(READ)('%s has nothing for a client that takes no JSON, and says what it has', async (path) => {
    // Ownership has another type as well, for who likes anything but JSON.
    const others = path.includes('eierskap') ? [] : ['application/json;q=0, */*']
    for (const accept of ['text/html', 'image/*, text/csv', ...others]) {
      const { status, text } = await front.get(path, { ...KEY, accept })
      expect([accept, status, JSON.parse(text).kode]).toEqual([accept, 406, 'ikke_akseptabelt'])
      expect(JSON.parse(text).typer).toContain('application/json')
    }
    for (const accept of [
      'application/json',
      'application/*',
      'text/html, */*;q=0.1',
      'rubbish',
      'APPLICATION/JSON',
    ])
      expect([accept, (await front.get(path, { ...KEY, accept })).status]).toEqual([accept, 200])
  })

  it.each(PAGES)('%s leads to its next page', async (path) => {
    for (const _ of ['made', 'held'])
      expect((await front.get(path, KEY)).headers.get('link')).toBe(`<${path}&etter=peker>; rel="next"`)
  })

  it.each(READ)(
    '%s is not for other sites’ pages: no answer lets them in, and what they ask first is refused',
    async (path) => {
      const origin = 'https://annet.example'
      const { headers } = await front.get(path, { ...KEY, origin })
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
      const preflight = await fetch(front.origin + path, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'GET' },
      })
      expect(preflight.status).toBe(405)
      expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    },
  )

  it.each([...READ, '/api/bedrift/oppslag'])(
    '%s does not know QUERY, and says what it knows',
    async (path) => {
      const asked = request(front.origin + path, {
        method: 'QUERY',
        headers: { ...KEY, 'content-length': 0 },
      }).end()
      const [said] = await once(asked, 'response')
      said.resume()
      expect([said.statusCode, said.headers.allow]).toEqual([
        405,
        path.endsWith('oppslag') ? 'POST' : 'GET, HEAD',
      ])
    },
  )

  it('goes on in the trace of the caller, whichever way it is given, and whether the caller keeps it or not', async () => {
    const from: (string | null)[] = []
    const uninstall = installTracer({
      begin(_kind, _name, _facts, caller) {
        from.push(caller)
        return { run: (work) => work(), end() {} }
      },
      here: () => null,
    })
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`
    try {
      await front.get(`/api/bedrift/${HELD}`, { ...KEY, traceparent })
      await front.get('/api/bedrift/status', { ...KEY, traceparent })
      await front.get('/api/bedrift/status', KEY)
    } finally {
      uninstall()
    }
    const kept = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    expect(from).toEqual([kept, kept, null])
  })
})

import { connect } from 'node:net'
import { html } from 'ghtml'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import type { Verdict } from '#src/access/verify.ts'
import { createAnswers } from '#src/cache/answers.ts'
import { createChangeLog } from '#src/changes/change-log.ts'
import { systemClock } from '#src/core/clock.ts'
import { createLog } from '#src/core/log.ts'
import { createApp, type Front } from '#src/front/app.ts'
import { type ProblemCode, problems } from '#src/http/problems.ts'
import { advice } from '#src/pages/problem-advice.ts'
import type { Assembled } from '#src/record/assembled.ts'
import type { RecordReading as AnyReading } from '#src/record/reading.ts'
import { NoSearchTurnError } from '#src/search/in-turn.ts'
import { SourceError } from '#src/sources/source.ts'
import { createSandbox } from '#src/wiring/sandbox.ts'
import {
  closedPages,
  noBatches,
  noChanges,
  noNamedKeys,
  noPush,
  noSessions,
} from '#test/support/closed-pages.ts'

type Reading = Exclude<AnyReading, { outcome: 'record' }>

const arsak = { kode: 'ugyldig_svar', beskrivelse: 'Kildens svar er ikke brukt.' }

/** The front alone, with what lies below it told what to say, so that every code can be had on demand. */
describe('problems', () => {
  const produced = new Set<ProblemCode>()
  const valid: Extract<Verdict, { ok: true }> = {
    ok: true,
    key: { id: 'abc', miljo: 'test', right: 'abc', utloper: new Date('2027-01-01T00:00:00Z') },
  }
  let verdict: Verdict | Promise<Verdict> | Error = valid
  let reading: Reading | Error = { outcome: 'unknown' }
  let shares: Awaited<ReturnType<Front['shares']['holders']>> | Error = { outcome: 'replaced' }
  let batch: { ferdig: null } | null = null
  let noRoom: 'one' | 'all' = 'one'
  let origin = ''
  let close: () => Promise<void>

  beforeAll(async () => {
    const gone = async () => {
      throw new SourceError('sok', 'nettverk', 'gone', { retryAfterSeconds: 9 })
    }
    const crowded = async () => {
      throw new NoSearchTurnError(null, { isOwn: true })
    }
    const front: Front = {
      reader: {
        atHand: () => null,
        shared: () => null,
        read: async () => {
          if (reading instanceof Error) throw reading
          return { ...reading, forced: null }
        },
        readPart: () => expect.unreachable(),
        waiting: () => 0,
      },
      many: { read: () => expect.unreachable(), turn: () => null, erased: () => '', waiting: () => 0 },
      batches: {
        ...noBatches,
        place: async ({ name }) => (name === 'brukt' ? 'other' : { full: 'key' }),
        find: async () =>
          batch === null ? null : ({ ...batch } as Awaited<ReturnType<Front['batches']['find']>>),
      },
      changes: {
        ...noChanges,
        log: createChangeLog({
          db: { query: async () => [] },
          waiting: { enter: () => noRoom } as never,
          isErased: () => false,
          policy: policy.changeLog,
        }),
        watches: {
          ...noChanges.watches,
          find: async () => null,
          put: async () => ({ full: { count: 10_000 } }),
        },
        watcherOf: async () => ({ eier: 'abc', prove: false }),
      },
      push: {
        endpoints: {
          ...noPush.endpoints,
          find: async () => null,
          add: async () => ({ full: true }),
          test: async () => 'full',
          sendAgain: async () => 'off',
        },
        ownerOf: async () => ({ eier: 'abc', prove: false, slutter: null, nokkel: null }),
      },
      sandbox: createSandbox({ clock: systemClock, log: createLog({ level: 'silent', file: null }) }),
      sessions: noSessions,
      namedKeys: noNamedKeys,
      reconciliation: noSessions,
      search: { sok: gone, forslag: gone, finn: crowded, mayShow: () => true, toSn2025: () => [] },
      answers: createAnswers<Assembled>({ bytesMax: 1, answerBytesMax: 1, isTrusted: () => true }),
      shares: {
        holders: async () => {
          if (shares instanceof Error) throw shares
          return shares
        },
        ownership: async () => ({ outcome: 'removed', slettedato: null }),
      },
      verifier: {
        verify: () => {
          if (verdict instanceof Error) throw verdict
          return verdict
        },
        atHand: () => null,
      },
      version: '0',
      readiness: async () => ({ klar: true, hindringer: [], mangler: [] }),
      status: () => ({ tid: '2026-12-31T12:00:00Z', kilder: [], feeder: [], hendelser: [], historikk: null }),
      isEnding: () => false,
      clock: { now: () => new Date('2026-12-31T12:00:00Z') },
      log: createLog({ level: 'silent', file: null }),
      policy: {
        ...policy.http,
        headersTimeoutMs: 300,
        requestTimeoutMs: 300,
        connectionsCheckingIntervalMs: 50,
      },
      trustProxy: null,
      publicUrl: () => 'https://oppslag.example',
      deprecations: [],
      pages: closedPages(),
    }
    const app = await createApp(front)
    origin = await app.listen({ port: 0, host: '127.0.0.1' })
    close = () => app.close()
  })
  afterEach(() => {
    verdict = valid
    reading = { outcome: 'unknown' }
  })
  afterAll(() => close())

  async function problem(path: string, init: RequestInit = {}) {
    const answer = await fetch(origin + path, { headers: { authorization: 'Bearer x' }, ...init })
    const body = await answer.json()
    return check(answer.status, answer.headers.get('content-type'), body, answer.headers)
  }

  // biome-ignore lint/suspicious/noExplicitAny: the body is what is being looked at
  function check(status: number, type: string | null, body: any, headers: Headers) {
    const kode = body.kode as ProblemCode
    expect(type).toContain('application/problem+json')
    expect(problems[kode].status).toBe(status)
    expect(body).toMatchObject({ type: `https://oppslag.example/dokumentasjon/feil/${kode}`, status })
    expect(body.foresporselId).toBe(headers.get('x-request-id'))
    expect(headers.get('cache-control')).toBe('no-store')
    produced.add(kode)
    return { kode, status, body, headers }
  }

  /** Bytes as they are, for what no client library would send. */
  async function raw(bytes: string) {
    const { hostname, port } = new URL(origin)
    const socket = connect(Number(port), hostname)
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.write(bytes)
    await new Promise<void>((resolve, reject) => socket.once('close', () => resolve()).once('error', reject))
    const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n')
    const [start = '', ...lines] = head.split('\r\n')
    const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/s, 2) as [string, string]))
    return check(Number(start.split(' ')[1]), headers.get('content-type'), JSON.parse(body), headers)
  }

  it.each<[Partial<Record<'verdict' | 'reading' | 'shares', unknown>>, string, ProblemCode]>([
    [{}, '/api/bedrift/12345678x', 'ugyldig_organisasjonsnummer'],
    [{}, '/api/bedrift/sok?q=', 'ugyldig_parameter'],
    [{}, '/api/bedrift/923609016', 'ukjent_organisasjonsnummer'],
    [{}, '/finnes/ikke', 'ukjent_adresse'],
    [{}, `/api/bedrift/${'9'.repeat(500)}`, 'for_lang_adresse'],
    [{}, '/api/bedrift/%E0%A4%A', 'ugyldig_foresporsel'],
    [{}, '/api/bedrift/status?key=abc', 'nokkel_i_adressen'],
    [{}, '/api/bedrift/sok?q=x', 'register_utilgjengelig'],
    [{}, '/api/bedrift/finn?navn=x', 'for_mange_oppslag'],
    [{ reading: { outcome: 'removed', slettedato: '2026-01-01' } }, '/api/bedrift/923609016', 'fjernet'],
    [{ reading: { outcome: 'crowded' } }, '/api/bedrift/923609016', 'for_mange_oppslag'],
    [
      { reading: { outcome: 'unavailable', arsak, avvik: ['/navn'], retryAfterSeconds: null } },
      '/api/bedrift/923609016',
      'register_utilgjengelig',
    ],
    [{ shares: { outcome: 'replaced' } }, '/api/bedrift/923609016/aksjonaerer', 'foreldet_peker'],
    [
      { shares: { outcome: 'not_imported', aar: 2002 } },
      '/api/bedrift/923609016/aksjonaerer?aar=2002',
      'aar_ikke_importert',
    ],
    [
      { shares: { outcome: 'not_in_register', aar: 2024 } },
      '/api/bedrift/923609016/aksjonaerer',
      'ikke_i_aksjonaerregisteret',
    ],
    [
      { shares: new SourceError('aksjonaerer', 'nettverk', 'gone') },
      '/api/bedrift/923609016/aksjonaerer',
      'arkiv_utilgjengelig',
    ],
    [{}, '/api/bedrift/923609016/eierskap', 'fjernet'],
    [{ reading: new Error('a fault of ours') }, '/api/bedrift/923609016', 'intern_feil'],
    [{ verdict: new Error('a fault of ours') }, '/api/bedrift/923609016', 'intern_feil'],
    [{ verdict: { ok: false, why: 'ukjent' } }, '/api/bedrift/status', 'ugyldig_nokkel'],
    [{ verdict: { ok: false, why: 'ikke_en_nokkel' } }, '/api/bedrift/status', 'feilskrevet_nokkel'],
    [{ verdict: { ok: false, why: 'feil_kontrollsum' } }, '/api/bedrift/status', 'feilskrevet_nokkel'],
    [{ verdict: { ok: false, why: 'annet_miljo' } }, '/api/bedrift/status', 'nokkel_fra_annet_miljo'],
    [{ verdict: { ok: false, why: 'utlopt', utloper: new Date(0) } }, '/api/bedrift/status', 'utlopt_nokkel'],
    [
      { verdict: { ok: false, why: 'tilbakekalt', utloper: new Date(0) } },
      '/api/bedrift/status',
      'tilbakekalt_nokkel',
    ],
    [
      { verdict: Promise.resolve({ ok: false, why: 'overbelastet', retryAfterSeconds: 1 }) },
      '/api/bedrift/status',
      'overbelastet',
    ],
    [
      { verdict: { ok: false, why: 'for_mange_forsok', retryAfterSeconds: 60 } },
      '/api/bedrift/status',
      'for_mange_forsok',
    ],
    [
      { verdict: { ok: false, why: 'lager_utilgjengelig', retryAfterSeconds: 5 } },
      '/api/bedrift/status',
      'nokkellager_utilgjengelig',
    ],
  ])('%j: %s is %s', async (given, path, kode) => {
    if (given.verdict !== undefined) verdict = given.verdict as Verdict
    if (given.reading !== undefined) reading = given.reading as Reading
    if (given.shares !== undefined) shares = given.shares as typeof shares
    const found = await problem(path)
    expect(found.kode).toBe(kode)
    if (found.status === 503 || found.status === 429)
      expect(Number(found.headers.get('retry-after'))).toBeGreaterThan(0)
    if (kode === 'intern_feil') expect(JSON.stringify(found.body)).not.toContain('a fault of ours')
  })

  it('a client that takes none of the types there are is told them', async () => {
    const found = await problem('/api/bedrift/status', {
      headers: { accept: 'text/html', authorization: 'Bearer x' },
    })
    expect(found.kode).toBe('ikke_akseptabelt')
    expect(found.body.typer).toEqual(['application/json'])
  })

  it('another method is told which ones there are', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { kode, headers } = await problem('/api/bedrift/923609016', { method })
      expect(kode).toBe('metode_ikke_tillatt')
      expect(headers.get('allow')).toBe('GET, HEAD')
    }
  })

  it('agents are not asked for by a stranger’s page', async () => {
    verdict = valid
    const headers = {
      authorization: 'Bearer x',
      origin: 'https://fremmed.example',
      'content-type': 'application/json',
    }
    expect((await problem('/mcp', { method: 'POST', headers, body: '{}' })).kode).toBe('fremmed_opphav')
  })

  it('a body that is too large, or of a type nobody reads, is refused', async () => {
    const post = { method: 'POST', headers: { 'content-type': 'application/json' } }
    expect(
      (await problem('/api/bedrift/sok', { ...post, body: JSON.stringify('x'.repeat(20_000)) })).kode,
    ).toBe('for_stor')
    const typed = { method: 'POST', headers: { 'content-type': 'application/x-unknown' }, body: 'x' }
    expect((await problem('/api/bedrift/sok', typed)).kode).toBe('ukjent_innholdstype')
    expect((await problem('/api/bedrift/sok', { ...post, body: '{' })).kode).toBe('ugyldig_foresporsel')
    expect((await problem('/api/bedrift/sok', { ...post, body: '{"__proto__":{}}' })).kode).toBe(
      'ugyldig_foresporsel',
    )
  })

  it('P131: a body that is packed is refused as such, whatever would take it, and an empty one is not', async () => {
    verdict = valid
    const headers = { authorization: 'Bearer x', 'content-type': 'application/json' }
    for (const coding of ['gzip', 'x-gzip', 'br', 'zstd', 'identity, gzip', 'noe']) {
      const packed = { method: 'POST', headers: { ...headers, 'content-encoding': coding }, body: '[]' }
      for (const path of ['/api/bedrift/oppslag', '/api/bedrift/bestillinger', '/mcp', '/api/avstemming']) {
        const { kode, body, headers: told } = await problem(path, packed)
        expect([path, kode, told.get('accept-encoding')]).toEqual([path, 'ukjent_innholdstype', 'identity'])
        expect(body.detail).toContain('Content-Encoding')
      }
    }
    const plain = { ...headers, 'content-encoding': 'Identity' }
    const read = await problem('/api/bedrift/oppslag', { method: 'POST', headers: plain, body: '[]' })
    expect(read.kode).toBe('ugyldig_parameter')
    const nothing = await problem('/api/bedrift/1', { headers: { ...headers, 'content-encoding': 'gzip' } })
    expect(nothing.kode).toBe('ugyldig_organisasjonsnummer')
  })

  it('P131: attack: so is one that says it was packed on its way', async () => {
    verdict = valid
    const head =
      'POST /api/bedrift/oppslag HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\nContent-Type: text/plain\r\nConnection: close\r\n'
    const kodeOf = async (coding: string) =>
      (await raw(`${head}Transfer-Encoding: ${coding}\r\n\r\n1\r\n,\r\n0\r\n\r\n`)).kode
    expect(await kodeOf('gzip, chunked')).toBe('ukjent_innholdstype')
    expect(await kodeOf('Chunked')).toBe('ugyldig_parameter')
  })

  it('P43: a request with two Host headers is refused', async () => {
    const request = 'GET /api/bedrift/status HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n'
    expect((await raw(request)).kode).toBe('ugyldig_foresporsel')
  })

  it('what never becomes a request is answered in the same form', async () => {
    expect((await raw('rubbish\r\n\r\n')).kode).toBe('ugyldig_foresporsel')
    expect((await raw(`GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)).kode).toBe(
      'for_store_headere',
    )
    expect((await raw('GET / HTTP/1.1\r\nhost: x\r\nslow: ')).kode).toBe('tidsavbrudd')
  })

  it('English is answered to those who ask for it', async () => {
    const authorization = 'Bearer x'
    const english = await problem('/api/bedrift/1', {
      headers: { authorization, 'accept-language': 'en-GB,nb;q=0.5' },
    })
    expect(english.body.detail).toBe('An organisation number has nine digits, found 1.')
    const norwegian = await problem('/api/bedrift/1', {
      headers: { authorization, 'accept-language': 'de,en;q=0' },
    })
    expect(norwegian.body.detail).toContain('ni siffer')
  })

  it('P22: no credentials get a bare challenge, a bad key invalid_token, doubled ones invalid_request', async () => {
    const bare = await problem('/api/bedrift/status', { headers: {} })
    expect(bare).toMatchObject({ kode: 'mangler_nokkel', status: 401 })
    expect(bare.headers.get('www-authenticate')).toBe('Bearer realm="bedriftsoppslag"')
    const basic = await problem('/api/bedrift/status', { headers: { authorization: 'Basic eDp5' } })
    expect(basic.headers.get('www-authenticate')).toBe('Bearer realm="bedriftsoppslag"')

    verdict = { ok: false, why: 'ukjent' }
    const bad = await problem('/api/bedrift/status')
    expect(bad.headers.get('www-authenticate')).toBe('Bearer realm="bedriftsoppslag", error="invalid_token"')

    const twice = 'authorization: Bearer a\r\nauthorization: Bearer b\r\n'
    const doubled = await raw(
      `GET /api/bedrift/status HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${twice}\r\n`,
    )
    expect(doubled).toMatchObject({ kode: 'doble_nokler', status: 400 })
    expect(doubled.headers.get('www-authenticate')).toContain('error="invalid_request"')
  })

  it.each(['?access_token=x', '?api_key=x', '?q=bo_live_abc', '?nokkel=x', '?q=Bearer%20bo_test_abc'])(
    'P22: a key in the address (%s) is refused, also beside a good one in the header',
    async (query) => {
      const { kode, headers } = await problem(`/api/bedrift/sok${query}`)
      expect(kode).toBe('nokkel_i_adressen')
      expect(headers.get('www-authenticate')).toContain('invalid_request')
    },
  )

  it('P27: the date a key expired is told to its holder', async () => {
    verdict = { ok: false, why: 'utlopt', utloper: new Date('2026-01-02T03:04:05Z') }
    expect((await problem('/api/bedrift/status')).body.utloper).toBe('2026-01-02T03:04:05.000Z')
  })

  it('P27: the days left are told to the holder of a key in its last thirty, also beside a problem, and to nobody else', async () => {
    const days = async (path: string) => (await problem(path)).headers.get('x-nokkel-dager-igjen')
    expect(await days('/api/bedrift/923609016')).toBe('1')
    expect(await days('/api/bedrift/12345678x')).toBe('1')
    verdict = { ok: true, key: { ...valid.key, utloper: new Date('2027-01-31T12:00:00Z') } }
    expect(await days('/api/bedrift/923609016')).toBeNull()
    for (const refused of ['ukjent', 'ikke_en_nokkel', 'feil_kontrollsum'] as const) {
      verdict = { ok: false, why: refused }
      expect(await days('/api/bedrift/923609016')).toBeNull()
    }
  })

  it('nothing that was sent is repeated', async () => {
    const secret = 'hemmelig-tekst'
    for (const path of [
      `/api/bedrift/${secret}`,
      `/api/bedrift/sok?size=${secret}&q=x`,
      `/${secret}`,
      `/api/bedrift/sok?${secret}=1`,
    ]) {
      expect(JSON.stringify((await problem(path)).body)).not.toContain(secret)
    }
  })

  it('a list: one that is not there, is not done, is another, and is one too many', async () => {
    const at = `/api/bestillinger/${'0'.repeat(32)}`
    expect((await problem(at)).kode).toBe('ukjent_bestilling')
    batch = { ferdig: null }
    const early = await problem(`${at}/resultat`)
    expect([early.kode, early.headers.get('retry-after')]).toEqual(['bestilling_ikke_ferdig', '5'])
    const hand = (name: string) =>
      problem('/api/bedrift/bestillinger', {
        method: 'POST',
        headers: { authorization: 'Bearer x', 'idempotency-key': name, 'content-type': 'application/json' },
        body: '["923609016"]',
      })
    expect((await hand('brukt')).kode).toBe('brukt_idempotensnokkel')
    expect((await hand('ny')).kode).toBe('for_mange_bestillinger')
  })

  it('what is watched: nothing here, no room for more, and too many who wait', async () => {
    expect((await problem('/api/overvaking/923609016')).kode).toBe('ikke_overvaket')
    const post = {
      method: 'POST',
      headers: { authorization: 'Bearer x', 'content-type': 'application/json' },
    }
    const full = await problem('/api/overvaking', { ...post, body: '["923609016"]' })
    expect([full.kode, full.body.antall]).toEqual(['for_mange_overvakinger', 10_000])
    const waiting = await problem('/api/endringer?vent=5')
    expect([waiting.kode, waiting.headers.get('retry-after')]).toEqual(['for_mange_ventende', '10'])
  })

  it('P167: where as many wait as may, of all, is no problem: there is nothing, and when to ask again', async () => {
    noRoom = 'all'
    const answer = await fetch(`${origin}/api/endringer?vent=5`, { headers: { authorization: 'Bearer x' } })
    const { endringer, neste, flere } = (await answer.json()) as Record<string, unknown>
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([200, '10'])
    expect([endringer, flere, typeof neste]).toEqual([[], false, 'string'])
  })

  it('endpoints: none such, no room for more, off, and too many tests', async () => {
    const send = (path: string, body: unknown = {}) =>
      problem(path, {
        method: 'POST',
        headers: { authorization: 'Bearer x', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    expect((await problem('/api/endepunkter/ep_0')).kode).toBe('ukjent_endepunkt')
    const full = await send('/api/endepunkter', { adresse: 'https://mottaker.example/' })
    expect(full.kode).toBe('for_mange_endepunkter')
    expect((await send('/api/endepunkter/ep_0/igjen', { levering: '1' })).kode).toBe('endepunkt_avslatt')
    const tests = await send('/api/endepunkter/ep_0/prove')
    expect([tests.kode, tests.headers.get('retry-after')]).toEqual(['for_mange_prover', '600'])
  })

  it('P89: a 503 of the register says why, and names what in its answer was refused', async () => {
    reading = { outcome: 'unavailable', arsak, avvik: ['/navn'], retryAfterSeconds: null }
    expect((await problem('/api/bedrift/923609016')).body).toMatchObject({ arsak, avvik: ['/navn'] })
    const unheard = await problem('/api/bedrift/sok?q=x')
    expect(unheard.body).toMatchObject({ arsak: { kode: 'nettverk' }, avvik: [] })
  })

  it('what the words of a problem call a field, a parameter or a header is called that', async () => {
    const known = await (await fetch(`${origin}/openapi.json`)).text()
    const words = JSON.stringify([problems, advice])
    const named = [...words.matchAll(/«([a-z]+)»|\b([a-z]+[A-Z]\w+)\b/g)].map(
      ([, quoted, camel]) => quoted ?? camel,
    )
    expect(named).toContain('historikk')
    const unknown = new Set(named.filter((name) => !known.includes(`"${name}"`)))
    // Said of a key, in the words of whoever reported it.
    expect([...unknown]).toEqual(['lekket'])
  })

  it('every code has a page at its type address: what it means, what to check, what to do', async () => {
    for (const [kode, { detail }] of Object.entries(problems)) {
      for (const language of ['nb', 'en'] as const) {
        const page = await fetch(`${origin}/dokumentasjon/feil/${kode}?lang=${language}`)
        const text = await page.text()
        expect(page.status).toBe(200)
        expect(text).toContain(kode)
        const { check, act, operator } = advice[kode as ProblemCode]
        for (const words of [detail, check, act, ...(operator === undefined ? [] : [operator])])
          for (const part of words[language].split('`')) expect(text).toContain(html`${part}`)
      }
    }
  })

  it('every code is listed in the documentation, and every code was produced above', async () => {
    const document = await (await fetch(`${origin}/dokumentasjon/feil`)).text()
    for (const kode of Object.keys(problems)) expect(document).toContain(`feil/${kode}`)
    expect([...produced].toSorted()).toEqual(Object.keys(problems).toSorted())
  })
})

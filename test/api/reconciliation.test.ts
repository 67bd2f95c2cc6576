import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { createLog } from '#src/core/log.ts'
import { revokeKey } from '#src/storage/keys.ts'
import { createSandbox } from '#src/wiring/sandbox.ts'
import { SAMPLE } from '#test/fixtures/samples/index.ts'
import { KEY, startPageFront, TOKEN } from '#test/pages/page-front.ts'
import { createTestClock, HOUR_MS, type TestClock } from '#test/support/clock.ts'
import { closedPages, noSessions } from '#test/support/closed-pages.ts'
import { eventually } from '#test/support/eventually.ts'
import type { RegisterStandIn } from '#test/support/register-stand-in.ts'
import { type SampleService, startSampleService } from '#test/support/sample-service.ts'
import { issueToken } from '#test/support/service.ts'
import { turnsMeanwhile } from '#test/support/turns-meanwhile.ts'

/** Written after the Reconciliation Service API 0.2, sections 3 to 5. */
const url = { type: 'string', pattern: '^https?://' }
const entity = { id: { type: 'string', minLength: 1 }, name: { type: 'string', minLength: 1 } }
const type = { type: 'object', required: ['id', 'name'], properties: entity }
const schemas = {
  manifest: {
    type: 'object',
    required: ['versions', 'name', 'identifierSpace', 'schemaSpace'],
    properties: {
      versions: { type: 'array', contains: { const: '0.2' } },
      name: { type: 'string' },
      identifierSpace: url,
      schemaSpace: url,
      defaultTypes: { type: 'array', items: type },
      view: {
        type: 'object',
        required: ['url'],
        properties: { url: { type: 'string', pattern: '\\{\\{id\\}\\}' } },
      },
      suggest: {
        type: 'object',
        properties: { entity: { type: 'object', required: ['service_url', 'service_path'] } },
      },
    },
  },
  results: {
    type: 'object',
    additionalProperties: {
      type: 'object',
      required: ['result'],
      properties: {
        result: {
          type: 'array',
          items: {
            type: 'object',
            required: ['id', 'name', 'type', 'score', 'match'],
            properties: {
              ...entity,
              description: { type: 'string' },
              type: { type: 'array', minItems: 1, items: type },
              score: { type: 'number' },
              match: { type: 'boolean' },
            },
          },
        },
      },
    },
  },
  suggestions: {
    type: 'object',
    required: ['result'],
    properties: {
      result: {
        type: 'array',
        items: { type: 'object', required: ['id', 'name'], properties: entity },
      },
    },
  },
}
const ajv = new Ajv2020({ strict: false })

let clock: TestClock
let register: RegisterStandIn
let service: SampleService

beforeAll(async () => {
  clock = createTestClock()
  service = await startSampleService({ clock, workers: false })
  register = service.register
})
afterAll(() => service.close())

const AT = '/api/avstemming'

function judged(kind: keyof typeof schemas, body: unknown): void {
  const validate = ajv.compile(schemas[kind])
  expect([kind, validate(body), validate.errors]).toEqual([kind, true, null])
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are looked into, and held against the schemas
type Told = { status: number; body: any }

/** As OpenRefine sends it: a form. */
async function ask(queries: unknown, at = AT): Promise<Told> {
  const answer = await fetch(service.address + at, {
    method: 'POST',
    body: new URLSearchParams({ queries: typeof queries === 'string' ? queries : JSON.stringify(queries) }),
  })
  return { status: answer.status, body: await answer.json() }
}

async function ownAddress(token: string): Promise<{ path: string; sekunder: number }> {
  const answer = await fetch(`${service.address}/api/avstemming-adresse`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  const { adresse, sekunder } = (await answer.json()) as { adresse: string; sekunder: number }
  return { path: adresse.replace(service.address, ''), sekunder }
}

describe('P112: a reconciliation service', () => {
  it('P148: thirty batches at once, which anybody may send, are all answered, and others between them', async () => {
    const full = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [
        `q${index}`,
        { query: `tindevåg sjømat ${index}`, limit: 20 },
      ]),
    )
    /** A busy machine is a busy service, which says when to come again. */
    async function askUntilTaken(): Promise<number> {
      const { status } = await ask(full)
      return status === 503 ? askUntilTaken() : status
    }
    const others = await turnsMeanwhile(async () => {
      const statuses = await Promise.all(Array.from({ length: 30 }, askUntilTaken))
      expect(statuses).toEqual(Array(30).fill(200))
    })
    expect(others).toBeGreaterThan(150)
  })

  it('P148: what is left of a batch whose sender has gone is not looked for', async () => {
    const found = Promise.withResolvers<void>()
    let asked = 0
    const sandbox = createSandbox({ clock, log: createLog({ level: 'silent', file: null }) })
    const sok: typeof sandbox.search.sok = async (...question) => {
      asked += 1
      await found.promise
      return sandbox.search.sok(...question)
    }
    const front = await startPageFront(closedPages(), {
      changes: { sandbox: { ...sandbox, search: { ...sandbox.search, sok } } },
    })
    const full = Object.fromEntries(Array.from({ length: 50 }, (_, nr) => [`q${nr}`, { query: 'tindevåg' }]))
    const body = new URLSearchParams({ queries: JSON.stringify(full) })
    const { atOnce, batches, queriesMax } = policy.reconciliation
    const begunOfAll = atOnce * batches.forOneMax
    const send = (signal: AbortSignal | null) =>
      Array.from({ length: batches.forOneMax }, () =>
        fetch(front.origin + AT, { method: 'POST', body, signal }).catch(() => null),
      )
    try {
      const left = new AbortController()
      const gone = send(left.signal)
      await eventually('they are begun', () => asked === begunOfAll)
      left.abort()
      await Promise.all(gone)
      const others = send(null)
      await eventually('others have their places', () => asked === 2 * begunOfAll)
      found.resolve()
      for (const answer of await Promise.all(others)) expect(answer?.status).toBe(200)
      expect(asked).toBe(begunOfAll + queriesMax * batches.forOneMax)
    } finally {
      await front.close()
    }
  })

  it('P168: attack: where strangers have had all they may of what is received, who has an address of their own is heard', async () => {
    const front = await startPageFront(closedPages(), {
      changes: {
        policy: { ...policy.http, receivedOfStrangersBytesMax: 0 },
        reconciliation: {
          ...noSessions,
          who: async (value) => (value === TOKEN ? { ok: true, key: KEY } : null),
        },
      },
    })
    const long = new URLSearchParams({ queries: JSON.stringify({ q0: { query: 'x'.repeat(40_000) } }) })
    const statusAt = async (path: string) =>
      (await fetch(front.origin + path, { method: 'POST', body: long })).status
    try {
      expect([await statusAt(AT), await statusAt(`${AT}/${TOKEN}`)]).toEqual([408, 200])
    } finally {
      await front.close()
    }
  })

  it('P148: attack: strangers who have all the places that strangers have leave a customer theirs', async () => {
    const found = Promise.withResolvers<never>()
    let asked = 0
    const sandbox = createSandbox({ clock, log: createLog({ level: 'silent', file: null }) })
    const sok: typeof sandbox.search.sok = async () => {
      asked += 1
      return found.promise
    }
    const front = await startPageFront(closedPages(), {
      changes: {
        sandbox: { ...sandbox, search: { ...sandbox.search, sok } },
        reconciliation: {
          ...noSessions,
          who: async (value) => (value === TOKEN ? { ok: true, key: KEY } : null),
        },
      },
    })
    const body = (query: string) => new URLSearchParams({ queries: JSON.stringify({ q0: { query } }) })
    const { atOnce } = policy.reconciliation.batches
    const left = new AbortController()
    const crowd = Array.from({ length: 2 * atOnce }, (_, at) =>
      fetch(front.origin + AT, {
        method: 'POST',
        body: body('tindevåg'),
        headers: { 'x-forwarded-for': `192.0.2.${at + 1}` },
        signal: left.signal,
      }).catch(() => null),
    )
    try {
      await eventually('they have all there are', () => asked === atOnce)
      const own = await fetch(`${front.origin}${AT}/${TOKEN}`, { method: 'POST', body: body('') })
      expect([own.status, await own.json()]).toEqual([200, { q0: { result: [] } }])
    } finally {
      left.abort()
      await Promise.all(crowd)
      await front.close()
    }
  })

  it('tells what it is, answers a batch by form and in the address, and suggests, as the specification has it', async () => {
    const before = register.calls.count()
    const { body: manifest, headers } = await service.getBare(AT)
    judged('manifest', manifest)
    expect([manifest.name, headers.get('access-control-allow-origin')]).toEqual([
      'Bedriftsoppslag (oppdiktede foretak)',
      '*',
    ])
    const queries = {
      q0: { query: 'Tindevåg Sjømat AS', limit: 3 },
      q1: { query: SAMPLE.bankrupt },
      q2: { query: 'finnes virkelig ikke noe sted', type: 'enhet', type_strict: 'should' },
      q3: { query: 'tindevåg', limit: 2, properties: [{ pid: 'ukjent', v: { id: 'x' } }] },
    }
    const { status, body } = await ask(queries)
    expect([status, Object.keys(body)]).toEqual([200, Object.keys(queries)])
    judged('results', body)
    expect(body.q0.result[0]).toMatchObject({ id: SAMPLE.healthy, match: true, score: 100 })
    expect(body.q1.result[0].id).toBe(SAMPLE.bankrupt)
    expect(body.q2.result).toEqual([])
    expect(body.q3.result).toHaveLength(2)
    const inAddress = await service.getBare(`${AT}?queries=${encodeURIComponent(JSON.stringify(queries))}`)
    expect(inAddress.body).toEqual(body)
    const { service_url, service_path } = manifest.suggest.entity
    const suggested = await fetch(`${service_url}${service_path}?prefix=tinde&cursor=0`)
    const suggestions = (await suggested.json()) as { result: unknown[] }
    judged('suggestions', suggestions)
    expect(suggestions.result.length).toBeGreaterThan(0)
    expect(register.calls.count()).toBe(before)
  })

  it('suggests the types and the columns it knows, and shows a company in a frame of another site, as text', async () => {
    const { suggest, preview } = (await service.getBare(AT)).body
    for (const [kind, prefix, ids] of [
      ['type', 'f', ['enhet']],
      ['type', '', ['enhet', 'underenhet']],
      ['property', 'e', ['epost']],
      ['property', 'STE', ['sted']],
      ['property', 'zz', []],
    ] as const) {
      const { service_url, service_path } = suggest[kind]
      const { body } = await service.getBare(
        `${service_url.replace(service.address, '')}${service_path}?prefix=${prefix}`,
      )
      judged('suggestions', body)
      expect(body.result.map(({ id }: { id: string }) => id)).toEqual(ids)
    }
    expect([preview.width, preview.height]).toEqual([expect.any(Number), expect.any(Number)])
    const address = (id: string) => preview.url.replace(service.address, '').replace('{{id}}', id)
    const shown = await service.getBare(address(SAMPLE.healthy))
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(shown.text).toContain('TINDEVÅG SJØMAT AS')
    expect(shown.headers.get('content-security-policy')).toMatch(/^default-src 'none'.*frame-ancestors \*$/)
    expect(shown.headers.get('x-frame-options')).toBeNull()
    for (const [id, status] of [
      ['901200998', 404],
      ['<script>', 400],
      ['', 400],
    ] as const)
      expect([id, (await service.getBare(address(encodeURIComponent(id)))).status]).toEqual([id, status])
    for (const path of [
      '/forslag/type?prefix=',
      '/forslag/egenskap?prefix=',
      `/visning?id=${SAMPLE.healthy}`,
    ])
      expect((await service.getBare(`${AT}/${'A'.repeat(43)}${path}`)).status).toBe(404)
    expect((await service.getBare(`${AT}/forslag/type`)).status).toBe(400)
  })

  it('uses other columns to tell companies of one name apart, and is sure of none that is not the only one', async () => {
    const { body } = await ask({
      a: { query: 'tindevåg sjømat', properties: [{ pid: 'sted', v: 'Svolvær' }] },
      b: { query: 'tindevåg' },
    })
    judged('results', body)
    expect(body.a.result[0]?.id).toBe(SAMPLE.healthy)
    expect(body.b.result.filter(({ match }: { match: boolean }) => match)).toEqual([])
    const scores = body.b.result.map(({ score }: { score: number }) => score)
    expect(scores).toEqual([...scores].sort((x, y) => y - x))
  })

  it('attack: what is no batch, is too much of one, or is typed to harm is refused in words or has no result', async () => {
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`q${index}`, { query: 'x' }]))
    for (const wrong of ['', 'null', '[]', '{', '{"q0":1}', '{"q0":{}}', '{"q0":{"query":1}}', many]) {
      const { status, body } = await ask(wrong)
      expect([status, body.kode], JSON.stringify(wrong)).toEqual([400, 'ugyldig_parameter'])
    }
    const hostile = {
      __proto__x: { query: '\u0000' },
      constructor: { query: 'x'.repeat(5000) },
      c: { query: '   ' },
      d: { query: "'; drop table ordre; --", limit: -1, type: ['a'] },
      e: { query: '\ud800', limit: 1e9, properties: [{ pid: 'sted', v: '\u0000' }] },
      f: { query: 'tindevåg sjømat as' },
    }
    const { status, body } = await ask(hostile)
    expect([status, Object.keys(body)]).toEqual([200, Object.keys(hostile)])
    judged('results', body)
    expect(body.f.result[0].id).toBe(SAMPLE.healthy)
    const json = await fetch(service.address + AT, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(json.status).toBe(400)
    const large = await ask({ q0: { query: 'x'.repeat(100_000) } })
    expect(large.status).toBe(413)
    expect((await service.getBare(`${AT}/forslag`)).status).toBe(400)
    expect((await fetch(service.address + AT, { method: 'DELETE' })).status).toBe(405)
  })

  it('of real companies is at an address of one’s own, which opens nothing else and ends with its time and its key', async () => {
    const { path, sekunder } = await ownAddress(service.token)
    expect([path.slice(0, AT.length + 1), sekunder]).toEqual([`${AT}/`, 12 * 3600])
    expect(path).not.toContain(service.token)
    const { body: manifest } = await service.getBare(path)
    judged('manifest', manifest)
    expect(manifest.name).toBe('Bedriftsoppslag')
    const { body } = await ask({ q0: { query: 'Tindevåg Sjømat AS' } }, path)
    judged('results', body)
    expect(body.q0.result[0].id).toBe(SAMPLE.healthy)
    const mark = path.split('/').at(-1) ?? ''
    const asKey = await service.getBare('/api/bedrift/status', { authorization: `Bearer ${mark}` })
    expect(asKey.status).toBe(401)
    for (const name of ['okt', '__Host-okt', 'nokkelokt'])
      expect((await service.getBare('/liste', { cookie: `${name}=${mark}` })).text).not.toContain('Logg ut')
    for (const nobodys of ['x', 'A'.repeat(43), service.token])
      expect((await service.getBare(`${AT}/${nobodys}`)).status).toBe(404)

    const leaving = await issueToken(service.storage, clock)
    const other = await ownAddress(leaving)
    expect((await service.getBare(other.path)).status).toBe(200)
    await revokeKey(service.storage.database, leaving.split('_')[2] ?? '', clock.now())
    await eventually(
      'it has ended with its key',
      async () => (await service.getBare(other.path)).status === 404,
    )
    clock.advance(12 * HOUR_MS)
    expect((await service.getBare(path)).status).toBe(404)
  })

  it('is everybody’s for a test key, and nobody’s without one', async () => {
    expect((await ownAddress(PUBLIC_TEST_KEY)).path).toBe(AT)
    const bare = await fetch(`${service.address}/api/avstemming-adresse`, { method: 'POST' })
    expect(bare.status).toBe(401)
  })
})

import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { Pool } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SAMPLE, sampleAnswers, UNKNOWN_NUMBER } from '../fixtures/samples/index.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { putYear } from '../support/share-books.ts'

const decode: Record<string, (bytes: Buffer) => Buffer> = {
  identity: (bytes) => bytes,
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}

type Case = { path: string; headers: Record<string, string | string[]> }

/** So many requests that nobody thought of, to the whole service; the next time others. */
export function fuzz(cases: number): void {
  let register: RegisterStandIn
  let service: TestService
  let pool: Pool
  let promised: (route: string, status: number, type: string) => ValidateFunction | undefined
  let documented: (route: string) => string[]

  beforeAll(async () => {
    register = await startRegisterStandIn({ answers: sampleAnswers() })
    service = await startTestService(register)
    await putYear(service.storage.database, {
      aar: 2024,
      books: [{ orgnr: SAMPLE.healthy, holders: [{ n: 'KARI NORDMANN', f: 1970, a: [[0, 100]] }] }],
    })
    pool = new Pool(service.address, { connections: 8 })
    const document = (await service.getBare('/openapi.json')).body
    expect(document.openapi).toBe('3.1.0')
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    ajv.addSchema(document, 'document')
    documented = (route) => Object.keys(document.paths[route]?.get?.responses ?? {})
    const compiled = new Map<string, ValidateFunction>()
    promised = (route, status, type) => {
      const response = document.paths[route]?.get?.responses?.[status]
      const whole = document.components.responses[response?.$ref?.split('/').at(-1)] ?? response
      const schema = fromDocument(whole?.content?.[type]?.schema)
      if (schema === undefined) return undefined
      const name = `${route} ${status} ${type}`
      const validate = compiled.get(name) ?? ajv.compile(schema)
      compiled.set(name, validate)
      return validate
    }
  })
  afterAll(async () => {
    await pool.close()
    await service.close()
    await register.close()
  })

  it(`${cases} paths, queries and headers never give a 5xx and always match the OpenAPI document`, async () => {
    await fc.assert(
      fc.asyncProperty(requests(), async ({ path, headers }) => {
        const ask = () => pool.request({ method: 'GET', path, headers: withKey(headers) })
        // On a machine that pauses for seconds the server ends an idle connection as the client takes it up: any client asks
        // again on another (RFC 9112, 9.3.1). What resets it by being asked does so again.
        const answer = await ask().catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ECONNRESET') throw error
          return ask()
        })
        const bytes = Buffer.from(await answer.body.arrayBuffer())
        const text =
          decode[String(answer.headers['content-encoding'] ?? 'identity')]?.(bytes).toString() ?? ''
        const status = answer.statusCode
        if (status === 304) {
          // The only answer without a body: what was asked for is what the client has.
          expect(text).toBe('')
          expect(headers['if-none-match'], path).toBeDefined()
          expect(documented(routeOf(path, status)), path).toContain('304')
          return
        }
        const body: unknown = JSON.parse(text)
        const type = String(answer.headers['content-type']).split(';')[0] ?? ''
        expect(status, path).toBeLessThan(500)
        const validate = promised(routeOf(path, status), status, type)
        expect(validate, `${status} ${type} of ${path} is documented`).toBeDefined()
        expect(validate?.(body) ? null : validate?.errors, path).toBeNull()
      }),
      { numRuns: cases },
    )
  })

  /** `KEY` stands for the good key, which exists only once the service runs. */
  function withKey(headers: Case['headers']): Case['headers'] {
    const put = (value: string) => value.replace('KEY', service.token)
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map(put) : put(value),
      ]),
    )
  }
}

/** What no route takes is answered like an unknown company: 404, in the same form. */
function routeOf(path: string, status: number): string {
  const [address = ''] = path.split('?')
  if (/^\/api\/bedrift\/sok\/?$/.test(address)) return '/api/bedrift/sok'
  if (/^\/api\/bedrift\/status\/?$/.test(address)) return '/api/bedrift/status'
  const [, more] = /^\/api\/bedrift\/[^/]+\/(aksjonaerer|eierskap)\/?$/.exec(address) ?? []
  if (more !== undefined) return `/api/bedrift/{orgnr}/${more}`
  return status === 404 || address.startsWith('/api/bedrift/') ? '/api/bedrift/{orgnr}' : address
}

function requests(): fc.Arbitrary<Case> {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
  )
  const encoded = text.map((value) => encodeURIComponent(value.toWellFormed()))
  const orgnr = fc.constantFrom(...Object.values(SAMPLE), UNKNOWN_NUMBER)
  const written = fc.oneof(
    orgnr,
    orgnr.map((number) => `NO%20${number.slice(0, 3)}.${number.slice(3)}MVA`),
    fc.stringMatching(/^[0-9]{0,12}$/),
    fc.tuple(orgnr, encoded).map(([number, more]) => number + more),
    fc.constantFrom(
      '..%2f..%2fenheter',
      '%00',
      '%E0%A4%A',
      '__proto__',
      'constructor',
      "1'%20or%201=1--",
      '%ff%fe',
    ),
    encoded,
  )
  const parameter = fc.oneof(
    fc.tuple(fc.constantFrom('q', 'size', 'page', 'Q', 'key', '__proto__', 'q[]', 'size[]'), encoded),
    fc.tuple(fc.constant('q'), fc.constantFrom('tindev%C3%A5g', '901012121', 'as', 'NO901012121MVA')),
    fc.tuple(fc.constant('size'), fc.oneof(fc.integer().map(String), fc.double().map(String), encoded)),
    fc.tuple(fc.constantFrom('aar', 'dybde'), fc.oneof(fc.constantFrom('2024', '2023', '1'), encoded)),
    fc.tuple(fc.constant('retning'), fc.oneof(fc.constantFrom('opp', 'ned'), encoded)),
    fc.tuple(fc.constant('format'), fc.oneof(fc.constantFrom('bods', 'json'), encoded)),
    fc.tuple(fc.constant('etter'), fc.oneof(fc.constantFrom('MS45MDEwMTIxMjEuMQ', ''), encoded)),
    fc.tuple(encoded, encoded),
  )
  const query = fc
    .array(parameter, { maxLength: 4 })
    .map((pairs) =>
      pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`,
    )
  const address = fc.oneof(
    { weight: 5, arbitrary: written.map((value) => `/api/bedrift/${value}`) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(written, fc.constantFrom('aksjonaerer', 'eierskap'))
        .map(([value, more]) => `/api/bedrift/${value}/${more}`),
    },
    { weight: 4, arbitrary: fc.constant('/api/bedrift/sok') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '/api/bedrift/status',
        '/api/bedrift/',
        '/api//bedrift/sok',
        '/api/bedrift/sok/',
      ),
    },
    { weight: 1, arbitrary: encoded.map((value) => `/${value}x`) },
  )
  const visible = fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  })
  const tag = fc.oneof(fc.constantFrom('*', 'W/"x", *', '""'), visible)
  const authorization = fc.oneof(
    { weight: 6, arbitrary: fc.constant('Bearer KEY') },
    { weight: 1, arbitrary: visible },
    { weight: 1, arbitrary: visible.map((value) => `Bearer ${value}`) },
    { weight: 1, arbitrary: fc.tuple(visible, fc.constant('Bearer KEY')).map((both) => [...both]) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('bearer KEY', 'Bearer  KEY', 'Bearer KEY KEY', 'Bearer KEYx', 'Basic KEY'),
    },
  )
  const other = fc.dictionary(
    fc.constantFrom(
      'accept',
      'accept-language',
      'if-none-match',
      'x-forwarded-for',
      'cookie',
      'range',
      'origin',
      'accept-encoding',
    ),
    visible,
  )
  return fc.record({
    path: fc.tuple(address, query).map(([path, parameters]) => path + parameters),
    headers: fc
      .tuple(authorization, other, fc.option(tag, { nil: undefined }))
      .map(([value, more, known]) => ({
        ...more,
        ...(known === undefined ? {} : { 'if-none-match': known }),
        authorization: value,
      })),
  })
}

/** With its references, which are the document's own. */
function fromDocument(schema: object | undefined): object | undefined {
  if (schema === undefined) return undefined
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))
}

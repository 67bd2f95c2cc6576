import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { LIVING } from '#src/samples/living.ts'
import { BODIES, EXAMPLE_NAME, examplePath, QUESTIONS } from '#src/samples/questions.ts'
import { SAMPLE, sampleAnswers } from '#test/fixtures/samples/index.ts'
import { openJudges } from '../support/judges.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { putYear } from '../support/share-books.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is what is being looked at
type Document = any
type Asked = {
  path: string
  method?: 'get' | 'post' | 'delete'
  headers?: Record<string, string>
  query?: object
  body?: unknown
}
type Judged = { status: number; input: unknown[]; output: unknown[] }

let register: RegisterStandIn
let service: TestService
let document: Document
let judge: (asked: Asked) => Promise<Judged>
let load: Awaited<ReturnType<typeof openJudges>>['load']

beforeAll(async () => {
  ;({ load } = await openJudges())
  register = await startRegisterStandIn({ answers: sampleAnswers() })
  service = await startTestService(register, { isLoaded: true, workers: false })
  await putYear(service.storage.database, {
    aar: 2024,
    books: [{ orgnr: SAMPLE.healthy, holders: [{ n: 'KARI NORDMANN', f: 1970, a: [[0, 100]] }] }],
  })
  document = (await service.getBare('/openapi.json')).body
  judge = await judgeBy(document)
}, 300_000)
afterAll(async () => {
  await service?.close()
  await register?.close()
})

/** Prism between a client and the service: what goes and what comes is held against the document. */
async function judgeBy(told: Document): Promise<typeof judge> {
  const { createInstance } = load('@stoplight/prism-http')
  const { getHttpOperationsFromSpec } = load('@stoplight/prism-http/dist/utils/operations.js')
  const operations = await getHttpOperationsFromSpec(structuredClone(told))
  const config = {
    isProxy: true,
    upstream: new URL(service.address),
    upstreamProxy: undefined,
    validateRequest: true,
    validateResponse: true,
    checkSecurity: true,
    errors: false,
    mock: { dynamic: false },
  }
  const prism = createInstance(config, { logger: silent })
  return async ({ path, method = 'get', headers = {}, query = {}, body }) => {
    const request = {
      method,
      url: { baseUrl: service.address, path, query },
      headers: { authorization: `Bearer ${service.token}`, accept: 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
    }
    const said = await prism.request(request, operations)()
    if (said._tag === 'Left') throw said.left
    const { output, validations } = said.right
    return { status: output.statusCode, ...validations }
  }
}

const silent: object = new Proxy({}, { get: (_, name) => (name === 'child' ? () => silent : () => {}) })

describe('P108: an independent judge between a client and the service', () => {
  it('finds every answer of every call as the document has it, and every call as it was meant', async () => {
    let judged = 0
    for (const [path, methods] of Object.entries<Document>(document.paths))
      for (const [method, { operationId, responses }] of Object.entries<Document>(methods)) {
        const [good] = Object.keys(responses)
        const answers = responses[good as string].content ?? {}
        const asked: Asked = {
          path: examplePath(path),
          method: method as Asked['method'] & string,
          query: { ...QUESTIONS[operationId] },
          ...(BODIES[operationId] !== undefined && { body: BODIES[operationId] }),
        }
        // Lines of JSON are no body that it reads; the examples of the document are held against the shape of a line.
        const accept = 'text/csv' in answers ? 'text/csv' : 'application/json'
        const isOfLines = Object.keys(answers).join() === 'application/x-ndjson'
        // The list that is everybody's is nobody else's.
        const keys = /\{(?:id|endepunkt)\}/.test(path) ? [PUBLIC_TEST_KEY] : [service.token, PUBLIC_TEST_KEY]
        for (const key of keys) {
          const headers = {
            accept,
            authorization: `Bearer ${key}`,
            ...(BODIES[operationId] !== undefined && {
              'content-type': 'application/json',
              'idempotency-key': EXAMPLE_NAME,
            }),
          }
          expect([operationId, await judge({ ...asked, headers })]).toEqual([
            operationId,
            { status: Number(good), input: [], output: isOfLines ? expect.anything() : [] },
          ])
          judged += 1
        }
      }
    expect(judged).toBeGreaterThan(30)
  })

  it.each(Object.entries(SAMPLE).filter(([name]) => name !== 'removed'))(
    'finds the record of %s as the document has it, in both languages',
    async (_name, orgnr) => {
      for (const language of ['nb', 'en']) {
        const asked = { path: `/api/bedrift/${orgnr}`, headers: { 'accept-language': language } }
        expect(await judge(asked)).toEqual({ status: 200, input: [], output: [] })
      }
    },
  )

  it('finds every problem as the document has it', async () => {
    const company = `/api/bedrift/${SAMPLE.healthy}`
    const test = { authorization: `Bearer ${PUBLIC_TEST_KEY}` }
    const asked: [number, Asked][] = [
      [400, { path: '/api/bedrift/123' }],
      [400, { path: company, query: { felt: 'tull' } }],
      [400, { path: '/api/bedrift/sok', query: { q: 'a', size: '1000' } }],
      [400, { path: `${company}/aksjonaerer`, query: { aar: 'i fjor' } }],
      [401, { path: company, headers: { authorization: 'Bearer bo_live_feil' } }],
      [404, { path: '/api/bedrift/901200998' }],
      [404, { path: `${company}/aksjonaerer`, query: { aar: '2010' } }],
      [406, { path: company, headers: { accept: 'text/html' } }],
      [410, { path: `/api/bedrift/${SAMPLE.removed}` }],
      [429, { path: `/api/bedrift/${LIVING.tooMany}`, headers: test }],
      [503, { path: `/api/bedrift/${LIVING.unavailable}`, headers: test }],
    ]
    for (const [status, each] of asked) {
      const { output, ...told } = await judge(each)
      expect([each.path, told.status, output]).toEqual([each.path, status, []])
    }
  })

  it('would find what the document does not have: another type, a field too few, a status nobody told of', async () => {
    const path = '/api/bedrift/status'
    const faults: ((changed: Document) => void)[] = [
      ({ components }) =>
        Object.assign(components.schemas.NokkelStatus.properties.nokkelId, { type: 'integer' }),
      ({ components }) => components.schemas.NokkelStatus.required.push('ny'),
      ({ paths }) => delete paths[path].get.responses[200],
    ]
    for (const change of faults) {
      const changed = structuredClone(document)
      change(changed)
      const other = await judgeBy(changed)
      expect((await other({ path })).output.length).toBeGreaterThan(0)
    }
  })
})

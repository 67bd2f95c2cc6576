import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SampleService, startSampleService } from '#test/support/sample-service.ts'
import { SAMPLE } from '../fixtures/samples/index.ts'
import type { RegisterStandIn } from '../support/register-stand-in.ts'

describe('P91: the examples of the document', () => {
  let register: RegisterStandIn
  let service: SampleService

  beforeAll(async () => {
    service = await startSampleService({ workers: false })
    register = service.register
  })
  afterAll(() => service.close())

  it('are one for each answer: what the service answers of an invented company now, in the shape the document has', async () => {
    const { body: document } = await service.getBare('/openapi.json')
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    ajv.addSchema(document, 'document')
    const operations = Object.values<Record<string, unknown>>(document.paths).flatMap((methods) =>
      // biome-ignore lint/suspicious/noExplicitAny: the document is what is being looked at
      Object.values<any>(methods),
    )
    expect(operations.length).toBeGreaterThan(15)
    for (const { operationId, responses, externalDocs } of operations) {
      const [good = ''] = Object.keys(responses)
      const { content } = responses[good]
      const answer = await fetch(externalDocs.url)
      const text = await answer.text()
      expect([operationId, answer.status]).toEqual([operationId, Number(good)])
      if (content === undefined) {
        expect([operationId, text]).toEqual([operationId, ''])
        continue
      }
      const { schema } = content['application/json'] ?? content['application/x-ndjson']
      const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')))
      const said = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      for (const each of said)
        expect([operationId, validate(each), validate.errors]).toEqual([operationId, true, null])
      if (operationId === 'hentBedrift')
        expect(said[0]).toMatchObject({ organisasjonsnummer: SAMPLE.healthy })
      if (operationId === 'sokEtterForetak') expect(said[0].treff.length).toBeGreaterThan(0)
    }
    expect(register.calls.count()).toBe(0)
  })

  it('are of what the document has, and of nothing else', async () => {
    expect((await service.getBare('/eksempel/svar/hentNoe.json')).status).toBe(404)
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentedCalls } from '#test/support/documented-calls.ts'
import { startSampleService } from '#test/support/sample-service.ts'
import type { TestService } from '#test/support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startSampleService()
})
afterAll(() => service.close())

describe('P97: what other programs take in is made from the document', () => {
  it('every call of the Postman collection is answered, sent as it stands there', async () => {
    const { body: collection } = await service.getBare('/dokumentasjon/postman.json')
    const { body: document } = await service.getBare('/openapi.json')
    const calls = Object.values<object>(document.paths).flatMap((methods) => Object.keys(methods))
    expect(collection.item.length).toBe(calls.length)
    for (const { name, good, send } of await documentedCalls(service)) {
      const answer = await send()
      expect([answer.status, answer.headers.get('x-provedata')], name).toEqual([good, 'true'])
      await answer.arrayBuffer()
    }
  })

  it('the Power Query gets a table whose figures are figures, by the request it makes', async () => {
    const { text, headers } = await service.getBare('/dokumentasjon/bedriftsoppslag.pq')
    expect(headers.get('content-type')).toContain('text/plain')
    const given = (pattern: RegExp) => pattern.exec(text)?.[1] ?? ''
    const url = given(/Web\.Contents\("([^"]+)"/)
    const path = given(/RelativePath = "([^"]+)"/)
    const answer = await fetch(`${url}/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${given(/Nokkel = "([^"]+)"/)}`,
        accept: given(/Accept = "([^"]+)"/),
        'content-type': given(/#"Content-Type" = "([^"]+)"/),
      },
      body: JSON.stringify(['901012121', 901034346]),
    })
    const [head = '', ...rows] = (await answer.text()).trimEnd().split('\r\n')
    expect(rows).toHaveLength(2)
    const columns = head.split(/;/)
    const figures = [...text.matchAll(/\{"(\w+)", type number\}/g)].map(([, name = '']) => name)
    expect(figures).toContain('aarsresultat')
    const cells = rows[0]?.split(';') ?? []
    for (const name of figures) {
      expect(columns, name).toContain(name)
      expect(cells[columns.indexOf(name)], name).toMatch(/^-?\d*(,\d+)?$/)
    }
  })
})

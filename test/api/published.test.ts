import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { taken } from '#src/pages/changes-page.ts'
import { type PageFront, startPageFront } from '#test/pages/page-front.ts'
import { closedPages } from '#test/support/closed-pages.ts'
import { asText, brokenIn, fromText, type Lines, linesOf } from './published/lines.ts'
import { PUBLISHED } from './published/place.ts'

describe('P90: what was published is there, unless the page of changes says what became of it', () => {
  let front: PageFront
  let now: Lines
  // biome-ignore lint/suspicious/noExplicitAny: the document is taken apart
  let document: any

  beforeAll(async () => {
    front = await startPageFront(closedPages())
    document = JSON.parse((await front.get('/openapi.json')).text)
    now = linesOf(document)
  })
  afterAll(() => front.close())

  const published = fromText(readFileSync(PUBLISHED, 'utf8'))
  // biome-ignore lint/suspicious/noExplicitAny: the document is taken apart
  const brokenBy = (change: (document: any) => void) => {
    const changed = structuredClone(document)
    change(changed)
    return brokenIn(now, linesOf(changed))
  }

  it('nothing is gone, of another type or newly demanded', () => {
    expect(brokenIn(published, now).filter((name) => !taken.has(name))).toEqual([])
  })

  it('what is new is published as well: npm run -s published', () => {
    expect(asText(now)).toBe(readFileSync(PUBLISHED, 'utf8'))
  })

  it('what the page of changes says was taken away is not there, or is of another type', () => {
    for (const name of taken) expect([name, now.get(name)]).not.toEqual([name, published.get(name)])
  })

  it('a field that goes, may be null, or is of another type is seen; one that is added breaks nothing', () => {
    const fields = (each: typeof document) =>
      each.components.schemas.Rolleinnehaver ? each.components.schemas.RolleinnehaverPerson.properties : {}
    expect(brokenBy((each) => delete fields(each).fornavn)).toEqual(['RolleinnehaverPerson.fornavn'])
    expect(brokenBy((each) => Object.assign(fields(each).type, { const: 'menneske' }))).toEqual([
      'RolleinnehaverPerson.type',
    ])
    expect(brokenBy((each) => Object.assign(fields(each).navn, { type: ['integer', 'null'] }))).toEqual([
      'RolleinnehaverPerson.navn',
    ])
    expect(
      brokenBy((each) => {
        each.components.schemas.Bedrift.properties.komplett.type = ['boolean', 'null']
      }),
    ).toEqual(['Bedrift.komplett'])
    expect(brokenBy((each) => Object.assign(fields(each), { nytt: { type: 'string' } }))).toEqual([])
  })

  it('a new word in a list is seen in an answer, and a word less in a parameter', () => {
    expect(brokenBy((each) => each.components.schemas.UtenData.properties.tilstand.enum.push('ny'))).toEqual([
      'UtenData.tilstand',
    ])
    const tilstand = (each: typeof document) =>
      each.paths['/api/bedrift/sok'].get.parameters.find(({ name }: { name: string }) => name === 'tilstand')
    expect(brokenBy((each) => tilstand(each).schema.enum.push('ny'))).toEqual([])
    expect(brokenBy((each) => tilstand(each).schema.enum.pop())).toEqual([
      'GET /api/bedrift/sok query tilstand',
    ])
  })

  it('an address, a status and a type of answer that go are seen, and so is a parameter that is demanded', () => {
    expect(brokenBy((each) => delete each.paths['/api/bedrift/finn']).slice(0, 1)).toEqual([
      'GET /api/bedrift/finn',
    ])
    expect(brokenBy((each) => delete each.paths['/api/bedrift/sok'].get.responses[304])).toContain(
      'GET /api/bedrift/sok 304',
    )
    expect(
      brokenBy((each) =>
        each.paths['/api/bedrift/sok'].get.parameters.push({
          in: 'query',
          name: 'ny',
          required: true,
          schema: { type: 'string' },
        }),
      ),
    ).toEqual(['GET /api/bedrift/sok query ny'])
  })
})

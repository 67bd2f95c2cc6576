import { brotliCompressSync } from 'node:zlib'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentWords } from '#src/api/document/words.ts'
import { sectionFields } from '#src/record/fields.ts'
import { type PageFront, startPageFront } from '#test/pages/page-front.ts'
import { closedPages } from '#test/support/closed-pages.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is what is being looked at
type Document = any

describe('P91: the published document', () => {
  let front: PageFront
  const texts: Record<'nb' | 'en', string> = { nb: '', en: '' }
  let nb: Document
  let en: Document

  beforeAll(async () => {
    front = await startPageFront(closedPages())
    texts.nb = (await front.get('/openapi.json')).text
    texts.en = (await front.get('/openapi.json?sprak=en')).text
    nb = JSON.parse(texts.nb)
    en = JSON.parse(texts.en)
  })
  afterAll(() => front.close())

  const operations = (document: Document): Document[] =>
    Object.values(document.paths).flatMap((methods) => Object.values(methods as object))

  it('is in Norwegian, and in English to who asks in the address or by Accept-Language', async () => {
    const asked = await front.get('/openapi.json', { 'accept-language': 'en' })
    expect(asked.text).toBe(texts.en)
    expect(asked.headers.get('content-language')).toBe('en')
    expect(asked.headers.get('vary')).toBe('Accept-Encoding, Accept-Language')
    const chosen = await front.get('/openapi.json?sprak=nb', { 'accept-language': 'en' })
    expect(chosen.text).toBe(texts.nb)
  })

  it('says the same in both: the same addresses, shapes and fields', () => {
    expect(wordless(en)).toEqual(wordless(nb))
  })

  it.each(['nb', 'en'] as const)(
    'describes every operation, parameter, header, answer, shape and field (%s)',
    (language) => {
      const silent: string[] = []
      visit(language === 'nb' ? nb : en, '', (value, path) => {
        const isShape = /\/schemas\/\w+$/.test(path)
        const isField = /\/properties\/[^/]+$/.test(path) && !('$ref' in value) && !isOfReference(value)
        const isPart = /\/(?:parameters|headers|responses)\/[^/]+$/.test(path) && !('$ref' in value)
        const needsWords = isField || isPart || (isShape && !('oneOf' in value))
        if (needsWords && !(typeof value.description === 'string' && value.description !== ''))
          silent.push(path)
      })
      expect(silent).toEqual([])
      for (const { summary } of operations(nb)) expect(summary).not.toBe('')
    },
  )

  it('P91: attack: an address and a head that are too long are answered as it says', async () => {
    const tooLong = 'a'.repeat(300)
    for (const [path, methods] of Object.entries<Document>(nb.paths))
      for (const [method, { responses }] of Object.entries<Document>(methods)) {
        const asked = `${method} ${path}`
        const { status: address } = await fetch(`${front.origin}${path.replaceAll(/\{\w+\}/g, tooLong)}`, {
          method: method.toUpperCase(),
        })
        expect([asked, address === 414, '414' in responses]).toEqual([
          asked,
          path.includes('{'),
          path.includes('{'),
        ])
        expect([asked, '431' in responses]).toEqual([asked, true])
      }
    const head = await fetch(`${front.origin}/api/bedrift/status`, {
      headers: { authorization: 'a'.repeat(40_000) },
    })
    expect([head.status, ((await head.json()) as Document).kode]).toEqual([431, 'for_store_headere'])
  })

  it('has no words that nothing is described by', () => {
    for (const [name, entry] of Object.entries(documentWords)) {
      const [norwegian, english] = typeof entry === 'string' ? [null, entry] : entry
      expect(texts.en, name).toContain(JSON.stringify(english))
      if (norwegian !== null) expect(texts.nb, name).toContain(JSON.stringify(norwegian))
    }
    const said = JSON.stringify([en.paths, en.components])
    expect(said.match(/"description":"(?:[^"\\]|\\.)*[æøå](?:[^"\\]|\\.)*"/g)).toBeNull()
  })

  it('names every shape a person would name, and writes none of them twice', () => {
    const { schemas } = nb.components
    const sections = sectionFields.map((section) => nb.components.schemas.Bedrift.properties[section].$ref)
    for (const name of ['Bedrift', 'Rolle', 'Person', 'Adresse', 'Kode', 'Kilde', 'Problem'])
      expect(schemas).toHaveProperty(name)
    for (const reference of sections) {
      const { oneOf } = at(nb, reference)
      const states = oneOf.map(({ $ref }: { $ref: string }) => at(nb, $ref).properties.tilstand.enum)
      expect(states).toEqual([
        ['fersk', 'utdatert'],
        ['utilgjengelig', 'ikke_funnet', 'ikke_relevant', 'ikke_importert'],
      ])
    }
    const seen = new Map<string, string>()
    visit(nb, '', (value, path) => {
      if (!('properties' in value) || Object.keys(value.properties).length < 3) return
      const text = JSON.stringify(wordless(value))
      expect([path, seen.get(text)], path).toEqual([path, undefined])
      seen.set(text, path)
    })
  })

  it.each(['nb', 'en'] as const)(
    'has nothing that a judge of such documents would mend (Redocly, strict; %s)',
    async (language) => {
      const config = await createConfig({ extends: ['recommended-strict'] })
      const found = await lintFromString({ source: texts[language], absoluteRef: '/openapi.json', config })
      expect(found.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
        [],
      )
    },
  )

  it('calls operations by what they do, each by a name of its own', () => {
    const ids = operations(nb).map(({ operationId }) => operationId)
    expect(
      ids.filter(
        (id) =>
          !/^(?:hent|sok|foresla|finn|bestill|slaaOpp|avbryt|last|overvak|slutt|opprett|endre|slett|forny|prov|send)[A-ZÆØÅ]/.test(
            id,
          ),
      ),
    ).toEqual([])
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('has a problem for each status that is one, and no body where there is none', () => {
    for (const { operationId, responses } of operations(nb)) {
      expect(Object.keys(responses), operationId).toContain('401')
      for (const [status, response] of Object.entries<Document>(responses)) {
        const { content } = response.$ref === undefined ? response : at(nb, response.$ref)
        const types = Object.keys(content ?? {})
        if (status === '304' || status === '204') expect(content, operationId).toBeUndefined()
        else if (Number(status) >= 400) expect(types, operationId).toEqual(['application/problem+json'])
        else expect(types.length, operationId).toBeGreaterThan(0)
      }
    }
  })

  it('is small: 200 kB in each language, 26 kB as it is sent', () => {
    for (const text of Object.values(texts)) {
      expect(Buffer.byteLength(text)).toBeLessThan(200_000)
      expect(brotliCompressSync(text).length).toBeLessThan(26_000)
    }
  })
})

function at(document: Document, reference: string): Document {
  return reference
    .split('/')
    .slice(1)
    .reduce((value, step) => value[step], document)
}

function visit(value: Document, path: string, look: (value: Document, path: string) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) look(value, path)
  for (const [key, inner] of Object.entries(value)) visit(inner, `${path}/${key}`, look)
}

/** A field that is one of the named shapes, or null: what it is is said there. */
function isOfReference({ anyOf }: Document): boolean {
  return Array.isArray(anyOf) && anyOf.some((each: object) => '$ref' in each)
}

/** Without what is said in words. */
function wordless(value: Document): Document {
  if (Array.isArray(value)) return value.map(wordless)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      (['description', 'summary'].includes(key) && typeof inner === 'string') || key === 'example'
        ? []
        : [[key, wordless(inner)]],
    ),
  )
}

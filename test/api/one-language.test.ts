import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closedPages } from '#test/support/closed-pages.ts'
import { type PageFront, startPageFront } from '../pages/page-front.ts'

type Schema = { properties?: Record<string, Schema>; enum?: unknown[]; description?: string } & Record<
  string,
  unknown
>
/** A field of an answer: where it stands, what it is called, its schema, and the object it is a field of. */
type Field = { path: string; name: string; schema: Schema; of: Schema }

describe('the answers are of one language: in the whole OpenAPI document', () => {
  let front: PageFront
  let fields: Field[]

  beforeAll(async () => {
    front = await startPageFront(closedPages())
    const { paths, components } = JSON.parse((await front.get('/openapi.json')).text)
    fields = Object.entries({ ...paths, ...components.schemas }).flatMap(([path, each]) =>
      fieldsOf(each, path),
    )
    expect(fields.length).toBeGreaterThan(400)
  })
  afterAll(() => front.close())

  it('no answer is closed to additions', () => {
    const closed = fields.filter(({ of }) => of.additionalProperties === false)
    expect(closed.map(({ path }) => path)).toEqual([])
  })

  it('tilstand is the state of a section, and nothing else', () => {
    const states = fields.filter(({ name }) => name === 'tilstand')
    expect(states.length).toBeGreaterThan(10)
    const others = states.filter(
      ({ schema, of }) =>
        !(
          ['fersk', 'ikke_importert'].some((word) => schema.enum?.includes(word)) ||
          schema.$ref === '#/components/schemas/Tilstand'
        ) || !['data', 'arsak'].some((beside) => beside in (of.properties ?? {})),
    )
    expect(others.map(({ path }) => path)).toEqual([])
  })

  it('a code stands with its description, under those two names', () => {
    // A problem has its title and detail by RFC 9457.
    const codes = fields.filter(({ name, of }) => name === 'kode' && !('detail' in (of.properties ?? {})))
    expect(codes.length).toBeGreaterThan(3)
    const others = codes.filter(({ of: { properties = {} } }) => {
      return !('beskrivelse' in properties) || 'tekst' in properties || 'navn' in properties
    })
    expect(others.map(({ path }) => path)).toEqual([])
  })

  it('a moment and a day are ISO 8601, and say which they are', () => {
    const times = fields.filter(({ name }) => /[dD]ato$|Endret$|^(hentet|gjelderPer|utloper)$/.test(name))
    expect(times.length).toBeGreaterThan(25)
    const others = times.filter(
      ({ schema }) => !/"format":"date(-time)?"|\/DatoEllerTidspunkt"/.test(JSON.stringify(schema)),
    )
    expect(others.map(({ path }) => path)).toEqual([])
  })

  it('æ is ae, ø is o and å is aa, but in the names of the accounts’ own lines', () => {
    const words = fields
      .filter(({ path }) => !path.startsWith('Nokkeltall.'))
      .flatMap(({ path, name, schema }) => [name, ...(schema.enum ?? [])].map((word) => ({ path, word })))
    const others = words.filter(({ word }) => {
      return /[^a-zA-Z0-9_-]/.test(String(word)) || parts(String(word)).some(isMisspelt)
    })
    expect(others).toEqual([])
  })
})

/** Words with æ or å, as they are when the letter is lost. */
const BARE = new Set(
  'ar arlig aksjonar aksjonarer naring nering formal malform mate pategning pategninger sma utgatt utgaende sirkular var'.split(
    ' ',
  ),
)

function isMisspelt(part: string): boolean {
  return BARE.has(part) || (part.includes('oe') && part !== 'noen')
}

/** `vedtektsfestetFormaal` and `en_til_en` word by word. */
function parts(word: string): string[] {
  return word.split(/[_-]|(?=[A-Z])/).map((part) => part.toLowerCase())
}

/** Every field below a schema, however it is nested. */
function fieldsOf(schema: unknown, path: string): Field[] {
  if (schema === null || typeof schema !== 'object') return []
  const { properties } = schema as Schema
  return Object.values(schema).flatMap((value) => {
    if (value !== properties) return fieldsOf(value, path)
    return Object.entries(properties ?? {}).flatMap(([name, each]) => [
      { path: `${path}.${name}`, name, schema: each, of: schema as Schema },
      ...fieldsOf(each, `${path}.${name}`),
    ])
  })
}

import { type TSchema, Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { shapeVersion } from '#src/core/shape-version.ts'

const Kode = Type.Object({ kode: Type.String(), beskrivelse: Type.Optional(Type.String()) })
const base = Type.Object({
  navn: Type.String(),
  antall: Type.Integer({ minimum: 0 }),
  form: Type.Union([Kode, Type.Null()]),
  slag: Type.Enum(['a', 'b']),
  linjer: Type.Array(Type.String()),
})
const version = (schema: TSchema) => shapeVersion({ enhet: schema })
const { navn, antall, form, slag, linjer } = base.properties

describe('P104: the number of a shape', () => {
  it.each<[string, TSchema]>([
    ['a property more', Type.Object({ ...base.properties, ny: Type.Optional(Type.String()) })],
    ['a property less', Type.Object({ navn, antall, form, slag })],
    ['another name', Type.Object({ antall, form, slag, linjer, Navn: navn })],
    ['another type', Type.Object({ ...base.properties, navn: Type.Number() })],
    ['one that need not be there', Type.Object({ ...base.properties, navn: Type.Optional(navn) })],
    ['one that may be null', Type.Object({ ...base.properties, navn: Type.Union([navn, Type.Null()]) })],
    ['another bound', Type.Object({ ...base.properties, antall: Type.Integer({ minimum: 1 }) })],
    ['a choice more', Type.Object({ ...base.properties, slag: Type.Enum(['a', 'b', 'c']) })],
    ['another format', Type.Object({ ...base.properties, navn: Type.String({ format: 'date' }) })],
    ['properties of any name', Type.Object(base.properties, { additionalProperties: Type.Unknown() })],
    [
      'something within something',
      Type.Object({ ...base.properties, form: Type.Union([Type.Object({ kode: Kode }), Type.Null()]) }),
    ],
    ['a list of something else', Type.Object({ ...base.properties, linjer: Type.Array(Kode) })],
    [
      'a property with the name of an annotation',
      Type.Object({ ...base.properties, description: Type.Optional(Type.String()) }),
    ],
    ['another meaning, said so', Type.Object(base.properties, { utgave: 2 })],
  ])('is another with %s', (_, changed) => {
    expect(version(changed)).not.toBe(version(base))
  })

  it.each<[string, TSchema]>([
    ['another order of properties', Type.Object({ linjer, slag, form, antall, navn })],
    ['another order of choices', Type.Object({ ...base.properties, slag: Type.Enum(['b', 'a']) })],
    [
      'another order of alternatives',
      Type.Object({ ...base.properties, form: Type.Union([Type.Null(), Kode]) }),
    ],
    [
      'other words for people',
      Type.Object(
        { ...base.properties, navn: Type.String({ description: 'Navnet.', examples: ['A'] }) },
        { title: 'Enhet', description: 'En enhet.' },
      ),
    ],
    [
      'a check that is a function',
      Type.Object({ ...base.properties, navn: Type.Refine(Type.String(), (text) => text !== '') }),
    ],
    ['the same written anew', JSON.parse(JSON.stringify(base))],
  ])('is the same with %s', (_, written) => {
    expect(version(written)).toBe(version(base))
  })

  it('is another when two sources change places, and no number that was ever counted up by hand', () => {
    const one = shapeVersion({ enhet: base, roller: Kode })
    expect(shapeVersion({ enhet: Kode, roller: base })).not.toBe(one)
    expect(shapeVersion({ roller: Kode, enhet: base })).toBe(one)
    for (let count = 0; count < 100; count++)
      expect(shapeVersion({ enhet: Type.Literal(count) })).toBeGreaterThanOrEqual(2 ** 31)
  })
})

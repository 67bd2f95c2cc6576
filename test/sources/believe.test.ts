import fc from 'fast-check'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import { always, createBelief, listOf, optional, readable } from '#src/sources/believe.ts'
import { SourceError } from '#src/sources/source.ts'

const Shape = Type.Object({
  navn: Type.String(),
  dato: Type.Optional(Type.String({ format: 'date' })),
  adresse: Type.Optional(
    Type.Object({ land: Type.String(), linjer: Type.Optional(Type.Array(Type.String())) }),
  ),
  rader: Type.Optional(
    Type.Array(Type.Object({ kode: Type.String(), antall: Type.Optional(Type.Number()) })),
  ),
  'a/b~c': Type.Optional(Type.Boolean()),
})
const believe = createBelief(Shape)
const ofShape = Compile(Shape)

/** As the sources write theirs. */
const Kode = Type.Object({ kode: Type.String({ minLength: 1 }), tekst: optional(Type.String()) })
const believeStated = createBelief(
  Type.Object({
    navn: always(Type.String()),
    form: optional(Kode),
    linjer: optional(listOf(Type.String())),
    rader: optional(listOf(Kode)),
  }),
)
const Open = Type.Object({ tall: Type.Optional(Type.Number()) }, { additionalProperties: Type.Unknown() })
const believeOpen = createBelief(Open)

const refused = (body: unknown) => {
  try {
    believe('enhet', body)
  } catch (error) {
    return error
  }
  return 'believed'
}

describe('P71: belief: what is wrong in a body', () => {
  test('a body of the right shape is copied whole, without avvik', () => {
    const body = {
      navn: 'A',
      dato: '2026-01-31',
      adresse: { land: 'NO', linjer: [] },
      rader: [{ kode: 'x' }],
    }
    const { value, avvik } = believe('enhet', body)
    expect(value).toEqual(body)
    expect(value).not.toBe(body)
    expect(avvik).toEqual([])
  })

  test('an optional property of the wrong shape is left out and named', () => {
    expect(believe('enhet', { navn: 'A', dato: '31.01.2026', 'a/b~c': 'ja' })).toEqual({
      value: { navn: 'A' },
      avvik: ['/dato', '/a~1b~0c'],
    })
  })

  test('a date that does not exist is the wrong shape', () => {
    expect(believe('enhet', { navn: 'A', dato: '2026-02-29' }).avvik).toEqual(['/dato'])
  })

  test('null in an optional property is absence, not avvik', () => {
    expect(
      believe('enhet', { navn: 'A', dato: null, adresse: null, rader: [{ kode: 'x', antall: null }] }),
    ).toEqual({
      value: { navn: 'A', rader: [{ kode: 'x' }] },
      avvik: [],
    })
  })

  test('a fault in a required property moves up to the nearest optional one; the place of the fault is named', () => {
    expect(believe('enhet', { navn: 'A', adresse: { linjer: 'x', land: 47 } })).toEqual({
      value: { navn: 'A' },
      avvik: ['/adresse/land'],
    })
  })

  test('inside a list the optional property goes, the item stays', () => {
    expect(believe('enhet', { navn: 'A', rader: [{ kode: 'x', antall: '3' }, { kode: 'y' }] })).toEqual({
      value: { navn: 'A', rader: [{ kode: 'x' }, { kode: 'y' }] },
      avvik: ['/rader/0/antall'],
    })
  })

  test('what was stated and can not be read is null and named by its place; what was not stated is absent', () => {
    const { value, avvik } = believeStated('enhet', { navn: 'A', form: { kode: 7 }, linjer: 'Gate 1' })
    expect(value).toEqual({ navn: 'A', form: null, linjer: null })
    expect(avvik).toEqual(['/form/kode', '/linjer'])
    expect(believeStated('enhet', { navn: 'A', form: null })).toEqual({ value: { navn: 'A' }, avvik: [] })
    expect(believeStated('enhet', { navn: 'A', form: { tekst: 'x' } })).toEqual({
      value: { navn: 'A', form: null },
      avvik: ['/form/kode'],
    })
  })

  test('what every answer has is named also when it is missing', () => {
    for (const navn of [undefined, null, 7]) {
      expect(believeStated('enhet', { navn })).toEqual({ value: { navn: null }, avvik: ['/navn'] })
    }
  })

  test('one bad item costs itself and is named; the others stay in their places', () => {
    const body = {
      navn: 'A',
      linjer: ['Tyvholmen 1', null, 7, ''],
      rader: [{ kode: 'x' }, null, { kode: '' }],
    }
    const { value, avvik } = believeStated('enhet', body)
    expect(value).toEqual({
      navn: 'A',
      linjer: ['Tyvholmen 1', null, ''],
      rader: [{ kode: 'x' }, null, null],
    })
    expect(avvik).toEqual(['/linjer/2', '/rader/1', '/rader/2/kode'])
  })

  test('a list of which nothing can be read is no empty list', () => {
    expect(readable(['a', null])).toEqual(['a'])
    expect(readable([])).toEqual([])
    for (const none of [[null], null, undefined]) expect(readable(none)).toBeNull()
  })

  test('a list without items of their own is whole or missing, never shorter than it was sent', () => {
    for (const rader of [[{ kode: 'x' }, { antall: 1 }], [{ kode: 'x' }, null], { 0: { kode: 'x' } }, 'x']) {
      expect(believe('enhet', { navn: 'A', rader })).toMatchObject({
        value: { navn: 'A' },
        avvik: [expect.stringMatching(/^\/rader/)],
      })
    }
  })

  test('P9: without its required parts a body is not believed', () => {
    for (const body of [{}, { navn: null }, { navn: 4 }, [], [{ navn: 'A' }], null, 'navn', 7, undefined]) {
      expect(refused(body)).toMatchObject({ source: 'enhet', failure: 'ugyldig_svar' })
    }
    expect(refused({ navn: 4 })).toMatchObject({ field: '/navn' })
    expect(refused([])).toMatchObject({ field: '' })
  })

  test('the body itself is left as it was', () => {
    const body = Object.freeze({
      navn: 'A',
      dato: 1,
      rader: Object.freeze([Object.freeze({ kode: 'x', antall: 'y' })]),
    })
    const before = structuredClone(body)
    believe('enhet', body)
    expect(body).toEqual(before)
  })

  test('unlisted properties are left out, unless the schema says that they may stay', () => {
    expect(believe('enhet', { navn: 'A', ukjent: 1 }).value).toEqual({ navn: 'A' })
    expect(believeOpen('enhet', { tall: 1, ukjent: { dypt: [1, null] } }).value).toEqual({
      tall: 1,
      ukjent: { dypt: [1, null] },
    })
  })

  test('keys that reach a prototype are dropped at every depth and pollute nothing', () => {
    const body = JSON.parse(
      '{"tall":1,"__proto__":{"ond":1},"constructor":{"prototype":{"ond":2}},"x":[{"__proto__":{"ond":3},"y":{"prototype":4}}]}',
    )
    const { value } = believeOpen('enhet', body)
    expect(JSON.stringify(value)).toBe('{"tall":1,"x":[{"y":{}}]}')
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect('ond' in {}).toBe(false)
  })

  test('a listed property named like a dangerous one on the prototype does not count as present', () => {
    const believeOdd = createBelief(Type.Object({ toString: Type.String() }))
    expect(() => believeOdd('enhet', {})).toThrow(SourceError)
  })

  test('nesting too deep to walk is the wrong shape, not a crash', () => {
    const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))
    expect(believeOpen('enhet', { tall: 1, dypt: deep })).toEqual({ value: { tall: 1 }, avvik: ['/dypt'] })
    expect(refused(deep)).toBeInstanceOf(SourceError)
  })

  test('what a schema says of a list or an object as a whole, or of itself, is held too', () => {
    const some = createBelief(Type.Object({ rader: optional(Type.Array(Type.String(), { minItems: 1 })) }))
    expect(some('enhet', { rader: ['x'] }).value).toEqual({ rader: ['x'] })
    expect(() => some('enhet', { rader: [] })).toThrow(SourceError)
    const even = createBelief(Type.Object({ a: Type.Refine(Type.String(), (text) => text.length === 2) }))
    expect(even('enhet', { a: 'xx' }).value).toEqual({ a: 'xx' })
    expect(() => even('enhet', { a: 'x' })).toThrow(SourceError)
    const pair = createBelief(Type.Refine(Type.Object({ a: Type.String() }), ({ a }) => a !== 'no'))
    expect(pair('enhet', { a: 'yes' }).value).toEqual({ a: 'yes' })
    expect(() => pair('enhet', { a: 'no' })).toThrow(SourceError)
  })

  test('numbers that are not finite are the wrong shape', () => {
    expect(believeOpen('enhet', JSON.parse('{"tall":1e999}'))).toEqual({ value: {}, avvik: ['/tall'] })
  })

  test('P9: whatever the body, it is believed in the right shape or refused with a SourceError', () => {
    const part = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom<unknown>('A', null, '2026-01-01', [], {}, { kode: 'x' }),
    )
    const body = fc.record(
      { navn: part, dato: part, adresse: part, rader: fc.oneof(part, fc.array(part)) },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), body), (any) => {
        const before = JSON.stringify(any)
        try {
          const { value } = believe('enhet', any)
          expect(ofShape.Check(value)).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(SourceError)
        }
        expect(JSON.stringify(any)).toBe(before)
      }),
      { numRuns: 500 },
    )
  })
})

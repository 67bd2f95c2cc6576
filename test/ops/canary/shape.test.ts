import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { differences, joined, seenShapeOf, since } from '#src/ops/canary/shape.ts'

describe('the shape of an answer', () => {
  it('has paths and types, and no value', () => {
    const shape = seenShapeOf({
      navn: 'KARI NORDMANN',
      roller: [{ fodt: '1970-02-03' }, { fodt: null, antall: 4 }],
    })
    expect(shape).toEqual({
      '': ['object'],
      '/navn': ['string'],
      '/roller': ['array'],
      '/roller/[]': ['object'],
      '/roller/[]/fodt': ['null', 'string'],
      '/roller/[]/antall': ['number'],
    })
    expect(JSON.stringify(shape)).not.toMatch(/KARI|1970|4/)
  })

  it('has no key that may be somebody’s name or number', () => {
    const shape = seenShapeOf({ 'Kari Nordmann': 1, '01017012345': 2, [`a${'b'.repeat(99)}`]: 3 })
    expect(Object.keys(shape)).toEqual(['', '/?'])
  })

  it('is bounded, however deep and wide the answer is', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`)
    expect(Object.keys(seenShapeOf(deep)).length).toBeLessThan(50)
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`felt${index}`, index]))
    expect(Object.keys(seenShapeOf(wide)).length).toBe(2000)
  })
})

describe('against a schema', () => {
  const schema = Type.Object({
    navn: Type.String(),
    form: Type.Optional(Type.Union([Type.Object({ kode: Type.String() }), Type.Null()])),
    linjer: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Null()]))),
  })

  it.each<[string, unknown, object]>([
    ['nothing', { navn: 'A', form: { kode: 'AS' }, linjer: ['x', null] }, {}],
    ['an optional field that is not there', { navn: 'A' }, {}],
    ['a field that is null', { navn: 'A', form: null }, {}],
    ['a new field, and not what is below it', { navn: 'A', ny: { dypt: 1 } }, { nye: ['/ny'] }],
    ['a field that every answer has', { form: { kode: 'AS' } }, { mangler: ['/navn'] }],
    ['a part of what is there', { navn: 'A', form: {} }, { mangler: ['/form/kode'] }],
    ['another type', { navn: 7, linjer: 'x' }, { endret: ['/linjer: string', '/navn: number'] }],
  ])('tells %s', (_what, body, found) => {
    expect(differences(seenShapeOf(body), schema)).toEqual({ nye: [], mangler: [], endret: [], ...found })
  })
})

it('since the day before: what came, went, and changed', () => {
  const before = joined([seenShapeOf({ navn: 'A', gammel: { x: 1 } }), seenShapeOf({ tall: 1 })])
  expect(since(before, seenShapeOf({ navn: 'A', ny: [1], tall: '1' }))).toEqual({
    nye: ['/ny'],
    borte: ['/gammel'],
    endret: ['/tall: number → string'],
  })
})

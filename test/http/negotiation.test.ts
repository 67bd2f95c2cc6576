import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accepts, languageOf, preferredEncoding, preferredType, prefersPage } from '#src/http/negotiation.ts'

describe('what a client likes best', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['*', 'br'],
    ['gzip;q=1.0, br;q=0.2', 'gzip'],
    ['ZSTD', 'zstd'],
    ['br;q=0, *', 'zstd'],
    ['gzip;q=0', null],
    ['identity, gzip;q=0.5', null],
    ['identity;q=0.5, gzip', 'gzip'],
    ['', null],
    ['snappy', null],
  ])('of encodings: %s', (list, encoding) => {
    expect([preferredEncoding(list), preferredEncoding(list)]).toEqual([encoding, encoding])
  })

  const JSON_OR_CSV = ['application/json', 'text/csv'] as const
  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['text/*', 'text/csv'],
    ['text/csv, application/json', 'text/csv'],
    ['text/csv;q=0.5, application/json', 'application/json'],
    ['application/json;q=0, */*', 'text/csv'],
    ['image/png', null],
  ])('of types: %s', (list, type) => {
    expect(preferredType(list, JSON_OR_CSV)).toBe(type)
    expect(accepts(list, JSON_OR_CSV)).toBe(type !== null)
  })

  it('of types: a list nobody can read asks for nothing', () => {
    for (const list of ['', 'json', ';;;', ',,,']) expect(accepts(list, JSON_OR_CSV)).toBe(true)
  })

  it.each([
    [undefined, 'nb'],
    ['*', 'nb'],
    ['de, en;q=0', 'nb'],
    ['en-GB,nb;q=0.5', 'en'],
    ['nn,en;q=0.9', 'nb'],
    ['no, en', 'nb'],
    ['en;q=0.5, nb-NO;q=0.6', 'nb'],
    ['fr, en-US;q=0.7, en;q=0.3', 'en'],
  ])('of languages: %s', (list, language) => {
    expect(languageOf(list)).toBe(language)
  })

  it('a browser would rather have a page, a program not', () => {
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    expect(
      [browser, '*/*', 'application/json', 'application/json, text/html;q=0.1', undefined].map(prefersPage),
    ).toEqual([true, false, false, false, false])
  })

  it('P43: whatever a client sends is read in no time', () => {
    const long = fc.string({
      unit: fc.constantFrom('a', '/', ',', ';', '=', 'q', '"', '\\', ' ', '*'),
      maxLength: 2000,
    })
    fc.assert(
      fc.property(long, (list) => {
        preferredEncoding(list)
        accepts(list, JSON_OR_CSV)
        languageOf(list)
      }),
      { numRuns: 500 },
    )
  })
})

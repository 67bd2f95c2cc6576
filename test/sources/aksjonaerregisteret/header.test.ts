import { describe, expect, test } from 'vitest'
import { readHeader, UnknownHeaderError } from '#src/sources/aksjonaerregisteret/header.ts'
import { HEADER } from './reading.ts'

function refusalOf(header: string): UnknownHeaderError {
  try {
    readHeader(header)
  } catch (error) {
    if (error instanceof UnknownHeaderError) return error
  }
  throw new Error('expected the header to be refused')
}

describe('a header', () => {
  test('that is the register’s gives each column its place', () => {
    expect(readHeader(HEADER)).toEqual({
      orgnr: 0,
      selskap: 1,
      aksjeklasse: 2,
      navn: 3,
      ident: 4,
      sted: 5,
      landkode: 6,
      antall: 7,
      totalt: 8,
      count: 9,
    })
  })

  test('that lacks a column, has an unknown one or one twice is refused, and shown', () => {
    expect(refusalOf(HEADER.replace('Antall aksjer;', '')).message).toMatch(
      /mangler Antall aksjer\. Funnet: «Orgnr;Selskap;/,
    )
    expect(refusalOf(`${HEADER};Stemmer`).message).toContain('ukjent kolonne «Stemmer»')
    expect(refusalOf(`${HEADER};Orgnr`).message).toContain('Orgnr står der to ganger')
    expect(refusalOf('').code).toBe('ukjent_overskrift')
  })

  test('P19: that is in truth a row shows no identity number', () => {
    const { message, found } = refusalOf('910000004;FJORDVIK AS;A;KARI ØST;01010750160;010107 50160')
    expect(`${message}${found}`).not.toMatch(/50160|\d{11}/)
  })
})

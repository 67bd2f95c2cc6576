import { describe, expect, test } from 'vitest'
import { createNameBytes, takeName } from '#src/core/name-bytes.ts'
import { addRow, beginCompany, bookOf, createGathering } from '#src/imports/shareholders/gather-company.ts'
import type { ArchiveRow } from '#src/sources/aksjonaerregisteret/rows.ts'
import { holdBook } from '#src/storage/shareholders/held-books.ts'

const COMPANY = 910000004

type Told = Partial<Omit<ArchiveRow, 'navn'> & { navn: string }>

function row({ navn = 'KARI ØST', ...over }: Told): ArchiveRow {
  const name = createNameBytes()
  takeName(name, navn)
  return {
    linje: 2,
    orgnr: COMPANY,
    selskap: 'FJORDVIK AS',
    klasse: 'A',
    navn: name,
    fodselsaar: 1980,
    eierOrgnr: 0,
    annenIdent: '',
    land: 'NO',
    antall: 10,
    totalt: 100,
    ...over,
  }
}

/** Each row after as many others as it takes for the holders to be indexed, and without them. */
function book(rows: Told[], crowd = 0) {
  const company = createGathering()
  beginCompany(company, COMPANY)
  for (let index = 0; index < crowd; index++) addRow(company, row({ navn: `NOEN ${index}`, antall: 1 }))
  for (const each of rows) addRow(company, row(each))
  const made = holdBook(bookOf(company))
  return { ...made, innehavere: made.innehavere.filter(({ navn }) => !navn.startsWith('NOEN ')) }
}

describe.each([0, 50])('the holders of a company with %s others', (crowd) => {
  const holders = (rows: Told[]) =>
    book(rows, crowd).innehavere.map(({ navn, fodselsaar, orgnr, aksjer }) => [
      navn,
      fodselsaar || orgnr,
      aksjer,
    ])

  test('5: several rows of one holder are added up, however the name is spelled', () => {
    expect(holders([{ antall: 10 }, { antall: 5 }, { navn: 'Kari Øst', antall: 2 }])).toEqual([
      ['KARI ØST', 1980, 17],
    ])
  })

  test('7: namesakes with other years of birth are different people', () => {
    expect(
      holders([
        { antall: 3 },
        { fodselsaar: 1950, antall: 2 },
        { fodselsaar: 1920, antall: 1 },
        { antall: 3 },
      ]),
    ).toEqual([
      ['KARI ØST', 1980, 6],
      ['KARI ØST', 1950, 2],
      ['KARI ØST', 1920, 1],
    ])
  })

  test('6: an organisation is its number, whatever it is called, and gets the name it lacks', () => {
    const org = { fodselsaar: 0, eierOrgnr: 910000012 }
    expect(
      holders([
        { ...org, navn: '' },
        { ...org, navn: 'B AS' },
        { ...org, navn: 'B A/S' },
      ]),
    ).toEqual([['B AS', 910000012, 30]])
  })

  test('4: rows without a name and a number are each a holder', () => {
    expect(
      holders([
        { navn: '', antall: 3 },
        { navn: '', antall: 2 },
      ]),
    ).toEqual([
      ['', 1980, 3],
      ['', 1980, 2],
    ])
  })

  test('foreign holders are name and country, and another identifier where there is one', () => {
    const foreign = { fodselsaar: 0, navn: 'PARIR AB', land: 'SE' }
    expect(
      holders([
        foreign,
        { ...foreign, antall: 5 },
        { ...foreign, land: 'DK', antall: 4 },
        { ...foreign, annenIdent: '48812', antall: 3 },
      ]),
    ).toEqual([
      ['PARIR AB', 0, 15],
      ['PARIR AB', 0, 4],
      ['PARIR AB', 0, 3],
    ])
  })

  test('P145: stand with the largest first, and those with as many in the order of the file', () => {
    expect(
      holders([
        { navn: 'A', antall: 1 },
        { navn: 'B', antall: 2 },
        { navn: 'C', antall: 1 },
      ]).map(([navn]) => navn),
    ).toEqual(['B', 'A', 'C'])
    const [large, larger] = [2 ** 51 - 1, 2 ** 51]
    expect(
      holders([
        { navn: 'A', antall: large },
        { navn: 'B', antall: larger },
        { navn: 'C', antall: large },
      ]),
    ).toEqual([
      ['B', 1980, larger],
      ['A', 1980, large],
      ['C', 1980, large],
    ])
  })

  test('10: no sum is bent, also when the holders have more than there is', () => {
    expect(book([{ antall: 90 }, { navn: 'OLA', antall: 90 }], crowd)).toMatchObject({
      sum: 180 + crowd,
      totalt: 100,
    })
  })
})

describe('a company', () => {
  test('counts each class apart and all together', () => {
    const made = book([
      { antall: 5 },
      { klasse: 'B', antall: 3 },
      { antall: 1 },
      { navn: 'OLA', klasse: 'B', antall: 2 },
    ])
    expect(made.klasser).toEqual(['A', 'B'])
    expect(made.innehavere).toMatchObject([
      {
        aksjer: 9,
        klasser: new Map([
          [0, 6],
          [1, 3],
        ]),
      },
      { aksjer: 2, klasse: 1, klasser: null },
    ])
  })

  test('9: has the largest of differing totals, and none when none is given', () => {
    expect(book([{ totalt: 0 }, { totalt: 90 }, { totalt: 100 }, { totalt: 90 }]).totalt).toBe(100)
    expect(book([{ totalt: 0 }]).totalt).toBe(0)
  })

  test('has the first name it is given', () => {
    expect(book([{ selskap: '' }, { selskap: 'FJORDVIK AS' }, { selskap: 'FJORDVIK A/S' }]).navn).toBe(
      'FJORDVIK AS',
    )
  })

  test('12: of zero shares alone has no holder', () => {
    expect(book([{ antall: 0 }])).toMatchObject({ innehavere: [], sum: 0, totalt: 100, klasser: ['A'] })
  })

  test('14: refuses the row that would make its sum inexact, and nothing else', () => {
    const company = createGathering()
    beginCompany(company, COMPANY)
    expect(addRow(company, row({ antall: Number.MAX_SAFE_INTEGER - 1 }))).toBeNull()
    expect(addRow(company, row({ antall: 2, linje: 3 }))).toBe('for_stort_antall')
    expect(addRow(company, row({ antall: 1, linje: 4 }))).toBeNull()
    expect(company).toMatchObject({ sum: Number.MAX_SAFE_INTEGER, rows: 2, linjer: [2, 4] })
  })
})

import { describe, expect, it } from 'vitest'
import { FIGURE_PATHS, figuresOf, nest, OPENED_2026 } from '#src/sources/regnskap/figures.ts'
import type { RegisterRegnskap } from '#src/sources/regnskap/schema.ts'

const filing = (sections: object): RegisterRegnskap => ({
  virksomhet: { organisasjonsnummer: '901012121' },
  regnskapsperiode: { fraDato: '2025-01-01', tilDato: '2025-12-31' },
  valuta: 'NOK',
  ...sections,
})

describe('the register’s figures', () => {
  it('are named as the register names them, misspellings with them, and none twice', () => {
    expect(FIGURE_PATHS.size).toBe(31)
    expect(FIGURE_PATHS.get('sumInnskuttEgenkaptial')).toEqual([
      'egenkapitalGjeld',
      'egenkapital',
      'innskuttEgenkapital',
      'sumInnskuttEgenkaptial',
    ])
    for (const name of OPENED_2026) expect(FIGURE_PATHS.has(name), name).toBe(true)
  })

  it('every one is found where it was put', () => {
    const figures = new Map([...FIGURE_PATHS.keys()].map((name, index) => [name, index - 3]))
    const found = figuresOf(filing(nest(figures)))
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(figures))
  })

  it('a figure nobody has named is kept under its own name, and never takes another’s', () => {
    const found = figuresOf(
      filing({
        eiendeler: {
          sumEiendeler: 1,
          sumBiologiskeEiendeler: 2,
          aarsresultat: 3,
          varer: { sumEiendeler: 4 },
        },
        resultatregnskapResultat: { driftsresultat: {} },
      }),
    )
    expect(Object.fromEntries(found)).toEqual({
      sumEiendeler: 1,
      sumBiologiskeEiendeler: 2,
      'eiendeler.aarsresultat': 3,
      'eiendeler.varer.sumEiendeler': 4,
    })
  })
})

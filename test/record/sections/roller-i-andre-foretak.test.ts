import { describe, expect, it } from 'vitest'
import { FIRST, rollerIAndreForetakOf } from '#src/record/sections/roller-i-andre-foretak.ts'
import { inventNumbers } from '#test/support/invented-companies.ts'

const numbers = inventNumbers(30)
const held = (kode: string, more: object = { avregistrert: false }) => ({ type: { kode }, ...more })
const at = (place: number, ...roller: ReturnType<typeof held>[]) => ({
  organisasjonsnummer: numbers[place] ?? '',
  navn: null,
  roller,
})
const section = (foretak: ReturnType<typeof at>[], { erAlle = true, isAlone = false } = {}) =>
  rollerIAndreForetakOf({ foretak, erAlle, avkortet: false }, isAlone)

describe('P102: the section of roles in other companies', () => {
  it('counts in how many companies each role is held now: not former ones, and no company twice', () => {
    const { roller, antallForetak } = section([
      at(0, held('REVI'), held('REVI'), held('REGN')),
      at(1, held('REVI'), held('REGN', { avregistrert: true })),
      at(2, held('REVI', { fratraadt: true })),
    ])
    expect(roller).toEqual([
      { rolle: { kode: 'REVI', beskrivelse: null }, antall: 2 },
      { rolle: { kode: 'REGN', beskrivelse: null }, antall: 1 },
    ])
    expect(antallForetak).toBe(3)
  })

  it('P6: whether a role is over is said of each, and not known where nothing is said', () => {
    const { foretak } = section([
      at(
        0,
        held('REVI'),
        held('REGN', { avregistrert: true }),
        held('DTPR', {}),
        held('KOMP', { avregistrert: null }),
      ),
    ])
    expect(foretak[0]?.roller?.map(({ gjeldende }) => gjeldende)).toEqual([true, false, null, null])
  })

  it(`shows ${FIRST}, those it has a role in now first, and all by number where they are asked for alone`, () => {
    const list = numbers.map((_, place) => at(place, held('REVI', { avregistrert: place < 15 })))
    const { foretak, alle } = section(list.toReversed(), { isAlone: true })
    expect(foretak.map(({ organisasjonsnummer }) => organisasjonsnummer)).toEqual([
      ...numbers.slice(15),
      ...numbers.slice(0, 5),
    ])
    expect(alle?.map(({ organisasjonsnummer }) => organisasjonsnummer)).toEqual(numbers)
    expect(section(list).alle).toBeNull()
  })

  it('gives no number where not all were read', () => {
    const list = [at(0, held('REVI'))]
    expect(section(list, { erAlle: false })).toMatchObject({ antallForetak: null, roller: null })
    // Whether one of them is held now is not said.
    expect(section([...list, at(1, held('REVI', {}))])).toMatchObject({ antallForetak: 2, roller: null })
    expect(section([...list, { ...at(1), roller: null as never }])).toMatchObject({
      antallForetak: 2,
      roller: null,
    })
  })
})

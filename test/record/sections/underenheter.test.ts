import { describe, expect, it } from 'vitest'
import { LARGEST, underenheterOf } from '#src/record/sections/underenheter.ts'
import { inventNumbers } from '#test/support/invented-companies.ts'

const numbers = inventNumbers(20)
const unit = (at: number, more: object = {}) => ({ organisasjonsnummer: numbers[at] ?? '', ...more })

describe('the section of sub-units', () => {
  it('shows the largest first, those whose number is withheld before those that have none', () => {
    const list = [
      unit(0),
      unit(1, { harRegistrertAntallAnsatte: true }),
      unit(2, { antallAnsatte: 7, harRegistrertAntallAnsatte: true }),
      unit(3, { antallAnsatte: 700 }),
      unit(4, { antallAnsatte: null, harRegistrertAntallAnsatte: true }),
    ]
    const { storste, alle } = underenheterOf({ antall: 5, underenheter: list }, false)
    expect(storste.map(({ antallAnsatte: { antall, opplysning } }) => [antall, opplysning])).toEqual([
      [700, 'oppgitt'],
      [7, 'oppgitt'],
      [null, 'tilbakeholdt_1_til_4'],
      [null, 'ukjent'],
      [null, 'ukjent'],
    ])
    expect(alle).toBeNull()
  })

  it(`shows ${LARGEST} of many, and all of them by their numbers where they are asked for alone`, () => {
    const list = numbers.map((_, at) => unit(at, { antallAnsatte: at })).reverse()
    const { antall, storste, alle } = underenheterOf({ antall: 20, underenheter: list }, true)
    expect([antall, storste.length]).toEqual([20, LARGEST])
    expect(storste.map(({ antallAnsatte }) => antallAnsatte.antall)).toEqual([
      19, 18, 17, 16, 15, 14, 13, 12, 11, 10,
    ])
    expect(alle?.map(({ organisasjonsnummer }) => organisasjonsnummer)).toEqual(numbers)
  })
})

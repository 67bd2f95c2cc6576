import { describe, expect, it } from 'vitest'
import { tindevaagSjomatRegnskap } from '#src/samples/companies/tindevaag-sjomat-regnskap.ts'
import { readFilings } from '#src/sources/regnskap/accounts.ts'
import { putTogether, takeApartFiling } from '#src/sources/regnskap/kept-filing.ts'
import { RECORDED, recordedAnswers } from '#test/support/recorded-answers.ts'

const recorded = recordedAnswers()?.companies.get(RECORDED.equinor)?.regnskap

describe('a filing taken apart', () => {
  it.each([
    ['the samples', tindevaagSjomatRegnskap],
    ['the recorded answer', recorded !== undefined && 'json' in recorded ? recorded.json : []],
  ])('is whole again when it is put together: %s', (_, answer) => {
    const { value } = readFilings(answer)
    for (const filing of value) {
      if (filing === null) throw new Error('expected a filing')
      expect(putTogether(filing.virksomhet.organisasjonsnummer, takeApartFiling(filing))).toEqual(filing)
    }
  })

  it('without anything that need not be there it is as plain as it was', () => {
    const { value } = readFilings([
      {
        virksomhet: { organisasjonsnummer: '901012121' },
        regnskapsperiode: { fraDato: '2025-01-01', tilDato: '2025-12-31' },
        valuta: 'NOK',
        resultatregnskapResultat: { aarsresultat: -0, driftsresultat: { driftsinntekter: {} } },
        kontaktperson: 'noen',
      },
    ])
    const [filing] = value
    if (!filing) throw new Error('expected a filing')
    const parts = takeApartFiling(filing)
    expect(parts).toEqual({
      regnskapstype: '',
      fra: '2025-01-01',
      til: '2025-12-31',
      id: 0,
      journalnr: null,
      valuta: 'NOK',
      opplysninger: {},
      tall: { resultatregnskapResultat: { aarsresultat: 0, driftsresultat: { driftsinntekter: {} } } },
    })
    expect(putTogether('901012121', parts)).not.toHaveProperty('id')
  })
})

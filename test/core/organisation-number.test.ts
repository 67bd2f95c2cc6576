import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InputError } from '#src/core/errors.ts'
import {
  findOrganisasjonsnummer,
  isOrganisasjonsnummer,
  parseOrganisasjonsnummer,
} from '#src/core/organisation-number.ts'

describe('an organisation number', () => {
  it.each([
    '923609016',
    '923 609 016',
    '923.609.016',
    'NO923609016MVA',
    'no 923 609 016 mva',
    '923\u00a0609\u00a0016',
    ' NO 923609016 ',
  ])('%j is read as the nine digits in it', (text) => {
    expect(parseOrganisasjonsnummer(text)).toBe('923609016')
  })

  it.each([
    ['92360901', 'her er det 8'],
    ['9236090160', 'her er det 10'],
    ['923609017', 'Kontrollsifferet'],
    ['92360901x', 'andre tegn'],
    ['923-609-016', 'andre tegn'],
    ['', 'andre tegn'],
    ['NOMVA', 'andre tegn'],
    ['../../etc', 'andre tegn'],
    ['９２３６０９０１６', 'andre tegn'],
    ['9'.repeat(5000), 'andre tegn'],
  ])('%j is refused with what is wrong', (text, why) => {
    const refused = () => parseOrganisasjonsnummer(text)
    expect(refused).toThrow(InputError)
    try {
      refused()
    } catch (error) {
      expect(error).toMatchObject({
        code: 'ugyldig_organisasjonsnummer',
        norsk: expect.stringContaining(why),
      })
    }
  })

  it('a number whose check digit would be ten does not exist', () => {
    const first = '900000000'.slice(0, 8)
    const valid = Array.from({ length: 10 }, (_, digit) => `${first}${digit}`).filter(isOrganisasjonsnummer)
    expect(valid.length).toBeLessThanOrEqual(1)
    expect(isOrganisasjonsnummer('100000130')).toBe(false)
  })

  it('any one mistyped digit is noticed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 1, max: 9 }), (place, shift) => {
        const digits = [...'923609016']
        digits[place] = String((Number(digits[place]) + shift) % 10)
        return !isOrganisasjonsnummer(digits.join(''))
      }),
    )
  })

  it('text that is something else is not taken for a number', () => {
    expect(findOrganisasjonsnummer('Equinor')).toBeNull()
    expect(findOrganisasjonsnummer('923609017')).toBeNull()
    expect(findOrganisasjonsnummer('NO 923 609 016 MVA')).toBe('923609016')
  })
})

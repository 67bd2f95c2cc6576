import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readFormFields } from '#src/http/form-fields.ts'

const asTheStandard = (form: string) => [...new Map(new URLSearchParams(form))]
const ours = (form: string) => [...readFormFields(Buffer.from(form))]

describe('the fields of a form', () => {
  it.each([
    '',
    '&&',
    'a',
    'a=',
    '=b',
    '=',
    'a=b&a=c',
    'a=b=c&d',
    'a+b=+c+%2B%20',
    '%61=%C3%A6%c3%a6æ',
    'a=%&b=%4&c=%zz&d=%%41',
    'a=%F0%9F&b=%ff%fe&c=\ufeffd&d=%EF%BB%BFe',
    '__proto__=1&constructor=2',
  ])('are those the standard has (%s)', (form) => {
    expect(ours(form)).toEqual(asTheStandard(form))
  })

  it('P169: are those the standard has, whatever is sent', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '%', '4', 'F', 'c', 'C3', 'B8', '+', '&', '='),
    })
    fc.assert(
      fc.property(text, (form) => {
        expect(ours(form)).toEqual(asTheStandard(form))
      }),
    )
  })
})

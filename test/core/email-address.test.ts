import { describe, expect, test } from 'vitest'
import { parseEmailAddress } from '#src/core/email-address.ts'
import { InputError } from '#src/core/errors.ts'

describe('an e-mail address', () => {
  test.each([
    'ola@example.no',
    'ola.nordmann+nokkel@post.example.no',
    'post@blåbær.example.no',
    `${'a'.repeat(64)}@example.no`,
    `ola@${'a'.repeat(63)}.no`,
  ])('is taken as it is: %s', (address) => {
    expect(parseEmailAddress(address)).toBe(address)
  })

  test('loses the space around it', () => {
    expect(parseEmailAddress(' ola@example.no\n')).toBe('ola@example.no')
  })

  test.each([
    ['post@BLÅBÆR.Example.NO', 'post@blåbær.example.no'],
    ['post@xn--blbr-roah.example.no', 'post@blåbær.example.no'],
    ['Kari@ｆｉｒｍａ.example', 'Kari@firma.example'],
    ['kari@𝐟𝐢𝐫𝐦𝐚.example', 'kari@firma.example'],
    ['kari@ﬁrma.example', 'kari@firma.example'],
  ])('P160: attack: the same mailbox spelt otherwise is the same address: %s', (typed, address) => {
    expect(parseEmailAddress(typed)).toBe(address)
  })

  test.each([
    'kari@xn--i-9bb.no',
    'kari@xn--11b4c3d.example',
    ...['firma.example', 'blåbær.no', 'straße.example', '例.example'].map((domain) => `kari@${domain}`),
  ])('attack: what was read once is read again as it is: %s', (typed) => {
    const once = parseEmailAddress(typed)
    expect(parseEmailAddress(once)).toBe(once)
  })

  test.each([
    ['nothing', ''],
    ['a number for a domain', 'kari@firma.1'],
    ['the number of a host', 'kari@127.0.0.1'],
    ['the number of a host in other digits', 'kari@0x7f.1'],
    [
      '255 characters when the domain is spelt out',
      `${'k'.repeat(64)}@${'å'.repeat(60)}.${'ø'.repeat(60)}.${'æ'.repeat(60)}.no`,
    ],
    ['no @', 'ola.firma.example'],
    ['no domain', 'kari@'],
    ['no name', '@firma.example'],
    ['a domain without a dot', 'ola@localhost'],
    ['two dots', 'ola@firma..example'],
    ['two dots before the @', 'kari..nordmann@firma.example'],
    ['a dot first', '.kari@firma.example'],
    ['a dot before the @', 'kari.@firma.example'],
    ['a part of the domain that ends with a hyphen', 'kari@firma-.example'],
    ['a part of the domain that begins with a hyphen', 'kari@-firma.example'],
    ['a part of the domain that is longer than DNS has room for', `kari@${'a'.repeat(64)}.example`],
    ['one that is so in ASCII', `kari@${'å'.repeat(60)}.example`],
    ['a display name', 'Ola Nordmann <ola@firma.example>'],
    ['two addresses', 'ola@firma.example,kari@firma.example'],
    ['a header of its own', 'ola@firma.example\r\nBcc: kari@firma.example'],
    ['quotes', '"ola nordmann"@firma.example'],
    ['65 characters before the @', `${'a'.repeat(65)}@firma.example`],
    ['255 characters', `ola@${'a'.repeat(248)}.no`],
  ])('is refused, and not repeated in the refusal: %s', (_, text) => {
    const refusal = refusalOf(text)
    expect(refusal).toMatchObject({ code: 'ugyldig_epost', parameter: 'epost' })
    if (text !== '') expect(refusal.message + refusal.norsk).not.toContain(text)
  })
})

function refusalOf(text: string): InputError {
  try {
    parseEmailAddress(text)
  } catch (error) {
    if (error instanceof InputError) return error
  }
  throw new Error('expected an InputError')
}

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ApiKey, mintKey, readKey } from '#src/core/api-key.ts'

describe('a key', () => {
  test('is read back as it was made', () => {
    for (const miljo of ['live', 'test'] as const) {
      const key = mintKey(miljo)
      expect(readKey(key.token)).toEqual(key)
      expect(key).toMatchObject({ miljo, id: expect.stringMatching(/^[0-9A-Za-z]{12}$/) })
    }
  })

  test('has one length and one form, and can be selected with a double click', () => {
    expect(mintKey('live').token).toMatch(/^bo_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/)
    expect(mintKey('test').token).toMatch(/^bo_test_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/)
  })

  test('holds the checksum GitHub describes: base62 of the CRC32 of everything before it, zero padded', () => {
    const body = 'bo_live_abcdefghijkl_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefg'
    // zlib.crc32 of Python gives 1554623152 for it.
    const token = `${body}1hD2Uy`
    expect(readKey(token)).toEqual({ id: 'abcdefghijkl', miljo: 'live', token })
  })

  test('is drawn evenly: every character of the alphabet comes up about equally often', () => {
    const counts = new Map<string, number>()
    const keys = 2000
    for (let made = 0; made < keys; made++) {
      for (const character of secretOf(mintKey('live')))
        counts.set(character, (counts.get(character) ?? 0) + 1)
    }
    const expected = (keys * 43) / 62
    expect(counts.size).toBe(62)
    // Standard deviation about 37 of 1387: five of them are passed once in a million. A remainder of bytes gives +25 %.
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(expected * 0.15)
  })

  test('is never made twice', () => {
    const tokens = Array.from({ length: 1000 }, () => mintKey('live'))
    expect(new Set(tokens.map(({ id }) => id)).size).toBe(1000)
    expect(new Set(tokens.map(secretOf)).size).toBe(1000)
  })
})

describe('what is not a key', () => {
  const { token } = mintKey('live')

  test.each([
    ['nothing', ''],
    ['a word', 'hemmelig'],
    ['another service', token.replace('bo_', 'ghp_')],
    ['another environment', token.replace('_live_', '_prod_')],
    ['one character short', token.slice(0, -1)],
    ['one character long', `${token}a`],
    ['a space before', ` ${token.slice(1)}`],
    ['a line break after', `${token.slice(0, -1)}\n`],
    ['a letter outside ASCII', `${token.slice(0, -1)}å`],
    ['a million characters', 'bo_live_'.padEnd(1_000_000, 'a')],
  ])('is told from one: %s', (_, text) => {
    expect(readKey(text)).toBe('ikke_en_nokkel')
  })

  test('is found by the checksum when one character is mistyped, wherever it is', () => {
    const places = fc
      .integer({ min: 'bo_live_'.length, max: token.length - 1 })
      .filter((at) => token[at] !== '_')
    const characters = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')
    fc.assert(
      fc.property(places, characters, (at, character) => {
        fc.pre(token[at] !== character)
        expect(readKey(token.slice(0, at) + character + token.slice(at + 1))).toBe('feil_kontrollsum')
      }),
    )
  })

  test('a live key does not become a test key by its prefix', () => {
    expect(readKey(token.replace('_live_', '_test_'))).toBe('feil_kontrollsum')
  })

  test('never breaks the reading, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.string({ minLength: 70, maxLength: 70 })),
        (text) => {
          expect(['ikke_en_nokkel', 'feil_kontrollsum']).toContain(readKey(text))
        },
      ),
    )
  })
})

function secretOf({ token }: ApiKey): string {
  return token.slice(21, 21 + 43)
}

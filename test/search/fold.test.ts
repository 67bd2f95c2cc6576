import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldLetters, foldWords } from '#src/search/fold.ts'
import { matchName } from '#src/search/match.ts'
import { createMatching } from '#src/search/matching.ts'
import { readName } from '#src/search/name.ts'
import { hostOf, phoneOf, readQuestion } from '#src/search/question.ts'
import { type Candidate, rank } from '#src/search/rank.ts'

const letters = fc.string({ unit: fc.constantFrom(...'aeoøåæöäéüAOEÅØÆ bn-.&ßＡＯｅ') })

describe('texts that are compared', () => {
  it('folding what is folded changes nothing', () => {
    fc.assert(
      fc.property(fc.oneof(letters, fc.string({ unit: 'grapheme' })), (text) => {
        expect(foldLetters(foldLetters(text))).toBe(foldLetters(text))
        const words = foldWords(text)
        expect(foldWords(words.join(' ')).join('')).toBe(words.join(''))
      }),
      { numRuns: 2000 },
    )
  })

  it('the beginning of a name folds to the beginning of the folded name', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aeoøåæbnr ') }), fc.nat(40), (text, length) => {
        const key = (some: string) => foldWords(some).join('')
        expect(key(text).startsWith(key(text.slice(0, length)))).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    ['A/S NORSKE SHELL', 'as norske shell'],
    ['ELKJØP NORGE AS', 'elkjoep norge'],
    ['AASEN & FARSTAD AS', 'Åsen og Farstad'],
    ['K. J. EIDE AS', 'KJ Eide'],
    ['APOTERA.NO AS', 'apoterano'],
    ['A-MØBLER', 'a mobler'],
    ['LL DET NORSKE TEATRET', 'det norske teatret'],
    ['CAFÉ ＯＳＬＯ', 'cafe oslo'],
  ])('%s and %s are one key', (a, b) => expect(readName(a).key).toBe(readName(b).key))

  it('a number, a site and a telephone are told from names', () => {
    const kinds = [
      '923 609 016',
      'org.nr: NO923609016MVA',
      'EQUINOR ASA (923609016)',
      '923609017',
      '+47 22 99 00 00',
      'tv2.no',
      'post@tv2.no',
      'TV 2',
      '7-eleven',
      '1881',
    ]
    expect(kinds.map((text) => readQuestion(text).kind)).toEqual([
      ...['number', 'number', 'number', 'no_number', 'phone', 'site', 'site', 'name', 'name', 'name'],
    ])
    expect(hostOf('https://www.Tidsbanken.no:443/x?y#z')).toBe('tidsbanken.no')
    expect(phoneOf('tlf. 22 99 00 00')).toBe('22990000')
  })
})

const word = fc.constantFrom(
  'nord',
  'nordvik',
  'eiendom',
  'holding',
  'norsk',
  'sjømat',
  'tind',
  'as',
  'i',
  '2',
)
const candidate = fc.record({
  orgnr: fc.integer({ min: 1, max: 40 }),
  parent: fc.option(fc.integer({ min: 1, max: 5 })),
  kind: fc.constantFrom('navn' as const, 'tidligere' as const, 'kortnavn' as const),
  name: fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' ')),
  weight: fc.integer({ min: -80, max: 60 }),
  hasCeased: fc.boolean(),
  from: fc.constant(null),
  until: fc.constant(null),
})

describe('the order of hits', () => {
  it('is total, and does not depend on the order of the rows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { minLength: 1, maxLength: 3 }),
        fc.array(candidate, { maxLength: 30 }),
        async (asked, rows) => {
          const name = readName(asked.join(' '))
          const order = async (some: readonly Candidate[]) =>
            rank(await createMatching({ name, telling: new Map(), typed: asked.join(' ') }).of(some)).map(
              ({ orgnr, points }) => [orgnr, points],
            )
          const first = await order(rows)
          expect(await order(rows.toReversed())).toEqual(first)
          expect(new Set(first.map(([orgnr]) => orgnr)).size).toBe(first.length)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('10,000 hostile questions are read and compared, and none throws', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 180 }),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.string({
        unit: fc.constantFrom(
          '\u202e',
          '\u200b',
          '\0',
          'ﷺ',
          '𝕬',
          '%',
          '_',
          "'",
          ';',
          '--',
          '*',
          '\\',
          '"',
          ')',
          '𓀀',
        ),
        maxLength: 180,
      }),
      fc.constantFrom(
        "'; drop table sok_navn; --",
        'W'.repeat(180),
        '%'.repeat(180),
        '...',
        '&&&',
        'a'.repeat(180),
        '9'.repeat(40),
      ),
    )
    const name = readName('TINDEVÅG SJØMAT AS')
    fc.assert(
      fc.property(hostile, (text) => {
        const question = readQuestion(text)
        const asked = 'name' in question ? question.name : readName(text)
        matchName({ name: asked, telling: new Map(), typed: text }, name, 'TINDEVÅG SJØMAT AS')
        expect(asked.words.join('')).toBe(asked.key)
      }),
      { numRuns: 10_000 },
    )
  })
})

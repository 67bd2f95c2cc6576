import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matches, rank } from '#src/record/ranking.ts'

const names = (text: string, navn: (string | [string, boolean])[]) =>
  rank(
    text,
    navn.map((each) => {
      const [name, isActive] = typeof each === 'string' ? [each, true] : each
      return { navn: name, tidligereNavn: [], isActive }
    }),
  )

describe('ranking', () => {
  it('the exact name comes first, then names that begin with the text, then the rest', () => {
    const ranked = names('fjord', ['NORDFJORD AS', 'FJORDEN KRO AS', 'FJORD', 'BLÅ FJORD AS'])
    expect(ranked.map(({ navn }) => navn)).toEqual([
      'FJORD',
      'FJORDEN KRO AS',
      'BLÅ FJORD AS',
      'NORDFJORD AS',
    ])
    expect(ranked.map(({ trefftype }) => trefftype)).toEqual([
      'likt_navn',
      'navnet_begynner_slik',
      'navnet_inneholder',
      'navnet_inneholder',
    ])
  })

  it('the form of company may be left out of an exact name', () => {
    expect(names('Fjord', ['FJORDBUSS AS', 'FJORD AS'])[0]).toMatchObject({
      navn: 'FJORD AS',
      trefftype: 'likt_navn',
    })
  })

  it('among equal matches the active company comes before the dissolved', () => {
    const ranked = names('fjord as', [
      ['FJORD AS', false],
      ['FJORD AS', true],
    ])
    expect(ranked.map(({ isActive }) => isActive)).toEqual([true, false])
  })

  it('an exact name that is dissolved still comes before an active prefix', () => {
    const ranked = names('fjord', [
      ['FJORDBUSS AS', true],
      ['FJORD', false],
    ])
    expect(ranked[0]?.navn).toBe('FJORD')
  })

  it('Å is not A, and case and punctuation do not matter', () => {
    expect(names('Våg', ['VAG AS', 'VÅG AS'])[0]?.navn).toBe('VÅG AS')
    expect(names('finn.no as', ['FINN NO AS'])[0]?.trefftype).toBe('likt_navn')
  })

  it('no candidate is lost or made up, whatever the text', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (text, navn) => {
        const ranked = names(text, navn).map((each) => each.navn)
        expect(ranked.toSorted()).toEqual(navn.toSorted())
      }),
    )
  })

  it('why a name is a hit is true of each: what the register finds besides stands in no name, or in an earlier one', () => {
    const ranked = rank('obos', [
      { navn: 'OBO BETTERMANN AS', tidligereNavn: ['BETTERMANN AS'], isActive: true },
      { navn: 'BYGGEFELLESSKAPET AS', tidligereNavn: ['OBOS FORRETNINGSBYGG AS'], isActive: true },
      { navn: null, tidligereNavn: [], isActive: true },
      { navn: 'OBOS BBL', tidligereNavn: [], isActive: true },
    ])
    expect(ranked.map(({ navn, trefftype }) => [navn, trefftype])).toEqual([
      ['OBOS BBL', 'navnet_begynner_slik'],
      ['BYGGEFELLESSKAPET AS', 'tidligere_navn'],
      ['OBO BETTERMANN AS', 'annet'],
      [null, 'annet'],
    ])
    expect(names('obos bygg', ['NORSK BYGG AS'])[0]?.trefftype).toBe('noen_ord')
    expect(names('!', ['NORSK BYGG AS', 'HEI! AS']).map(({ trefftype }) => trefftype)).toEqual([
      'navnet_inneholder',
      'annet',
    ])
  })

  it('the running-text test is the register’s: letter by letter, case aside', () => {
    expect(matches('finn.no', 'FINN.NO AS')).toBe(true)
    expect(matches('elkjop', 'ELKJØP AS')).toBe(false)
  })
})

import { describe, expect, it } from 'vitest'
import { Aksjonaerer, aksjonaererOf } from '#src/record/sections/aksjonaerer.ts'
import { shareHistory } from '#src/record/share-history.ts'
import type { StoredHolder } from '#src/storage/shareholders/hidden-holders.ts'
import type { StoredBook } from '#src/storage/shareholders/read-books.ts'
import { compilePromised } from '#test/support/promised.ts'

const promised = compilePromised(Aksjonaerer)

const holder = (changes: Partial<StoredHolder>, ...shares: number[]): StoredHolder => ({
  navn: null,
  fodselsaar: null,
  orgnr: null,
  land: 'NO',
  aksjer: shares.map((each, klasse) => [klasse, each]),
  skjult: null,
  ...changes,
})
const person = (navn: string, ...shares: number[]) => holder({ navn, fodselsaar: 1970 }, ...shares)

function book(storste: StoredHolder[], changes: Partial<StoredBook> = {}): StoredBook {
  const aksjerSum = storste.flatMap(({ aksjer }) => aksjer).reduce((sum, [, each]) => sum + each, 0)
  return {
    leveranse: 1,
    navn: 'LYNGHEI AS',
    aksjerTotalt: aksjerSum,
    aksjerSum,
    innehavere: storste.length,
    klasser: ['A-aksjer', 'B-aksjer'],
    storste,
    ...changes,
  }
}

/** The section as a reader gets it, over years newest first; null is a year whose file does not have the company. */
function section(years: Record<number, StoredBook | null>) {
  const all = Object.entries(years)
    .map(([aar, book]) => ({ aar: Number(aar), leveranse: Number(aar) - 2000, book }))
    .sort((a, b) => b.aar - a.aar)
  const history = shareHistory(all)
  if (history === null) return null
  const kept: typeof history = JSON.parse(JSON.stringify(history))
  const shown = aksjonaererOf(kept, (id) => ({ kilde: 'Skatteetaten', uttrekksdato: `${2001 + id}-05-07` }))
  expect([...promised.Errors(shown)]).toEqual([])
  return shown
}
const only = (one: StoredBook) => {
  const found = section({ 2024: one })
  if (found === null) throw new Error('expected a section')
  return found
}
const year = (of: ReturnType<typeof section>, aar: number) => of?.historikk.find((each) => each.aar === aar)

describe('the newest year', () => {
  it('has its date, its file, and says that these are shares', () => {
    expect(only(book([person('KARI', 30, 12)]))).toMatchObject({
      aar: 2024,
      gjelderPer: '2024-12-31',
      leveranse: { kilde: 'Skatteetaten', uttrekksdato: '2025-05-07' },
      foretaket: 'funnet',
      aksjerTotalt: 42,
      aksjerSum: 42,
      innehavere: 1,
      avvik: [],
      forbehold: expect.stringMatching(/^Aksjer, ikke stemmer.*31\. desember/),
      storste: [
        {
          plass: 1,
          navn: 'KARI',
          type: 'person',
          fodselsaar: 1970,
          organisasjonsnummer: null,
          landkode: 'NO',
          skjult: false,
          aksjer: 42,
          klasser: [
            { klasse: 'A-aksjer', aksjer: 30 },
            { klasse: 'B-aksjer', aksjer: 12 },
          ],
          prosent: 100,
        },
      ],
    })
  })

  it('names the twenty largest and counts them all', () => {
    const { storste, innehavere } = only(
      book(
        Array.from({ length: 200 }, (_, index) => person(`NR ${index}`, 1000 - index)),
        { innehavere: 120_000 },
      ),
    )
    expect(storste).toHaveLength(20)
    expect(storste?.map(({ plass }) => plass)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    expect(innehavere).toBe(120_000)
  })

  it.each([
    ['a year of birth', { navn: 'OLA', fodselsaar: 1980 }, 'person'],
    ['no name but a year of birth', { fodselsaar: 1980 }, 'person'],
    ['an organisation number', { navn: 'EIER AS', orgnr: 907_000_001 }, 'foretak'],
    ['another country', { navn: 'VILNIUS UAB', land: 'LT' }, 'utenlandsk'],
    ['a name that holds for others', { navn: 'STATE STREET BANK NOMINEE', land: 'US' }, 'forvalter'],
    [
      'the central securities depository',
      { navn: 'VERDIPAPIRSENTRALEN ASA', orgnr: 907_000_002 },
      'forvalter',
    ],
    ['a company that manages property', { navn: 'HAUGEN FORVALTNING AS', orgnr: 907_000_003 }, 'foretak'],
    ['nothing', { land: null }, 'ukjent'],
  ])('a holder with %s', (_what, changes, type) => {
    expect(only(book([holder(changes, 1)])).storste?.[0]?.type).toBe(type)
  })

  it('an organisation number keeps its nine digits', () => {
    expect(only(book([holder({ orgnr: 12_345_678 }, 1)])).storste?.[0]?.organisasjonsnummer).toBe('012345678')
  })
})

describe('P20: percent is never made up', () => {
  const parts = (aksjerTotalt: number | null, ...held: number[]) => {
    const { storste, avvik } = only(
      book(
        held.map((each, index) => person(`NR ${index}`, each)),
        { aksjerTotalt },
      ),
    )
    return { prosent: storste?.map(({ prosent }) => prosent), avvik }
  }

  it.each([
    ['all are told', 100, [60, 40], [60, 40], []],
    ['some shares have no holder', 200, [60, 40], [30, 20], ['sum_under_total']],
    ['the total is missing', null, [60, 40], [null, null], ['total_mangler']],
    ['a little too many', 100, [90, 60], [60, 40], ['sum_over_total']],
    ['one has more than there are', 100, [150], [100], ['sum_over_total']],
    ['half as many again and more', 100, [91, 60], [null, null], ['sum_over_150_prosent']],
    ['thousands of millions', 3_200_000_000, [3_200_000_000 - 1, 1], [100, 0], []],
  ])('%s', (_what, total, held, prosent, avvik) => {
    expect(parts(total, ...held)).toEqual({ prosent, avvik })
  })
})

describe('the history', () => {
  it('has every year back to 2002, and a year nobody delivered is not imported', () => {
    const shown = section({ 2024: book([person('KARI', 1)]), 2021: null, 2020: book([person('KARI', 1)]) })
    expect(shown?.historikk.map(({ aar }) => aar)).toEqual(
      Array.from({ length: 23 }, (_, index) => 2024 - index),
    )
    expect(year(shown, 2024)).toMatchObject({ arkivet: 'importert', foretaket: 'funnet', innehavere: 1 })
    expect(year(shown, 2022)).toEqual({
      aar: 2022,
      arkivet: 'ikke_importert',
      leveranse: null,
      foretaket: null,
      aksjerTotalt: null,
      aksjerSum: null,
      innehavere: null,
      avvik: [],
      storste: null,
      endringer: null,
    })
    expect(year(shown, 2021)).toMatchObject({
      arkivet: 'importert',
      leveranse: { uttrekksdato: '2022-05-07' },
      foretaket: 'ikke_funnet',
      innehavere: null,
      storste: null,
      endringer: null,
    })
    expect(year(shown, 2020)?.leveranse?.uttrekksdato).toBe('2021-05-07')
  })

  it('a company that is in no year has none; one that is not in the newest has it all the same', () => {
    expect(section({ 2024: null, 2023: null })).toBeNull()
    expect(section({})).toBeNull()
    const shown = section({ 2024: null, 2023: book([person('KARI', 7)]) })
    expect(shown).toMatchObject({
      aar: 2024,
      foretaket: 'ikke_funnet',
      aksjerTotalt: null,
      innehavere: null,
      storste: null,
    })
    expect(year(shown, 2023)).toMatchObject({ foretaket: 'funnet', aksjerTotalt: 7, endringer: null })
  })

  it('names the five largest of each year', () => {
    const shown = only(book(Array.from({ length: 9 }, (_, index) => person(`NR ${index}`, 9 - index))))
    expect(year(shown, 2024)?.storste?.map(({ navn }) => navn)).toEqual([
      'NR 0',
      'NR 1',
      'NR 2',
      'NR 3',
      'NR 4',
    ])
    expect(Object.keys(year(shown, 2024)?.storste?.[0] ?? {})).not.toContain('klasser')
  })

  it('what changed is against the year that was imported before, over years that are missing', () => {
    const before = book([
      person('GIKK', 50),
      person('BLE', 10),
      person('OKTE', 5),
      holder({ navn: 'EIER AS', orgnr: 907_000_001 }, 9),
    ])
    const now = book([
      holder({ navn: 'EIER GRUPPEN AS', orgnr: 907_000_001 }, 3),
      person('KOM', 40),
      person('OKTE', 6),
      person('BLE', 4, 6),
    ])
    const shown = section({ 2024: now, 2022: before })
    const changes = year(shown, 2024)?.endringer
    expect(changes).toMatchObject({
      motAar: 2022,
      omfatter: 'alle',
      inn: { antall: 1, navngitte: [{ navn: 'KOM', type: 'person', fra: 0, til: 40 }] },
      ut: { antall: 1, navngitte: [{ navn: 'GIKK', fra: 50, til: 0 }] },
      opp: { antall: 1, navngitte: [{ navn: 'OKTE', fra: 5, til: 6 }] },
      ned: {
        antall: 1,
        navngitte: [{ navn: 'EIER GRUPPEN AS', organisasjonsnummer: '907000001', fra: 9, til: 3 }],
      },
    })
    expect(year(shown, 2022)?.endringer).toBeNull()
  })

  it('years in which nothing changed say so, though they are kept once', () => {
    const same = () => book([person('KARI', 100)])
    const history = shareHistory([2024, 2023, 2022].map((aar) => ({ aar, leveranse: aar, book: same() })))
    expect(history?.perioder).toHaveLength(1)
    expect(history?.endringer).toEqual([])
    const shown = section({ 2024: same(), 2023: same(), 2022: same() })
    const none = { antall: 0, navngitte: [] }
    for (const [aar, motAar] of [
      [2024, 2023],
      [2023, 2022],
    ] as const) {
      expect(year(shown, aar)).toMatchObject({
        innehavere: 1,
        storste: [{ navn: 'KARI' }],
        endringer: { motAar, omfatter: 'alle', inn: none, ut: none, opp: none, ned: none },
      })
    }
    expect(year(shown, 2022)).toMatchObject({ innehavere: 1, endringer: null })
  })

  it('namesakes of other years of birth are others; where a person lives makes nobody another', () => {
    const son = holder({ navn: 'OLA HAUG', fodselsaar: 2000 }, 5)
    const father = holder({ navn: 'OLA HAUG', fodselsaar: 1960 }, 5)
    const abroad = holder({ navn: 'Ola  Haug', fodselsaar: 1960, land: 'SE' }, 5)
    const shown = section({ 2024: book([son, abroad]), 2023: book([father]) })
    expect(year(shown, 2024)?.endringer).toMatchObject({ inn: { antall: 1 }, ut: { antall: 0 } })
  })

  it('where only the 200 largest are compared it says so', () => {
    const many = (count: number) =>
      book(
        Array.from({ length: 200 }, (_, index) => person(`NR ${index}`, 500 - index)),
        { innehavere: count },
      )
    expect(year(section({ 2024: many(201), 2023: many(200) }), 2024)?.endringer?.omfatter).toBe(
      'de_200_storste',
    )
    expect(year(section({ 2024: many(200), 2023: many(200) }), 2024)?.endringer?.omfatter).toBe('alle')
  })
})

describe('P21: a hidden holder', () => {
  const hidden = (skjult: number, shares: number) => holder({ land: null, skjult }, shares)

  it('has shares and a place, and no name in any year', () => {
    const shown = section({ 2024: book([hidden(1, 60), person('KARI', 40)]), 2023: book([hidden(1, 50)]) })
    const first = { navn: null, fodselsaar: null, landkode: null, type: 'person', skjult: true }
    expect(shown?.storste?.[0]).toMatchObject({ ...first, aksjer: 60, prosent: 60 })
    expect(year(shown, 2023)?.storste?.[0]).toMatchObject(first)
    expect(year(shown, 2024)?.endringer).toMatchObject({
      inn: { antall: 1 },
      ut: { antall: 0 },
      opp: { antall: 1, navngitte: [{ ...first, fra: 50, til: 60 }] },
    })
  })

  it('is not taken for another who is hidden', () => {
    const shown = section({ 2024: book([hidden(2, 50)]), 2023: book([hidden(1, 50)]) })
    expect(year(shown, 2024)?.endringer).toMatchObject({ inn: { antall: 1 }, ut: { antall: 1 } })
  })
})

import { describe, expect, it } from 'vitest'
import { createHistory } from '#src/changes/history.ts'
import type { Change, ChangedField } from '#src/storage/changes/change-log.ts'

const ORGNR = '923609016'
const day = (day: number) => new Date(Date.UTC(2026, 10, day))
const between = (day1: number, day2: number) => ({
  etter: day(day1).toISOString(),
  innen: day(day2).toISOString(),
})
let nr = 0
const change = (from: number, to: number, ...felt: ChangedField[]): Change => ({
  nr: ++nr,
  orgnr: ORGNR,
  seksjon: 'roller',
  type: 'roller.styre.endret',
  felt,
  nevner: [],
  hendelse: null,
  forrige: day(from),
  sett: day(to),
  prove: false,
})
function historyOf(orgnr: string, changes: readonly Change[], avkortet: boolean) {
  const history = createHistory(orgnr)
  for (const one of changes) history.follow(one)
  return history.told(avkortet)
}
const member = (navn: string) => ({ rolle: { kode: 'MEDL' }, rolleinnehaver: { navn } })
const BOARD = '/roller/data/styre/medlemmer'

describe('P118: what a company has been', () => {
  it('says who came and left, and between which two looks', () => {
    const { roller, navn } = historyOf(
      ORGNR,
      [
        change(1, 2, { felt: BOARD, for: null, etter: member('Kari') }),
        change(
          3,
          5,
          { felt: BOARD, for: member('Ola'), etter: null },
          { felt: BOARD, for: null, etter: member('Per') },
        ),
        change(8, 9, { felt: BOARD, for: member('Kari'), etter: null }),
      ],
      false,
    )
    expect(roller).toEqual([
      { felt: BOARD, verdi: member('Per'), fra: between(3, 5), til: null },
      { felt: BOARD, verdi: member('Ola'), fra: null, til: between(3, 5) },
      { felt: BOARD, verdi: member('Kari'), fra: between(1, 2), til: between(8, 9) },
    ])
    expect(navn).toEqual([])
  })

  it('P183: looks at each value once, whoever left first of the thousand that came', () => {
    let looks = 0
    const members = Array.from({ length: 1000 }, (_, nr) => ({
      navn: `${nr}`,
      toJSON() {
        looks += 1
        return this.navn
      },
    }))
    const { roller } = historyOf(
      ORGNR,
      [
        ...members.map((etter) => change(1, 2, { felt: BOARD, for: null, etter })),
        ...members.map((before) => change(3, 4, { felt: BOARD, for: before, etter: null })),
      ],
      false,
    )
    expect(roller).toHaveLength(members.length)
    expect(roller.every(({ til }) => til !== null)).toBe(true)
    expect(looks).toBe(2 * members.length)
  })

  it('says what a value was, one after the other, and nothing where nothing was stated', () => {
    const { navn, adresser, status, kapital } = historyOf(
      ORGNR,
      [
        change(1, 2, { felt: '/navn', for: 'EN AS', etter: 'TO AS' }),
        change(4, 5, { felt: '/navn', for: 'TO AS', etter: 'EN AS' }),
        change(6, 7, { felt: '/adresser/data/postadresse', for: null, etter: { postnummer: '5003' } }),
        change(6, 7, { felt: '/status/data/konkurs/gjelder', for: false, etter: true }),
      ],
      true,
    )
    expect(navn).toEqual([
      { felt: '/navn', verdi: 'EN AS', fra: between(4, 5), til: null },
      { felt: '/navn', verdi: 'TO AS', fra: between(1, 2), til: between(4, 5) },
      { felt: '/navn', verdi: 'EN AS', fra: null, til: between(1, 2) },
    ])
    expect(adresser).toMatchObject([{ verdi: { postnummer: '5003' }, til: null }])
    expect(status.map(({ verdi }) => verdi)).toEqual([true, false])
    expect(kapital).toEqual([])
  })

  it('takes no place with its value for another', () => {
    const [first, second] = ['/kapital/sum', '/kapital/sum1']
    const { kapital } = historyOf(
      ORGNR,
      [
        change(1, 2, { felt: first, for: null, etter: 12 }),
        change(3, 4, { felt: second, for: 2, etter: null }),
      ],
      false,
    )
    expect(kapital.map(({ felt, til }) => [felt, til])).toEqual([
      [second, between(3, 4)],
      [first, null],
    ])
  })

  it('of two of one name, one left', () => {
    const { roller } = historyOf(
      ORGNR,
      [
        change(
          1,
          2,
          { felt: BOARD, for: null, etter: member('Kari') },
          { felt: BOARD, for: null, etter: member('Kari') },
        ),
        change(3, 4, { felt: BOARD, for: member('Kari'), etter: null }),
      ],
      false,
    )
    expect(roller.map(({ til }) => til)).toEqual([between(3, 4), null])
  })
})

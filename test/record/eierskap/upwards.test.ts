import { describe, expect, it } from 'vitest'
import { readOwnership } from '#src/record/eierskap/read-ownership.ts'
import { upwards } from './ask-upwards.ts'
import { type Company, inventedRegister } from './invented-register.ts'

describe('owners upwards', () => {
  it('a chain multiplies: 60 % of a company that holds 50 % is 30 %', async () => {
    const { owners, oppover } = await upwards({
      1: {
        holders: [
          [2, 50],
          ['KARI', 50],
        ],
      },
      2: {
        holders: [
          ['OLA', 60],
          ['ANNE', 40],
        ],
      },
    })
    expect(owners).toEqual({ KARI: 50, OLA: 30, ANNE: 20 })
    expect(oppover.eiere.map(({ eier, direkteProsent, ledd }) => [eier.navn, direkteProsent, ledd])).toEqual([
      ['KARI', 50, 1],
      ['OLA', null, 2],
      ['ANNE', null, 2],
    ])
    expect(oppover.mellomledd).toMatchObject([
      { foretak: { organisasjonsnummer: '000000002' }, direkteProsent: 50, effektivProsent: 50, ledd: 1 },
    ])
  })

  it('the ways of a diamond add up, together with what is held directly', async () => {
    const { owners, oppover } = await upwards({
      1: {
        holders: [
          [2, 40],
          [3, 40],
          ['OLA', 20],
        ],
      },
      2: {
        holders: [
          ['OLA', 50],
          ['KARI', 50],
        ],
      },
      3: {
        holders: [
          ['OLA', 25],
          ['KARI', 75],
        ],
      },
    })
    expect(owners).toEqual({ OLA: 50, KARI: 50 })
    expect(oppover.eiere[0]).toMatchObject({
      eier: { navn: 'OLA' },
      direkteProsent: 20,
      effektivProsent: 50,
      ledd: 1,
    })
  })

  it('P20: a circle of two is solved exactly: each holds part of the other', async () => {
    // x₂ = 0.8 + 0.3 x₃, x₃ = 0.1 x₂ + 0.2 → x₂ = 0.86/0.97, x₃ = 0.28/0.97
    const { owners, answer, oppover } = await upwards({
      1: {
        holders: [
          [2, 80],
          [3, 20],
        ],
      },
      2: {
        holders: [
          [3, 10],
          ['OLA', 90],
        ],
      },
      3: {
        holders: [
          [2, 30],
          ['KARI', 70],
        ],
      },
    })
    expect(owners).toEqual({ OLA: six((0.86 / 0.97) * 90), KARI: six((0.28 / 0.97) * 70) })
    expect(sum(owners)).toBeCloseTo(100, 5)
    expect(answer.flagg.sirkulaer).toBe(true)
    // Counted once, not once for every round: 0.8 + 0.2 · 0.3, and 0.2 + 0.8 · 0.1.
    expect(oppover.mellomledd.map(({ effektivProsent }) => effektivProsent)).toEqual([86, 28])
  })

  it('P20: a circle of three is solved exactly', async () => {
    // 1 ← 2 all; 2 ← 3 half; 3 ← 4 half; 4 ← 2 half: a round keeps an eighth, so OLA has 1/2 of 8/7, and so on.
    const { owners, answer } = await upwards({
      1: { holders: [[2, 100]] },
      2: {
        holders: [
          [3, 50],
          ['OLA', 50],
        ],
      },
      3: {
        holders: [
          [4, 50],
          ['KARI', 50],
        ],
      },
      4: {
        holders: [
          [2, 50],
          ['ANNE', 50],
        ],
      },
    })
    expect(owners).toEqual({ OLA: six(400 / 7), KARI: six(200 / 7), ANNE: six(100 / 7) })
    expect(answer.flagg).toMatchObject({ sirkulaer: true, ubestemt: false, avkortet: false })
  })

  it('P20: a circle through the company itself is solved and marked, and it is not its own owner', async () => {
    const { owners, answer, oppover } = await upwards({
      1: { holders: [[2, 100]] },
      2: {
        holders: [
          [1, 50],
          ['OLA', 50],
        ],
      },
    })
    expect(owners).toEqual({ OLA: 100 })
    expect(oppover.mellomledd.map(({ effektivProsent }) => effektivProsent)).toEqual([100])
    expect(
      oppover.ledd[1]?.forhold.map(({ eier, prosent }) => [eier.organisasjonsnummer ?? eier.navn, prosent]),
    ).toEqual([
      ['000000001', 50],
      ['OLA', 50],
    ])
    expect(answer.flagg.sirkulaer).toBe(true)
  })

  it('P20: two that own each other outright are undetermined, and the rest is told all the same', async () => {
    const { owners, answer, oppover } = await upwards({
      1: {
        holders: [
          [2, 30],
          ['OLA', 70],
        ],
      },
      2: { holders: [[3, 100]] },
      3: { holders: [[2, 100]] },
    })
    expect(owners).toEqual({ OLA: 70, '000000002': null, '000000003': null })
    expect(oppover.eiere.map(({ ende }) => ende)).toEqual(['endelig', 'sirkel', 'sirkel'])
    expect(oppover.ubestemtProsent).toBe(30)
    expect(answer.flagg).toMatchObject({ sirkulaer: true, ubestemt: true })
  })

  it('P20: a company and its owner that own each other outright have no owner that can be told', async () => {
    const { owners, oppover } = await upwards({
      1: { holders: [[2, 100]] },
      2: { holders: [[1, 100]] },
    })
    expect(owners).toEqual({ '000000002': null })
    expect(oppover.ubestemtProsent).toBe(100)
    expect(oppover.kontrollkjede.ende).toBe('sirkel')
    expect(oppover.kontrollkjede.konsernspiss).toBeNull()
  })

  it('P20: a circle that holds all but one share in a thousand million of itself still has its one owner', async () => {
    const { owners, answer } = await upwards({
      1: { holders: [[2, 1e9]] },
      2: {
        holders: [
          [3, 1e9 - 1],
          ['OLA', 1],
        ],
      },
      3: { holders: [[2, 1e9]] },
    })
    expect(owners).toEqual({ OLA: 100 })
    expect(answer.flagg).toMatchObject({ sirkulaer: true, ubestemt: false })
  })

  it('P20: own shares make no owner and do not compound, but stay in the total', async () => {
    const { owners, answer, oppover } = await upwards({
      1: {
        holders: [
          [1, 20],
          [2, 80],
        ],
      },
      2: {
        holders: [
          [2, 10],
          ['OLA', 90],
        ],
      },
    })
    expect(owners).toEqual({ OLA: 72 })
    expect(oppover.egneProsent).toBe(28)
    expect(answer.flagg.sirkulaer).toBe(false)
    expect(oppover.ledd.flatMap(({ forhold }) => forhold).map(({ prosent }) => prosent)).toEqual([80, 90])
  })

  it.each([[0], [null]])('P20: a total of %s gives null, never a percentage', async (total) => {
    const { owners, answer, oppover } = await upwards({
      1: {
        total,
        holders: [
          [2, 60],
          ['OLA', 40],
        ],
      },
    })
    expect(owners).toEqual({ '000000002': null, OLA: null })
    expect(oppover.ledd[0]?.forhold.map(({ prosent, aksjer }) => [prosent, aksjer])).toEqual([
      [null, 60],
      [null, 40],
    ])
    expect(oppover.ubestemtProsent).toBe(100)
    expect(oppover.kontrollkjede).toMatchObject({ ledd: [], ende: 'andel_ukjent' })
    expect(answer.flagg.ubestemt).toBe(true)
  })

  it('P20: above 150 % of the total gives null', async () => {
    const { owners, answer, oppover } = await upwards({
      1: {
        holders: [
          [2, 60],
          ['OLA', 40],
        ],
      },
      2: { total: 100, holders: [['KARI', 151]] },
    })
    expect(owners).toEqual({ OLA: 40, KARI: null })
    expect(oppover.ubestemtProsent).toBe(60)
    expect(oppover.kontrollkjede).toMatchObject({
      ende: 'andel_ukjent',
      konsernspiss: { organisasjonsnummer: '000000002' },
    })
    expect(answer.flagg).toMatchObject({ ubestemt: true, justert: false })
  })

  it('P20: between 100 and 150 % of the total the parts are scaled to 100 %, and that is said', async () => {
    const { owners, answer } = await upwards({
      1: {
        total: 100,
        holders: [
          ['OLA', 90],
          ['KARI', 60],
        ],
      },
    })
    expect(owners).toEqual({ OLA: 60, KARI: 40 })
    expect(answer.flagg).toMatchObject({ ubestemt: false, justert: true })
  })

  it('shares nobody is named for are said to be that, and go to no owner', async () => {
    const { owners, oppover } = await upwards({ 1: { total: 100, holders: [['OLA', 80]] } })
    expect(owners).toEqual({ OLA: 80 })
    expect(oppover.uoppgittProsent).toBe(20)
  })

  it('owners below the floor are counted and summed, not named', async () => {
    const small = Array.from({ length: 250 }, (_, i): [string, number] => [`EIER ${i}`, 1])
    const { owners, oppover } = await upwards({ 1: { holders: [['OLA', 750], ...small] } })
    expect(owners).toEqual({ OLA: 75 })
    expect(oppover.ovrige).toEqual({ prosent: 25, antall: 250 })
  })

  it('a holder of exactly the floor is named', async () => {
    const { owners } = await upwards({
      1: {
        holders: [
          ['OLA', 995],
          ['KARI', 5],
        ],
      },
    })
    expect(owners).toEqual({ OLA: 99.5, KARI: 0.5 })
  })

  it('a giant’s owners of half a percent and more are all among the 200 that are read', async () => {
    const holders = Array.from({ length: 200 }, (_, i): [string, number] => [`EIER ${i}`, 500])
    const { oppover } = await upwards({ 1: { total: 100_000, holders } })
    expect(oppover.eiere).toHaveLength(200)
    expect(oppover.ovrige).toEqual({ prosent: 0, antall: 0 })
  })

  it('of a company without a share book that year nothing is said of its owners', async () => {
    const { ports, calls } = inventedRegister({})
    expect(await readOwnership(1, { aar: 2025, retning: 'opp' }, ports)).toMatchObject({
      harAksjebok: false,
      oppover: null,
    })
    expect(calls.books).toEqual([[1]])
  })

  it('persons are the same by name and year of birth, and by no less', async () => {
    const { oppover } = await upwards({
      1: {
        holders: [
          [2, 50],
          ['OLA', { fodselsaar: 1950 }, 20],
          ['OLA', { land: 'SE' }, 30],
        ],
      },
      2: {
        holders: [
          ['ola ', { fodselsaar: 1950 }, 50],
          ['OLA', { fodselsaar: 1980 }, 20],
          ['OLA', { land: 'SE' }, 30],
        ],
      },
    })
    expect(
      oppover.eiere.map(({ eier, effektivProsent }) => [eier.fodselsaar ?? eier.landkode, effektivProsent]),
    ).toEqual([
      [1950, 45],
      ['SE', 30],
      ['SE', 15],
      [1980, 10],
    ])
  })

  it('P21: whoever is hidden is a person without name, year or country, and is nobody else’s namesake', async () => {
    const hidden = { fodselsaar: 1950, land: 'NO', skjult: true }
    const { answer, oppover } = await upwards({
      1: {
        holders: [
          [2, 50],
          ['HEMMELIG', hidden, 50],
        ],
      },
      2: { holders: [['HEMMELIG', hidden, 100]] },
    })
    expect(oppover.eiere.map(({ eier, effektivProsent }) => [eier, effektivProsent])).toEqual(
      ['p1', 'p2'].map((id) => [
        {
          id,
          type: 'person',
          navn: null,
          organisasjonsnummer: null,
          fodselsaar: null,
          landkode: null,
          skjult: true,
          aksjonaerId: null,
        },
        50,
      ]),
    )
    expect(JSON.stringify(answer)).not.toMatch(/HEMMELIG|1950/)
  })

  it('P20: what ends in several circles without an outside adds up', async () => {
    const { oppover } = await upwards({
      1: {
        holders: [
          [2, 30],
          [4, 50],
          ['OLA', 20],
        ],
      },
      2: { holders: [[3, 1]] },
      3: { holders: [[2, 1]] },
      4: { holders: [[5, 1]] },
      5: { holders: [[4, 1]] },
    })
    expect(oppover.ubestemtProsent).toBe(80)
  })

  it('the same books give the same answer to the letter', async () => {
    const companies: Record<number, Company> = {
      1: {
        holders: [
          [3, 25],
          [2, 25],
          ['KARI', 25],
          ['OLA', 25],
        ],
      },
      2: {
        holders: [
          [3, 50],
          ['OLA', 50],
        ],
      },
      3: {
        holders: [
          [2, 50],
          ['KARI', 50],
        ],
      },
    }
    const first = await upwards(companies)
    const second = await upwards(companies)
    expect(JSON.stringify(first.answer)).toBe(JSON.stringify(second.answer))
  })
})

function six(percent: number): number {
  return Math.round(percent * 1e6) / 1e6
}

function sum(owners: Record<string, number | null>): number {
  return Object.values(owners).reduce<number>((total, each) => total + (each ?? 0), 0)
}

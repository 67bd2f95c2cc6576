import { describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { Eierskap } from '#src/record/eierskap/eierskap.ts'
import { type OwnershipQuestion, readOwnership } from '#src/record/eierskap/read-ownership.ts'
import { compilePromised } from '#test/support/promised.ts'
import { type Company, inventedRegister } from './invented-register.ts'

const shape = compilePromised(Eierskap)

describe('what a company owns', () => {
  it('more than half is a subsidiary and is followed; 20 to 50 % is an associate and is not', async () => {
    const { subsidiaries, associates, calls } = await downwards({
      2: {
        holders: [
          [1, 51],
          ['OLA', 49],
        ],
      },
      3: {
        holders: [
          [1, 50],
          ['OLA', 50],
        ],
      },
      4: {
        holders: [
          [1, 20],
          ['OLA', 80],
        ],
      },
      5: {
        holders: [
          [1, 19],
          ['OLA', 81],
        ],
      },
      6: { holders: [[2, 100]] },
      7: { holders: [[3, 100]] },
    })
    expect(subsidiaries).toEqual([
      ['000000002', 51, 1],
      ['000000006', 100, 2],
    ])
    expect(associates).toEqual([
      ['000000003', 50, 1],
      ['000000004', 20, 1],
    ])
    expect(calls.owns).toEqual([[1], [2], [6]])
  })

  it('what it owns itself is listed largest first, however little', async () => {
    const { answer } = await downwards({
      2: {
        holders: [
          [1, 1],
          ['OLA', 999],
        ],
      },
      3: {
        holders: [
          [1, 9],
          ['OLA', 1],
        ],
      },
      4: { total: null, holders: [[1, 5]] },
    })
    expect(answer.eierI).toEqual({
      antall: 3,
      andeler: [
        { organisasjonsnummer: '000000003', navn: 'SELSKAP 3 AS', aksjer: 9, prosent: 90 },
        { organisasjonsnummer: '000000002', navn: 'SELSKAP 2 AS', aksjer: 1, prosent: 0.1 },
        { organisasjonsnummer: '000000004', navn: 'SELSKAP 4 AS', aksjer: 5, prosent: null },
      ],
    })
    expect(answer.flagg.ubestemt).toBe(true)
  })

  it('P20: no control is made up from a total of 0, or from a book with above 150 % of it', async () => {
    const { subsidiaries, associates, answer } = await downwards({
      2: {
        total: 0,
        holders: [
          [1, 60],
          ['OLA', 40],
        ],
      },
      3: {
        total: 100,
        holders: [
          [1, 80],
          ['OLA', 80],
        ],
      },
    })
    expect([subsidiaries, associates]).toEqual([[], []])
    expect(answer.eierI?.andeler.map(({ prosent }) => prosent)).toEqual([null, null])
  })

  it('P20: between 100 and 150 % the parts are scaled here as they are upwards', async () => {
    const { associates, answer } = await downwards({
      2: {
        total: 100,
        holders: [
          [1, 60],
          ['OLA', 60],
        ],
      },
    })
    expect(associates).toEqual([['000000002', 50, 1]])
    expect(answer.flagg.justert).toBe(true)
  })

  it('P20: a group that owns its own parent ends, and is marked', async () => {
    const { subsidiaries, answer, calls } = await downwards({
      1: {
        holders: [
          [3, 60],
          ['OLA', 40],
        ],
      },
      2: {
        holders: [
          [1, 60],
          ['OLA', 40],
        ],
      },
      3: {
        holders: [
          [2, 60],
          ['OLA', 40],
        ],
      },
    })
    expect(subsidiaries.map(([orgnr]) => orgnr)).toEqual(['000000002', '000000003'])
    expect(answer.flagg.sirkulaer).toBe(true)
    expect(calls.owns).toHaveLength(3)
  })

  it('P20: a company with a stake in its own parent is a circle, however small the stake', async () => {
    const { answer } = await downwards({
      1: {
        holders: [
          [2, 1],
          ['OLA', 99],
        ],
      },
      2: {
        holders: [
          [1, 60],
          ['OLA', 40],
        ],
      },
    })
    expect(answer.flagg.sirkulaer).toBe(true)
  })

  it('own shares are no holding and no circle', async () => {
    const { ports } = inventedRegister({ 2: { holders: [[1, 100]] } })
    const own = { eier: 1, eid: 1, aksjer: 10, navn: 'SELSKAP 1 AS', aksjerTotalt: 10 }
    const withOwn = {
      ...ports,
      owns: async (orgnrs: readonly number[]) => [own, ...(await ports.owns(orgnrs))],
    }
    const answer = await readOwnership(1, { aar: 2025, retning: 'ned' }, withOwn)
    expect(answer.eierI?.antall).toBe(1)
    expect(answer.flagg.sirkulaer).toBe(false)
  })

  it('an associate that the group turns out to have more than half of is a subsidiary alone', async () => {
    const { subsidiaries, associates } = await downwards({
      2: { holders: [[1, 100]] },
      3: {
        holders: [
          [1, 30],
          [2, 70],
        ],
      },
    })
    expect(subsidiaries).toEqual([
      ['000000002', 100, 1],
      ['000000003', 70, 2],
    ])
    expect(associates).toEqual([])
  })

  it('P20: limits of depth set avkortet', async () => {
    const companies: Record<number, Company> = {
      2: { holders: [[1, 100]] },
      3: { holders: [[2, 100]] },
      4: { holders: [[3, 100]] },
    }
    const cut = await downwards(companies, { dybde: 2 })
    expect(cut.subsidiaries).toHaveLength(2)
    expect(cut.answer.flagg.avkortet).toBe(true)
    const whole = await downwards(companies)
    expect(whole.subsidiaries).toHaveLength(3)
    expect(whole.answer.flagg.avkortet).toBe(false)
  })

  it('P20: limits of nodes set avkortet, and the largest stakes are kept', async () => {
    const companies: Record<number, Company> = {}
    for (let i = 2; i <= 11; i++)
      companies[i] = {
        holders: [
          [1, 60 + i],
          ['OLA', 40 - i],
        ],
      }
    const { subsidiaries, answer } = await downwards(companies, { noder: 3 })
    expect(subsidiaries.map(([orgnr]) => orgnr)).toEqual(['000000011', '000000010', '000000009'])
    expect(answer.flagg.avkortet).toBe(true)
    expect(answer.eierI?.antall).toBe(10)
  })

  it('what a public owner owns is named one level down and is no group', async () => {
    const { subsidiaries, answer, calls } = await downwards(
      { 2: { holders: [[1, 100]] }, 3: { holders: [[2, 100]] } },
      { navn: 'OSLO KOMMUNE' },
    )
    expect(subsidiaries.map(([orgnr]) => orgnr)).toEqual(['000000002'])
    expect(calls.owns).toEqual([[1]])
    expect(answer).toMatchObject({ navn: 'OSLO KOMMUNE', flagg: { avkortet: false } })
  })

  it('two that both seem to have more than half of a company have it once', async () => {
    const edge = (eier: number, eid: number, aksjer: number) => ({
      eier,
      eid,
      aksjer,
      navn: null,
      aksjerTotalt: 100,
    })
    const edges = [edge(1, 2, 60), edge(1, 3, 60), edge(2, 4, 60), edge(3, 4, 70)]
    const asked: number[][] = []
    const owns = async (orgnrs: readonly number[]) => {
      asked.push([...orgnrs])
      return edges.filter(({ eier }) => orgnrs.includes(eier))
    }
    const answer = await readOwnership(1, { aar: 2025, retning: 'ned' }, { books: async () => [], owns })
    expect(
      answer.nedover?.datterselskap.map(({ organisasjonsnummer, eier }) => [organisasjonsnummer, eier]),
    ).toEqual([
      ['000000002', '000000001'],
      ['000000003', '000000001'],
      ['000000004', '000000003'],
    ])
    expect(asked).toEqual([[1], [2, 3], [4]])
  })

  it('P20: no list is longer than policy allows; how many there are is still told', async () => {
    const companies: Record<number, Company> = {}
    for (let i = 2; i <= 11; i++) {
      companies[i] = {
        holders: [
          [1, 30],
          ['OLA', 70],
        ],
      }
    }
    const { ports } = inventedRegister(companies)
    const limits = { ...policy.eierskap, holdingsMax: 4 }
    const answer = await readOwnership(1, { aar: 2025, retning: 'ned' }, ports, limits)
    expect(answer.eierI).toMatchObject({ antall: 10, andeler: { length: 4 } })
    expect(answer.nedover?.tilknyttede).toHaveLength(4)
    expect(answer.flagg.avkortet).toBe(true)
  })

  it('the direction that was not asked for is null, and only the company’s own name is looked up there', async () => {
    const { ports, calls } = inventedRegister({ 1: { holders: [['OLA', 1]] } })
    const up = await readOwnership(1, { aar: 2024, retning: 'opp' }, ports)
    expect(up).toMatchObject({ nedover: null, eierI: null, gjelderPer: '2024-12-31' })
    const down = await readOwnership(1, { aar: 2024, retning: 'ned' }, ports)
    expect(down.oppover).toBeNull()
    expect([down.navn, down.harAksjebok]).toEqual([up.navn, true])
    expect(calls).toEqual({ books: [[1], [1]], owns: [[1]] })
  })

  it('a depth beyond what policy allows is policy’s', async () => {
    const companies: Record<number, Company> = {}
    for (let i = 2; i <= 40; i++) companies[i] = { holders: [[i - 1, 100]] }
    const { calls, answer } = await downwards(companies, { dybde: 1000 })
    expect(calls.owns).toHaveLength(20)
    expect(answer.flagg.avkortet).toBe(true)
  })
})

async function downwards(companies: Record<number, Company>, question: Partial<OwnershipQuestion> = {}) {
  const { ports, calls } = inventedRegister(companies)
  const answer = await readOwnership(1, { aar: 2025, retning: 'ned', ...question }, ports)
  expect([...shape.Errors(answer)]).toEqual([])
  const brief = (list: { organisasjonsnummer: string; prosent: number | null; ledd: number }[] = []) =>
    list.map(({ organisasjonsnummer, prosent, ledd }) => [organisasjonsnummer, prosent, ledd])
  return {
    answer,
    calls,
    subsidiaries: brief(answer.nedover?.datterselskap),
    associates: brief(answer.nedover?.tilknyttede),
  }
}

import { describe, expect, it } from 'vitest'
import { upwards } from './ask-upwards.ts'
import type { Company } from './invented-register.ts'

describe('where a chain of owners ends', () => {
  it('P20: limits of depth set avkortet, and the company that was not looked into is where the chain ends', async () => {
    const { owners, answer, oppover, calls } = await upwards(
      { 1: { holders: [[2, 100]] }, 2: { holders: [[3, 100]] }, 3: { holders: [['OLA', 100]] } },
      { dybde: 2 },
    )
    expect(owners).toEqual({ '000000003': 100 })
    expect(oppover.eiere[0]).toMatchObject({ ende: 'avkortet', ledd: 2 })
    expect(answer.flagg.avkortet).toBe(true)
    expect(oppover.kontrollkjede.ende).toBe('avkortet')
    expect(calls.books).toHaveLength(2)
  })

  it('P20: limits of nodes set avkortet, and the weightiest are looked into first', async () => {
    const { owners, answer, calls } = await upwards(
      {
        1: {
          holders: [
            [2, 20],
            [3, 50],
            [4, 30],
          ],
        },
        3: { holders: [['OLA', 100]] },
        4: { holders: [['KARI', 100]] },
        2: { holders: [['ANNE', 100]] },
      },
      { noder: 3 },
    )
    expect(owners).toEqual({ OLA: 50, KARI: 30, '000000002': 20 })
    expect(answer.flagg.avkortet).toBe(true)
    expect(calls.books).toEqual([[1], [3, 4]])
  })

  it('an answer without limits reached is not cut, and asks once for each level', async () => {
    const { answer, calls } = await upwards({
      1: {
        holders: [
          [2, 50],
          [3, 50],
        ],
      },
      2: { holders: [[4, 100]] },
      3: { holders: [[4, 100]] },
      4: { holders: [['OLA', 100]] },
    })
    expect(answer.flagg).toEqual({ avkortet: false, sirkulaer: false, ubestemt: false, justert: false })
    expect(calls.books).toEqual([[1], [2, 3], [4]])
  })

  it('the chain of control goes on where its product falls below the floor', async () => {
    const chain: Record<number, Company> = {}
    for (let i = 1; i <= 9; i++)
      chain[i] = {
        holders: [
          [i + 1, 51],
          [`EIER ${i}`, 49],
        ],
      }
    chain[10] = {
      holders: [
        ['OLA', 51],
        ['KARI', 49],
      ],
    }
    const { oppover } = await upwards(chain)
    expect(oppover.kontrollkjede.ledd).toHaveLength(10)
    expect(oppover.kontrollkjede.ledd.at(-1)?.eier.navn).toBe('OLA')
    expect(oppover.kontrollkjede).toMatchObject({
      ende: 'endelig',
      konsernspiss: { organisasjonsnummer: '000000010' },
    })
  })

  it('exactly half is not control', async () => {
    const { oppover } = await upwards({
      1: {
        holders: [
          [2, 50],
          [3, 50],
        ],
      },
    })
    expect(oppover.kontrollkjede).toMatchObject({
      ledd: [],
      konsernspiss: null,
      ende: 'ingen_over_halvparten',
    })
  })

  it('P20: a chain of control that comes round ends there', async () => {
    const { oppover } = await upwards({
      1: {
        holders: [
          [2, 60],
          ['OLA', 40],
        ],
      },
      2: {
        holders: [
          [3, 60],
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
    expect(oppover.kontrollkjede.ledd.map(({ eier }) => eier.organisasjonsnummer)).toEqual([
      '000000002',
      '000000003',
      '000000002',
    ])
    expect(oppover.kontrollkjede).toMatchObject({ ende: 'sirkel', konsernspiss: null })
  })

  it('a public owner ends the chain, and is not the head of the group', async () => {
    const state = { navn: 'STATEN V/NÆRINGSDEPARTEMENTET' }
    const { oppover, calls } = await upwards({
      1: { holders: [[2, 100]] },
      2: {
        holders: [
          [3, state, 67],
          ['OLA', 33],
        ],
      },
      3: { holders: [['NOEN', 100]] },
    })
    expect(oppover.eiere[0]).toMatchObject({
      eier: { type: 'offentlig' },
      effektivProsent: 67,
      ende: 'offentlig',
    })
    expect(oppover.kontrollkjede).toMatchObject({
      ende: 'offentlig',
      konsernspiss: { organisasjonsnummer: '000000002' },
    })
    expect(calls.books.flat()).not.toContain(3)
  })

  it('a nominee ends the chain and is labelled', async () => {
    const { oppover, calls } = await upwards({
      1: {
        holders: [
          [2, { navn: 'NORTHERN NOMINEES LTD' }, 60],
          ['CLEARSTREAM BANKING S.A.', { land: 'LU' }, 40],
        ],
      },
    })
    expect(oppover.eiere.map(({ eier, ende }) => [eier.type, ende])).toEqual([
      ['forvalter', 'forvalter'],
      ['forvalter', 'forvalter'],
    ])
    expect(calls.books).toEqual([[1]])
  })

  it('a chain of control names the same party as the list of owners', async () => {
    const { oppover } = await upwards({
      1: {
        holders: [
          ['KARI', 40],
          [2, 60],
        ],
      },
      2: { holders: [['OLA', 100]] },
    })
    const last = oppover.kontrollkjede.ledd.at(-1)?.eier
    expect(last).toEqual(oppover.eiere.find(({ eier }) => eier.navn === 'OLA')?.eier)
  })

  it('a company below the floor is not looked into', async () => {
    const { calls, answer } = await upwards({
      1: {
        holders: [
          [2, 4],
          ['OLA', 996],
        ],
      },
      2: { holders: [['KARI', 100]] },
    })
    expect(calls.books).toEqual([[1]])
    expect(answer.flagg.avkortet).toBe(false)
  })

  it('a public owner ends the chain of control also where another book calls it something else', async () => {
    const { oppover } = await upwards({
      1: {
        holders: [
          [3, { navn: 'OSLO KOMMUNE' }, 60],
          [2, 40],
        ],
      },
      2: { holders: [[3, { navn: 'OSLO KOMM' }, 100]] },
      3: { holders: [['NOEN', 100]] },
    })
    expect(oppover.kontrollkjede.ledd).toHaveLength(1)
    expect(oppover.kontrollkjede).toMatchObject({ ende: 'offentlig', konsernspiss: null })
  })

  it('P20: a circle beyond what is solved is left undetermined', async () => {
    const companies: Record<number, Company> = {
      1: { holders: [[2, 1]] },
      2: { holders: [[3, 1]] },
      3: { holders: [[4, 1]] },
      4: {
        holders: [
          [2, 50],
          ['OLA', 50],
        ],
      },
    }
    const solved = await upwards(companies, {}, { circleMax: 3 })
    expect(solved.owners).toEqual({ OLA: 100 })
    const left = await upwards(companies, {}, { circleMax: 2 })
    expect(left.owners).toMatchObject({ OLA: null, '000000002': null })
    expect(left.oppover.ubestemtProsent).toBe(100)
    expect(left.answer.flagg).toMatchObject({ ubestemt: true, sirkulaer: true })
  })

  it('P20: no list is longer than policy allows, and what was left out is said', async () => {
    const many = Array.from({ length: 40 }, (_, i): [string, number] => [`EIER ${i}`, 1])
    const fewRelations = await upwards({ 1: { holders: many } }, {}, { relationsMax: 5 })
    expect(fewRelations.oppover.ledd[0]?.forhold).toHaveLength(5)
    expect(fewRelations.answer.flagg.avkortet).toBe(true)
    const fewOwners = await upwards({ 1: { holders: many } }, {}, { ownersMax: 5 })
    expect(fewOwners.oppover.eiere).toHaveLength(5)
    expect(fewOwners.answer.flagg.avkortet).toBe(true)
    const unknown = await upwards({ 1: { total: null, holders: many } }, {}, { holdersWithoutPartMax: 5 })
    expect(unknown.oppover.eiere).toHaveLength(5)
    expect(unknown.oppover.ovrige.antall).toBe(35)
    const fewCompanies = await upwards({ 1: { holders: [[2, 1]] } }, { noder: 9 }, { companiesMax: 1 })
    expect(fewCompanies.calls.books).toEqual([[1]])
  })
})

import { describe, expect, test } from 'vitest'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { UnitChange } from '#src/sources/enhetsregisteret/changes.ts'
import { companySources } from '#src/sources/index.ts'
import { effectsOf } from '#workers/effects.ts'

const A = '111111111' as Organisasjonsnummer
const B = '222222222' as Organisasjonsnummer
const AT = new Date('2026-10-20T22:01:00Z')
const LATER = new Date('2026-10-20T22:02:00Z')

const unit = (more: Partial<UnitChange> = {}): UnitChange => ({
  id: 1,
  at: AT,
  organisasjonsnummer: A,
  kind: 'Endring',
  changedPaths: ['/navn'],
  ...more,
})
const touched = (feed: 'enheter' | 'underenheter', ...events: UnitChange[]) =>
  [...effectsOf({ feed, events }).changes].map(([company, parts]) => [company, [...parts].sort()])

describe('P17: what an event touches', () => {
  test('a change of a unit touches the unit alone', () => {
    expect(touched('enheter', unit())).toEqual([[A, ['enhet']]])
    expect(touched('underenheter', unit())).toEqual([[A, ['underenhet']]])
  })

  test.each([
    [
      'the accounts too when the year of the last changed',
      ['/navn', '/sisteInnsendteAarsregnskap'],
      ['regnskap', 'regnskapskopier'],
    ],
    ['the group too when whether it is in one changed', ['/erIKonsern'], ['konsern']],
    ['the sub-units too when the number of employees changed', ['/antallAnsatte'], ['underenheter']],
    [
      'all of them when the whole of it changed',
      [''],
      ['konsern', 'regnskap', 'regnskapskopier', 'underenheter'],
    ],
    [
      'all of them when nobody told what changed',
      null,
      ['konsern', 'regnskap', 'regnskapskopier', 'underenheter'],
    ],
  ])('%s', (_, changedPaths, also) => {
    expect(touched('enheter', unit({ changedPaths }))).toEqual([[A, ['enhet', ...also]]])
  })

  test('a sub-unit has no accounts, whatever is not told', () => {
    expect(touched('underenheter', unit({ changedPaths: null }))).toEqual([[A, ['underenhet']]])
  })

  test.each(['enheter', 'underenheter'] as const)('a deletion in %s touches everything', (feed) => {
    expect(touched(feed, unit({ kind: 'Sletting' }))).toEqual([[A, [...companySources].sort()]])
  })

  test.each(['Ny', 'Ukjent'] as const)('%s says nothing of what changed', (kind) => {
    expect(touched('enheter', unit({ kind, changedPaths: null }))).toEqual([
      [A, ['enhet', 'konsern', 'regnskap', 'regnskapskopier', 'underenheter']],
    ])
  })

  test('a change of roles touches the mandates too, which have no feed', () => {
    const events = [{ id: '1', at: AT, organisasjonsnummer: A }]
    const { changes } = effectsOf({ feed: 'roller', events })
    expect([...changes].map(([company, parts]) => [company, [...parts]])).toEqual([
      [A, ['roller', 'signatur', 'prokura']],
    ])
  })

  test('several events of one company are one change of all they touch', () => {
    const events = [unit(), unit({ organisasjonsnummer: B }), unit({ id: 2, changedPaths: null })]
    expect(touched('enheter', ...events)).toEqual([
      [A, ['enhet', 'konsern', 'regnskap', 'regnskapskopier', 'underenheter']],
      [B, ['enhet']],
    ])
  })
})

describe('P11: a removed company', () => {
  test('is to be erased, by its latest removal, and is no change besides', () => {
    const events = [
      unit(),
      unit({ kind: 'Fjernet', at: AT }),
      unit({ kind: 'Fjernet', at: LATER }),
      unit(),
      unit({ organisasjonsnummer: B }),
    ]
    const { changes, removals } = effectsOf({ feed: 'enheter', events })
    expect(removals).toEqual([{ organisasjonsnummer: A, at: LATER }])
    expect([...changes.keys()]).toEqual([B])
  })
})

import { describe, expect, it } from 'vitest'
import { fromStored, toStored } from '#src/record/stored-answer.ts'
import type { Answer } from '#src/sources/source.ts'
import { enhet } from './parts.ts'

const fetchedAt = new Date('2026-11-21T10:00:00.123Z')

describe('a source’s answer in the cache', () => {
  it.each<Answer<unknown>>([
    { outcome: 'found', value: enhet({ navn: 'ÆØÅ «LYNGHEI» 漢 AS' }), avvik: ['/kapital'], fetchedAt },
    { outcome: 'found', value: [], avvik: [], fetchedAt },
    { outcome: 'absent', fetchedAt },
    { outcome: 'removed', slettedato: null, fetchedAt },
    { outcome: 'unsupported', certain: false, fetchedAt },
  ])('comes out as it went in: $outcome', (answer) => {
    const stored = toStored(answer)
    expect(stored.state).toBe(answer.outcome)
    expect(fromStored(stored)).toEqual(answer)
  })
})

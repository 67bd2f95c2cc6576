import { describe, expect, it } from 'vitest'
import { samplesAt } from '#src/samples/samples.ts'
import { judgeDrifts } from '#test/oracle/all-drifts.ts'
import { recordedAnswers } from '#test/support/recorded-answers.ts'

const recorded = recordedAnswers()

describe('P70: every field of every answer, changed in every way', () => {
  it('of invented companies: nothing is invented, nothing is lost', async () => {
    const { tried, faults } = await judgeDrifts(samplesAt(new Date('2026-11-22T06:00:00Z')), 'each company')
    expect(tried).toBeGreaterThan(25_000)
    expect([...faults.values()]).toEqual([])
  })

  it.skipIf(recorded === null)('of recorded companies: the same', async () => {
    if (recorded === null) return
    const { tried, faults } = await judgeDrifts(recorded, 'each company')
    expect(tried).toBeGreaterThan(10_000)
    expect([...faults.values()]).toEqual([])
  })
})

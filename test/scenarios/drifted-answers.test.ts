import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { samplesAt } from '#src/samples/samples.ts'
import { judgeDrifts, judgeRecords } from '#test/oracle/all-drifts.ts'
import { recordedAnswers } from '#test/support/recorded-answers.ts'

const samples = samplesAt(new Date('2026-11-22T06:00:00Z'))
const recorded = recordedAnswers()

describe('P70: an answer with one field changed', () => {
  it('is judged by who shares no code with what is judged', () => {
    const own = ['judge', 'drift', 'leaves'].map((name) => `test/oracle/${name}.ts`)
    expect(globSync('test/oracle/*.ts').filter((file) => own.includes(file)).length).toBe(3)
    for (const file of own) expect(readFileSync(file, 'utf8')).not.toContain('#src')
  })

  it('of invented companies: nothing is invented, nothing is lost, and what can not be read is named', async () => {
    const { tried, faults } = await judgeDrifts(samples, 5)
    expect(tried).toBeGreaterThan(5_000)
    expect([...faults.values()]).toEqual([])
  })

  it.skipIf(recorded === null)('of recorded companies: the same', async () => {
    if (recorded === null) return
    const { tried, faults } = await judgeDrifts(recorded, 2)
    expect(tried).toBeGreaterThan(5_000)
    expect([...faults.values()]).toEqual([])
  })

  it('what a record says, text by text and number by number, stands in the answers it was made of', async () => {
    expect(await judgeRecords(samples)).toEqual([])
    if (recorded !== null) expect(await judgeRecords(recorded)).toEqual([])
  })
})

import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { samplesAt } from '#src/samples/samples.ts'
import { unseenAnswers } from '#test/fixtures/unseen-answers.ts'
import { judgeDrifts, judgePages, judgeRecords, judgeWhole } from '#test/oracle/all-drifts.ts'
import { recordedAnswers } from '#test/support/recorded-answers.ts'

const samples = samplesAt(new Date('2026-11-22T06:00:00Z'))
const recorded = recordedAnswers()
const unseen = unseenAnswers(samples.klass)

/** Every field there is, in every way, once; `test/heavy` changes it in every company that has it. */
describe('P70: an answer with one field changed', () => {
  it('is judged by who shares no code with what is judged', () => {
    const own = ['judge', 'drift', 'leaves', 'announcement-judge', 'announcement-pages'].map(
      (name) => `test/oracle/${name}.ts`,
    )
    expect(globSync('test/oracle/*.ts').filter((file) => own.includes(file)).length).toBe(own.length)
    for (const file of own) expect(readFileSync(file, 'utf8')).not.toContain('#src')
  })

  it('of invented companies: nothing is invented, nothing is lost, and what can not be read is named', async () => {
    const { tried, faults } = await judgeDrifts(samples, 'each place')
    expect(tried).toBeGreaterThan(2_500)
    expect([...faults.values()]).toEqual([])
  })

  it.skipIf(recorded === null)('of recorded companies: the same', async () => {
    if (recorded === null) return
    const { tried, faults } = await judgeDrifts(recorded, 'each place')
    expect(tried).toBeGreaterThan(2_000)
    expect([...faults.values()]).toEqual([])
  })

  it('of companies nobody recorded, of rare forms and with little told: the same', async () => {
    const { tried, faults } = await judgeDrifts(unseen, 'each place')
    expect(tried).toBeGreaterThan(1_500)
    expect([...faults.values()]).toEqual([])
  })

  it('a company nobody recorded is answered whole, and nothing of it is said to be unreadable', async () => {
    expect(await judgeWhole(unseen)).toEqual([])
    expect(await judgeRecords(unseen)).toEqual([])
  })

  it('of announcements, whose page is HTML: rows gone, dates in other forms, tags nobody knows, the page cut: the same', async () => {
    const { tried, faults } = await judgePages(samples, 1)
    expect(tried).toBeGreaterThan(200)
    expect([...faults.values()]).toEqual([])
  })

  it('what a record says, text by text and number by number, stands in the answers it was made of', async () => {
    expect(await judgeRecords(samples)).toEqual([])
    if (recorded !== null) expect(await judgeRecords(recorded)).toEqual([])
  })
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { askOf } from '#src/sources/ask.ts'
import { createFeedSource } from '#src/sources/enhetsregisteret/feeds.ts'
import { enhet } from '#src/sources/enhetsregisteret/unit.ts'
import { tooMuchJson } from '#src/upstream/json-bounds.ts'
import { answering, ORGNR, patient } from '../sources/asking.ts'

const MEGABYTES_4 = 4 * 1024 * 1024

it.each([
  ['nested brackets', '['.repeat(MEGABYTES_4)],
  ['nested objects', '{"a":'.repeat(MEGABYTES_4 / 5)],
  ['empty objects', `[${'{},'.repeat(MEGABYTES_4 / 3)}{}]`],
  ['lists as deep as they may be', `[${`${'['.repeat(60)}${']'.repeat(60)},`.repeat(34_000)}1]`],
  ['numbers', `[${'1,'.repeat(MEGABYTES_4 / 2)}1]`],
])('P43: 4 MB of %s from a register are refused before they are parsed', async (_what, text) => {
  const ask = askOf(
    enhet,
    answering({ body: Buffer.from(text), contentType: 'application/json', status: 200 }),
  )
  const before = process.cpuUsage()
  await expect(ask(ORGNR, patient())).rejects.toThrow('the answer is not believed')
  const { user } = process.cpuUsage(before)
  // Parsed they take a second; looked at, as long as it takes to see that it is too much.
  expect(user / 1000).toBeLessThan(300)
})

it('P176: a page of a feed is no longer than others: a million empty changes are refused before they are parsed', async () => {
  const text = `{"_embedded":{"oppdaterteEnheter":[${'{},'.repeat(1_000_000)}{}]},"page":{"totalElements":1}}`
  const feeds = createFeedSource(answering({ body: Buffer.from(text) }))
  const asked = feeds.fetchUnitChanges('enheter', { fromId: 1 }, 1000, patient())
  await expect(asked).rejects.toThrow('more than 50000 values')
})

it('depth and values are counted as they are, whatever stands in strings', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = Buffer.from(JSON.stringify(value))
      const { depth, values } = measure(value)
      expect(tooMuchJson(text, { depthMax: depth, valuesMax: values })).toBeNull()
      if (depth > 0) expect(tooMuchJson(text, { depthMax: depth - 1, valuesMax: values })).toMatch(/nested/)
    }),
  )
})

/** Values as the bound counts them: no fewer than there are. */
function measure(value: unknown): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 1 }
  const parts = Object.values(value).map(measure)
  return {
    depth: 1 + Math.max(0, ...parts.map(({ depth }) => depth)),
    values: 2 + parts.reduce((sum, { values }) => sum + values, 0),
  }
}

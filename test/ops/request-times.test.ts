import { Histogram, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { RequestTimes } from '#src/ops/request-times.ts'

const BOUNDS = [0.001, 0.01, 1]
const ABOUT = { name: 'seconds', help: 'Answered requests.' }

it('P128: requests are told as the library’s own histogram would tell them, as text and as values', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  const times = new RequestTimes({ ...ABOUT, bounds: BOUNDS, registers: [ours] })
  const labelNames = ['rute', 'status', 'hentet'] as const
  const histogram = new Histogram({ ...ABOUT, labelNames, buckets: BOUNDS, registers: [theirs] })
  expect(await ours.metrics()).toBe(await theirs.metrics())
  for (const [rute, status, hentet] of [
    ['/api/bedrift/:orgnr', 200, 'svar'],
    ['/api/bedrift/:orgnr', 304, 'svar'],
    [null, 404, null],
  ] as const) {
    for (const ms of [0, 0.5, 1, 1.5, 10, 999, 1000, 60_000]) {
      times.add({ rute, status, hentet, ms })
      histogram.labels(rute ?? 'ingen', String(status), hentet ?? '').observe(ms / 1000)
    }
  }
  expect(await ours.metrics()).toBe(await theirs.metrics())
  expect(values(await ours.getMetricsAsJSON())).toEqual(values(await theirs.getMetricsAsJSON()))
})

/** Without what the library has of examples, which nobody asked it for. */
function values(metrics: object[]): unknown {
  return JSON.parse(JSON.stringify(metrics, (key, value) => (key === 'exemplar' ? undefined : value)))
}

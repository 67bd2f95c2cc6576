import { expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { jobs } from '#src/queue/jobs.ts'
import { createLinePlaces } from '#src/queue/line-places.ts'

const { perSecond, placesMax } = policy.refresh.places

function open() {
  let nowMs = 0
  const placeOf = createLinePlaces({ ...policy.refresh.places, nowMs: () => nowMs })
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { placeOf, pass }
}

it('P61: each who asks has a line of their own: however long one is, another’s first is the first', () => {
  const { placeOf } = open()
  for (let each = 0; each < 1000; each++) expect(placeOf('one')).toBe(each)
  expect([placeOf('another'), placeOf('another'), placeOf('one')]).toEqual([0, 1, 1000])
})

it('P61: what several ask for stands in the shortest of their lines, and makes that longer', () => {
  const { placeOf } = open()
  for (let each = 0; each < 1000; each++) placeOf('one')
  expect([placeOf('one', 'another'), placeOf('another', 'one'), placeOf('one')]).toEqual([0, 1, 1000])
})

it('P61: a line is worked off meanwhile, and never longer than it may be', () => {
  const { placeOf, pass } = open()
  for (let each = 0; each < 10 * perSecond; each++) placeOf('one')
  pass(5000)
  expect(placeOf('one')).toBe(5 * perSecond)
  pass(60_000)
  expect(placeOf('one')).toBe(0)
  const full = createLinePlaces({ perSecond, linesMax: 1, placesMax: 3, nowMs: () => 0 })
  expect([1, 2, 3, 4, 5, 6].map(() => full('one'))).toEqual([0, 1, 2, 3, 3, 3])
})

it('P61: a refresh has its turn by its place, and stays one job whatever that is', () => {
  const { keyOf, priorityOf } = jobs['refresh-company']
  const refresh = { organisasjonsnummer: '810034882', seksjon: 'enhet' as const }
  const order = [
    { fortalt: true },
    { fortalt: true, plass: 7 },
    { fortalt: true, plass: placesMax },
    {},
    { plass: 7 },
    { kanVente: true },
    { plass: 50 },
    { plass: 50, kanVente: true },
    { plass: placesMax },
  ].map((more) => priorityOf({ ...refresh, ...more }))
  expect(order).toEqual(order.toSorted((a, b) => a - b))
  // Of BullMQ's own.
  expect(order.at(-1)).toBeLessThanOrEqual(2 ** 21)
  expect(new Set([{}, { plass: 7 }].map((more) => keyOf({ ...refresh, ...more }))).size).toBe(1)
})

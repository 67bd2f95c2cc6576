import { expect, test } from 'vitest'
import { createCountLater } from '#src/ops/count-later.ts'
import { eventually } from '#test/support/eventually.ts'

function counting() {
  const counted: [string, number][] = []
  let time = 0
  const later = createCountLater(
    (told: string, at: number) => void counted.push([told, at]),
    () => time++,
  )
  return { ...later, counted }
}

test('what is told is counted when somebody looks, as of when it was told, and once', () => {
  const { hear, countNow, counted } = counting()
  hear('a')
  hear('b')
  expect(counted).toEqual([])
  countNow()
  countNow()
  expect(counted).toEqual([
    ['a', 0],
    ['b', 1],
  ])
})

test('nobody need look for it', async () => {
  const { hear, counted } = counting()
  hear('a')
  await eventually('it is counted', () => counted.length === 1)
})

test('however much is told, little of it waits', () => {
  const { hear, counted } = counting()
  for (let index = 0; index < 2500; index++) hear('a')
  expect(counted.length).toBeGreaterThanOrEqual(1500)
})

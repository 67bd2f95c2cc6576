import { expect, test } from 'vitest'
import { createNumberSet } from '#src/core/number-set.ts'

test('a number is new once, however many there are', () => {
  const set = createNumberSet()
  const numbers = Array.from({ length: 5000 }, (_, index) => 1 + index * 65_536 - (index % 7))
  const positive = numbers.map((number) => (number % (2 ** 31 - 1)) + 1)
  const seen = new Set<number>()
  for (const number of [...positive, ...positive]) {
    expect(set.add(number)).toBe(!seen.has(number))
    seen.add(number)
  }
})

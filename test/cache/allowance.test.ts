import { expect, it } from 'vitest'
import { createAllowance } from '#src/cache/allowance.ts'

it('P129: so many bytes are put away in a time and no more, whatever they come in', () => {
  const may = createAllowance({ bytesMax: 100, withinMs: 1000 })
  expect([may(60, 0), may(50, 1), may(40, 2), may(1, 999)]).toEqual([true, false, true, false])
  // A time later, or by a clock that was set back, there is room for as many again.
  expect([may(100, 1000), may(1, 1500), may(100, 500), may(1, 600)]).toEqual([true, false, true, false])
  expect(may(101, 99_999)).toBe(false)
})

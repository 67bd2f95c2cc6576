import { describe, expect, test } from 'vitest'
import { createPace } from '#src/core/pace.ts'

function paceAt(perSecond: number) {
  const clock = { ms: 0 }
  return { clock, pace: createPace({ perSecond, nowMs: () => clock.ms }) }
}

describe('the pace', () => {
  test('is so many a second and no more; time earns new ones, never above one second’s worth', () => {
    const { pace, clock } = paceAt(2)
    const three = () => [pace(), pace(), pace()]
    expect(three()).toEqual([0, 0, 500])
    clock.ms = 499
    expect(pace()).toBeGreaterThan(0)
    clock.ms = 500
    expect([pace(), pace()]).toEqual([0, 500])
    clock.ms = 3_600_000
    expect(three()).toEqual([0, 0, 500])
  })

  test('leaves some to others, as long as there is ever one more than that', () => {
    const { pace, clock } = paceAt(3)
    expect([pace(1), pace(1), pace(1), pace(), pace()]).toEqual([0, 0, 334, 0, 334])
    clock.ms = 500
    expect([pace(1), pace()]).toEqual([167, 0])
    expect(paceAt(1).pace(1)).toBe(0)
  })

  test('of half a call a second is one in two seconds', () => {
    const { pace, clock } = paceAt(0.5)
    expect([pace(), pace()]).toEqual([0, 2000])
    clock.ms = 1999
    expect(pace()).toBeGreaterThan(0)
    clock.ms = 2000
    expect([pace(), pace()]).toEqual([0, 2000])
    clock.ms = 3_600_000
    expect([pace(), pace()]).toEqual([0, 2000])
  })

  test('is not stopped by a clock that is set back', () => {
    const { pace, clock } = paceAt(1)
    clock.ms = 10_000
    expect(pace()).toBe(0)
    clock.ms = 0
    expect(pace()).toBe(1000)
    clock.ms = 1000
    expect(pace()).toBe(0)
  })
})

import { describe, expect, it } from 'vitest'
import { createNotFoundStorm } from '#src/record/not-found-storm.ts'
import { createTestClock } from '../support/clock.ts'

describe('P10: "nothing here" about companies we know', () => {
  it('is believed a few times, doubted in numbers, and believed again when it has become quiet', () => {
    const clock = createTestClock()
    const storm = createNotFoundStorm({ clock, doubtedFrom: 3, windowMs: 60_000 })
    const told = () => storm.isOneOfMany()
    expect([told(), told(), told(), told()]).toEqual([false, false, true, true])
    clock.advance(59_999)
    expect(told()).toBe(true)
    clock.advance(60_001)
    expect([told(), told(), told()]).toEqual([false, false, true])
  })

  it('now and then is no storm, however long it goes on', () => {
    const clock = createTestClock()
    const storm = createNotFoundStorm({ clock, doubtedFrom: 3, windowMs: 60_000 })
    for (let index = 0; index < 100; index++) {
      expect(storm.isOneOfMany()).toBe(false)
      clock.advance(31_000)
    }
  })

  it('goes on for as long as it rages, with nothing more to remember', () => {
    const clock = createTestClock()
    const storm = createNotFoundStorm({ clock, doubtedFrom: 3, windowMs: 60_000 })
    const told = Array.from({ length: 1000 }, () => {
      clock.advance(100)
      return storm.isOneOfMany()
    })
    expect(told.filter((isMany) => !isMany)).toHaveLength(2)
  })
})

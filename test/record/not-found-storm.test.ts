import { describe, expect, it } from 'vitest'
import { createNotFoundStorm } from '#src/record/not-found-storm.ts'
import { createTestClock } from '../support/clock.ts'

describe('P10: "nothing here" about companies we know', () => {
  const inStorm = () => {
    const clock = createTestClock()
    const storm = createNotFoundStorm({ clock, doubtedFrom: 3, windowMs: 60_000 })
    let companies = 0
    return {
      clock,
      isDoubted: storm.isOneOfMany,
      isNextDoubted: () => storm.isOneOfMany(String(++companies)),
    }
  }

  it('is believed a few times, doubted in numbers, and believed again when it has become quiet', () => {
    const { clock, isNextDoubted: told } = inStorm()
    expect([told(), told(), told(), told()]).toEqual([false, false, true, true])
    clock.advance(59_999)
    expect(told()).toBe(true)
    clock.advance(60_001)
    expect([told(), told(), told()]).toEqual([false, false, true])
  })

  it('now and then is no storm, however long it goes on', () => {
    const { clock, isNextDoubted } = inStorm()
    for (let index = 0; index < 100; index++) {
      expect(isNextDoubted()).toBe(false)
      clock.advance(31_000)
    }
  })

  it('goes on for as long as it rages, with nothing more to remember', () => {
    const { clock, isNextDoubted } = inStorm()
    const told = Array.from({ length: 1000 }, () => {
      clock.advance(100)
      return isNextDoubted()
    })
    expect(told.filter((isMany) => !isMany)).toHaveLength(2)
  })

  it('P10: attack: is not kept up by one of them that is read all the time', () => {
    const { clock, isDoubted, isNextDoubted } = inStorm()
    expect([isNextDoubted(), isNextDoubted(), isDoubted('901012121')]).toEqual([false, false, true])
    for (let seconds = 0; seconds < 60; seconds++) {
      clock.advance(1001)
      isDoubted('901012121')
    }
    expect([isDoubted('901012121'), isNextDoubted()]).toEqual([false, false])
  })
})

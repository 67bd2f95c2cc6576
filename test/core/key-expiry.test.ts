import { describe, expect, test } from 'vitest'
import { daysLeft, expiryOf } from '#src/core/key-expiry.ts'

const left = (expiry: string, now: string) => daysLeft(new Date(expiry), Date.parse(now))

describe('P27: days left', () => {
  test.each([
    ['thirty, to the millisecond', '2027-05-31T12:00:00.000Z', '2027-05-01T12:00:00.000Z', 30],
    ['a begun one counts', '2027-05-31T12:00:00.001Z', '2027-05-01T12:00:00.000Z', 31],
    ['the last millisecond is a day begun', '2027-05-31T12:00:00.000Z', '2027-05-31T11:59:59.999Z', 1],
    ['none at the expiry', '2027-05-31T12:00:00.000Z', '2027-05-31T12:00:00.000Z', 0],
    ['and none after it', '2027-05-31T12:00:00.000Z', '2028-05-31T12:00:00.000Z', 0],
    ['a leap day is a day', '2028-03-15T00:00:00.000Z', '2028-02-15T00:00:00.000Z', 29],
    ['which other years do not have', '2027-03-15T00:00:00.000Z', '2027-02-15T00:00:00.000Z', 28],
    // Norway's clocks: 23 hours on 28 March 2027, 25 on 31 October.
    ['the short day is a whole one', '2027-03-29T08:00:00.000Z', '2027-03-27T08:00:00.000Z', 2],
    ['the long day is one', '2027-11-01T08:00:00.000Z', '2027-10-30T08:00:00.000Z', 2],
  ])('%s', (_, expiry, now, days) => {
    expect(left(expiry, now)).toBe(days)
  })

  test('of a key bought on 29 February: 365 and one begun on the day it is bought, one on 28 February', () => {
    const bought = new Date('2028-02-29T08:15:00.000Z')
    const expiry = expiryOf(bought)
    expect(daysLeft(expiry, bought.getTime())).toBe(366)
    expect(daysLeft(expiry, Date.parse('2029-02-28T08:15:00.000Z'))).toBe(1)
    expect(daysLeft(expiry, Date.parse('2029-02-28T08:14:59.999Z'))).toBe(2)
  })

  test('the same whatever the time zone of the machine', () => {
    const before = process.env.TZ
    try {
      for (const zone of ['Europe/Oslo', 'Pacific/Kiritimati', 'America/St_Johns']) {
        process.env.TZ = zone
        expect(left('2027-03-29T00:30:00Z', '2027-03-28T00:30:00Z')).toBe(1)
        expect(left('2027-11-01T00:30:00Z', '2027-10-31T00:30:00Z')).toBe(1)
      }
    } finally {
      if (before === undefined) delete process.env.TZ
      else process.env.TZ = before
    }
  })
})

import { describe, expect, it } from 'vitest'
import {
  ageSeconds,
  createEntry,
  isFresh,
  isGone,
  mayServeOnError,
  mayServeWhileRevalidating,
  retimed,
  ttlSeconds,
} from '#src/cache/entry.ts'
import { absent, found, HOUR, MINUTE, notFound } from './one-process.ts'

const T = Date.parse('2026-11-02T08:00:00Z')
const lifetime = { freshMs: 10 * HOUR, staleMs: 20 * HOUR, keepMs: 5 * HOUR }
const middle = () => 0.5

describe('an entry', () => {
  it('is fresh, then stale, then only known, then gone', () => {
    const entry = createEntry(found('x'), lifetime, T, middle)
    const at = (hours: number) => {
      const now = T + hours * HOUR
      return [
        isFresh(entry, now),
        mayServeWhileRevalidating(entry, now),
        mayServeOnError(entry, now),
        isGone(entry, now),
      ]
    }
    expect(at(9.999)).toEqual([true, false, true, false])
    expect(at(10)).toEqual([false, true, true, false])
    expect(at(29.999)).toEqual([false, true, true, false])
    expect(at(30)).toEqual([false, false, false, false])
    expect(at(34.999)).toEqual([false, false, false, false])
    expect(at(35)).toEqual([false, false, false, true])
  })

  it('P8: tells its age in whole seconds, and how long it is fresh, below zero when it is not', () => {
    const entry = createEntry(found('x'), lifetime, T, middle)
    expect(ageSeconds(entry, T + 1999)).toBe(1)
    expect(ageSeconds(entry, T - 5000)).toBe(0)
    expect(ttlSeconds(entry, T)).toBe(36_000)
    expect(ttlSeconds(entry, T + 10 * HOUR + 411_500)).toBe(-412)
  })

  it('P14: 10,000 entries filled in one second become stale over at least 20 % of their lifetime, evenly', () => {
    const ends = Array.from({ length: 10_000 }, (_, index) => {
      return createEntry(found('x'), lifetime, T + (index % 1000), Math.random).freshUntil - T
    })
    const earliest = Math.min(...ends)
    const latest = Math.max(...ends)
    expect(latest - earliest).toBeGreaterThan(0.199 * lifetime.freshMs)
    expect(earliest).toBeGreaterThanOrEqual(0.9 * lifetime.freshMs)
    expect(latest).toBeLessThanOrEqual(1.1 * lifetime.freshMs + 1000)
    const tenth = 0.02 * lifetime.freshMs
    const perTenth = Array.from({ length: 10 }, (_, part) => {
      const from = 0.9 * lifetime.freshMs + part * tenth
      return ends.filter((end) => end >= from && end < from + tenth).length
    })
    expect(Math.max(...perTenth)).toBeLessThan(1250)
  })

  it('P10: what is not found is kept for at most five minutes, whatever the jitter, and never served stale', () => {
    for (const random of [0, 0.5, 0.999]) {
      const entry = createEntry(notFound, absent, T, () => random)
      expect(entry.freshUntil - T).toBeLessThanOrEqual(5 * MINUTE)
      expect(entry.freshUntil - T).toBeGreaterThanOrEqual(4 * MINUTE)
      expect(isGone(entry, entry.freshUntil)).toBe(true)
      for (const now of [T, entry.freshUntil - 1, entry.freshUntil, entry.freshUntil + 1]) {
        expect(mayServeWhileRevalidating(entry, now)).toBe(false)
      }
      expect(mayServeOnError(entry, entry.freshUntil)).toBe(false)
    }
  })
})

describe('an entry under another lifetime than it was kept with', () => {
  const entry = createEntry(found('x'), lifetime, T, () => 0.3)

  it('is the very same while the lifetime is', () => {
    for (let tenth = 0; tenth < 10; tenth += 1) {
      const one = createEntry(found('x'), lifetime, T + tenth, () => tenth / 10)
      expect(retimed(one, lifetime)).toBe(one)
    }
  })

  it('obeys at once, in both directions, and goes back', () => {
    const shorter = retimed(entry, { ...lifetime, freshMs: HOUR })
    expect(shorter.freshUntil - T).toBeGreaterThanOrEqual(0.89 * HOUR)
    expect(shorter.freshUntil - T).toBeLessThanOrEqual(1.11 * HOUR)
    expect(shorter.staleUntil).toBe(T + 21 * HOUR)
    const longer = retimed(entry, { ...lifetime, freshMs: 100 * HOUR })
    expect(longer.freshUntil - T).toBeGreaterThanOrEqual(89 * HOUR)
    expect(longer.staleUntil).toBe(T + 120 * HOUR)
    expect(retimed(longer, lifetime).staleUntil).toBe(entry.staleUntil)
  })

  it('P17: stays stale when it was said to be, however long the lifetime becomes', () => {
    const stale = { ...entry, freshUntil: T + HOUR, isSaidStale: true }
    expect(retimed(stale, { ...lifetime, freshMs: 100 * HOUR }).freshUntil).toBe(stale.freshUntil)
    expect(retimed(stale, { ...lifetime, freshMs: MINUTE }).freshUntil).toBeLessThan(T + 2 * MINUTE)
  })

  it('P14: is still spread', () => {
    const ends = Array.from({ length: 1000 }, () => {
      const one = createEntry(found('x'), lifetime, T, Math.random)
      return retimed(one, { ...lifetime, freshMs: 100 * HOUR }).freshUntil
    })
    expect(Math.max(...ends) - Math.min(...ends)).toBeGreaterThan(18 * HOUR)
  })

  it('P10: keeps a limit', () => {
    const gone = createEntry(notFound, absent, T, middle)
    expect(retimed(gone, { ...lifetime, freshMs: 100 * HOUR })).toBe(gone)
  })
})

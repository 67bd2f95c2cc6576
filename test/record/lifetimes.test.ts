import { describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { lifetimeOf } from '#src/record/lifetimes.ts'
import { createNotFoundStorm } from '#src/record/not-found-storm.ts'
import { fromStored, toStored } from '#src/record/stored-answer.ts'
import { type RegisterSource, registerSources } from '#src/sources/index.ts'

const HOUR = 3_600_000
const at = (text: string) => new Date(text)
const winter = at('2026-01-15T00:00:00Z')

describe('lifetimes', () => {
  it.each<[RegisterSource, number]>([
    ['enhet', 24],
    ['underenhet', 24],
    ['roller', 24],
    ['signatur', 24],
    ['prokura', 24],
    ['regnskap', 7 * 24],
    ['kunngjoringer', 0.5],
    ['sok', 1],
  ])('%s is fresh for %s hours and may be shown as stale after', (source, hours) => {
    const lifetime = lifetimeOf(source, 'found', winter, {})
    expect(lifetime?.freshMs).toBe(hours * HOUR)
    expect(lifetime?.staleMs).toBeGreaterThan(0)
  })

  it('the archive is our own: what it does not have is known until it is told otherwise', () => {
    for (const source of ['aksjonaerer', 'eierskap'] as const) {
      for (const outcome of ['found', 'absent'] as const) {
        const lifetime = lifetimeOf(source, outcome, winter, {})
        expect(lifetime).toMatchObject({ freshMs: 24 * HOUR, staleMs: 30 * 24 * HOUR })
      }
    }
  })

  it('accounts are asked for daily while they are being filed', () => {
    for (const day of ['2026-07-01', '2026-08-15', '2026-09-30']) {
      expect(lifetimeOf('regnskap', 'found', at(day), {})?.freshMs).toBe(24 * HOUR)
    }
    expect(lifetimeOf('regnskap', 'found', at('2026-10-01'), {})?.freshMs).toBe(7 * 24 * HOUR)
  })

  it('P10: "nothing here" lives at most five minutes and is never shown as stale, whoever said it', () => {
    for (const source of registerSources) {
      expect(lifetimeOf(source, 'absent', winter, {})).toMatchObject({
        freshMs: 300_000,
        staleMs: 0,
      })
    }
  })

  it('P11: a removed unit is never kept', () => {
    expect(lifetimeOf('enhet', 'removed', winter, {})).toBeNull()
    expect(lifetimeOf('underenhet', 'removed', winter, {})).toBeNull()
  })
})

describe('P10: a storm of "nothing here" about companies that are known', () => {
  it('is doubted from the fifth within a minute, and believed again when it has passed', () => {
    const time = { now: 0 }
    const storm = createNotFoundStorm({ clock: { now: () => new Date(time.now) }, ...policy.notFoundStorm })
    expect(['1', '2', '3', '4'].map(storm.isOneOfMany)).toEqual([false, false, false, false])
    expect(storm.isOneOfMany('5')).toBe(true)
    expect(storm.isOneOfMany('6')).toBe(true)
    time.now += 60_001
    expect(storm.isOneOfMany('7')).toBe(false)
  })
})

describe('what is stored', () => {
  it('comes back as it was', () => {
    const answer = {
      outcome: 'found' as const,
      value: { navn: 'ÆØÅ', tall: 2390749040 },
      avvik: ['/x'],
      fetchedAt: winter,
    }
    expect(fromStored(toStored(answer))).toEqual(answer)
    expect(toStored(answer).state).toBe('found')
  })
})

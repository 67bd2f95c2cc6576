import { describe, expect, it } from 'vitest'
import { createWindowedCount } from '#src/core/windowed-count.ts'

const MINUTE = 60_000

function countsAt({ namesMax = 10 } = {}) {
  const time = { ms: Date.UTC(2026, 10, 21) }
  const clock = { now: () => new Date(time.ms) }
  return { time, counts: createWindowedCount({ clock, windowMs: MINUTE, namesMax }) }
}

describe('what is counted in a window', () => {
  it('counts each name for itself, and reading counts nothing', () => {
    const { counts } = countsAt()
    expect([counts.add('a').count, counts.add('a').count, counts.add('b').count]).toEqual([1, 2, 1])
    expect([counts.read('a').count, counts.read('a').count, counts.read('c').count]).toEqual([2, 2, 0])
  })

  it('ends a window after its first, whatever came later in it, and then begins anew', () => {
    const { counts, time } = countsAt()
    expect(counts.add('a')).toEqual({ count: 1, endsInSeconds: 60 })
    time.ms += 59_500
    expect(counts.add('a')).toEqual({ count: 2, endsInSeconds: 1 })
    time.ms += 500
    expect(counts.read('a')).toEqual({ count: 0, endsInSeconds: 60 })
    expect(counts.add('a')).toEqual({ count: 1, endsInSeconds: 60 })
  })

  it('a clock that was set back keeps nobody for longer than a window', () => {
    const { counts, time } = countsAt()
    counts.add('a')
    time.ms -= 24 * 60 * MINUTE
    expect(counts.add('a')).toEqual({ count: 1, endsInSeconds: 60 })
  })

  it('is bounded: beyond its names the one that was quiet for longest is forgotten', () => {
    const { counts } = countsAt({ namesMax: 2 })
    counts.add('a')
    counts.add('b')
    counts.read('a')
    counts.add('c')
    expect(['a', 'b', 'c'].map((name) => counts.read(name).count)).toEqual([1, 0, 1])
  })
})

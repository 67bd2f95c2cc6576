import { describe, expect, it } from 'vitest'
import { createForcedRefresh } from '#src/record/forced-refresh.ts'

const policy = { perCompanyMs: 60_000, perSecond: 3, companiesMax: 100 }

function createAsker(claim: () => Promise<boolean | null> = async () => null) {
  const time = { now: 1_000_000 }
  const mayRefresh = createForcedRefresh({ claim, clock: { now: () => new Date(time.now) }, policy })
  return { time, mayRefresh }
}

describe('?fersk=true', () => {
  it('is given once per company and minute, and again in the next', async () => {
    const { time, mayRefresh } = createAsker()
    expect(await mayRefresh('1')).toBe('gitt')
    expect(await mayRefresh('1')).toBe('nylig')
    time.now += 59_999
    expect(await mayRefresh('1')).toBe('nylig')
    time.now += 1
    expect(await mayRefresh('1')).toBe('gitt')
  })

  it('is given to one of many who ask at once', async () => {
    const { mayRefresh } = createAsker()
    const answers = await Promise.all(Array.from({ length: 100 }, () => mayRefresh('1')))
    expect(answers.filter((each) => each === 'gitt')).toHaveLength(1)
  })

  it('is given so many times a second over all companies', async () => {
    const { time, mayRefresh } = createAsker()
    const answers = []
    for (const orgnr of ['1', '2', '3', '4']) answers.push(await mayRefresh(orgnr))
    expect(answers).toEqual(['gitt', 'gitt', 'gitt', 'budsjett'])
    time.now += 1000
    expect(await mayRefresh('4')).toBe('gitt')
  })

  it('is refused when another process has had it; a common memory that is away decides nothing', async () => {
    expect(await createAsker(async () => false).mayRefresh('1')).toBe('nylig')
    expect(await createAsker(async () => null).mayRefresh('1')).toBe('gitt')
  })
})

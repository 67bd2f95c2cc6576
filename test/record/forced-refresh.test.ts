import { describe, expect, it } from 'vitest'
import { createForcedRefresh } from '#src/record/forced-refresh.ts'
import { eventually } from '../support/eventually.ts'

const policy = { perCompanyMs: 60_000, perSecond: 3, companiesMax: 100, waitMs: 30, waitingMax: 100 }

function createAsker({
  claim = async () => null,
  ...bounds
}: { claim?: () => Promise<boolean | null> } & Partial<typeof policy> = {}) {
  const time = { now: 1_000_000 }
  const forced = createForcedRefresh({
    claim,
    clock: { now: () => new Date(time.now) },
    policy: { ...policy, ...bounds },
  })
  /** As by a reader whose turn to ask the sources comes at once. */
  const mayRefresh = async (orgnr: string, caller = 'leser') => {
    const turn = await forced.turn(orgnr, caller)
    if (turn !== 'gitt') return turn
    return (await forced.take(orgnr)) ? 'gitt' : 'nylig'
  }
  return { time, mayRefresh, forced }
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

  it('is given so many times a second over all companies, and otherwise when its turn comes in time', async () => {
    const { mayRefresh } = createAsker()
    const first = await Promise.all(['1', '2', '3', '4'].map((orgnr) => mayRefresh(orgnr)))
    expect(first).toEqual(['gitt', 'gitt', 'gitt', 'budsjett'])
    await eventually('there is another turn', async () => (await mayRefresh('4')) === 'gitt')
  })

  it('P61: is given to whoever wants one before the second of whoever wants twenty', async () => {
    const { mayRefresh } = createAsker({ waitMs: 30_000, perSecond: 50 })
    const given: string[] = []
    const ask = async (orgnr: string, caller: string) => {
      if ((await mayRefresh(orgnr, caller)) === 'gitt') given.push(caller)
    }
    const all = Array.from({ length: 100 }, (_, index) => ask(`${index}`, 'many'))
    all.push(ask('one', 'one'))
    await Promise.all(all)
    expect(given).toHaveLength(101)
    // A second's worth went at once; then they take turns.
    expect(given.indexOf('one')).toBeLessThanOrEqual(52)
  })

  it('P61: attack: is kept from nobody by whoever has had a turn and not asked the sources yet', async () => {
    const { forced } = createAsker()
    expect(await forced.turn('1', 'waits')).toBe('gitt')
    expect(await forced.turn('1', 'another')).toBe('gitt')
    expect(await forced.take('1')).toBe(true)
    expect(await forced.take('1')).toBe(false)
    expect(await forced.turn('1', 'third')).toBe('nylig')
  })

  it('is refused when another process has had it; a common memory that is away decides nothing', async () => {
    expect(await createAsker({ claim: async () => false }).mayRefresh('1')).toBe('nylig')
    expect(await createAsker({ claim: async () => null }).mayRefresh('1')).toBe('gitt')
  })
})

import { describe, expect, it } from 'vitest'
import { keepRunning, type Running } from '#src/commands/fronts/keep-running.ts'

const policy = { retryMs: 100, retryMsMax: 1000, settledMs: 10_000, failuresMax: 6, endWithinMs: 1000 }

/** Processes that do as they are told, and a clock that stands until it is moved. */
function stage(count: number) {
  const started: (Running & {
    place: number
    signals: string[]
    listen(): Promise<void>
    exit(code: number | null): Promise<void>
  })[] = []
  const waits: number[] = []
  let now = 0
  const kept = keepRunning({
    count,
    policy,
    nowMs: () => now,
    pause: async (ms) => {
      waits.push(ms)
    },
    onReady: () => {},
    onEnded: () => {},
    start(place) {
      const ready = Promise.withResolvers<string>()
      const ended = Promise.withResolvers<number | null>()
      const signals: string[] = []
      const one = {
        place,
        pid: started.length + 1,
        ready: ready.promise,
        ended: ended.promise,
        signals,
        signal: (name: string) => void signals.push(name),
        async listen() {
          ready.resolve('http://127.0.0.1:1')
          await settled()
        },
        async exit(code: number | null) {
          ended.resolve(code)
          await settled()
        },
      }
      started.push(one)
      return one
    },
  })
  const last = () => {
    const one = started.at(-1)
    if (one === undefined) throw new Error('none was started')
    return one
  }
  return { kept, started, waits, last, move: (ms: number) => (now += ms) }
}

/** What follows at once has followed. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('several processes are kept running', () => {
  it('one that ends is replaced in its place; the others are left alone', async () => {
    const { started, last } = stage(3)
    for (const one of started) await one.listen()
    await started[1]?.exit(null)
    expect(started).toHaveLength(4)
    expect(last().place).toBe(2)
    expect(started.flatMap(({ signals }) => signals)).toEqual([])
  })

  it('one that does not come to stay is started ever later, and soon again once it has stayed', async () => {
    const { waits, last, move } = stage(1)
    await last().listen()
    for (let times = 0; times < 5; times++) await last().exit(1)
    expect(waits).toEqual([100, 200, 400, 800, 1000])
    move(policy.settledMs)
    await last().exit(1)
    expect(waits.at(-1)).toBe(100)
  })

  it('P46: one that fails time and again ends no other that is up, and is tried for as long as there is one', async () => {
    const { kept, started, last, waits } = stage(2)
    const [first] = started
    await first?.listen()
    for (let times = 0; times < 5 * policy.failuresMax; times++) await last().exit(1)
    expect(first?.signals).toEqual([])
    expect(waits.at(-1)).toBe(policy.retryMsMax)
    const failing = last()
    await first?.exit(null)
    // None is up any more, and it has failed too often.
    await failing.exit(1)
    expect(last().signals).toEqual(['SIGTERM'])
    await last().exit(0)
    expect(await kept.ended).toBe(false)
  })

  it('P46: one that does not come up ends no other that may; when no first comes up, all is given up', async () => {
    const { kept, started, last } = stage(2)
    await started[0]?.exit(1)
    expect(started[1]?.signals).toEqual([])
    expect(last().place).toBe(1)
    await started[1]?.exit(1)
    expect(last().signals).toEqual(['SIGTERM'])
    await last().exit(1)
    expect(await kept.ended).toBe(false)
    expect(started).toHaveLength(3)
  })

  it('told to end, all are told once, nobody is replaced, and all ending in order is well', async () => {
    const { kept, started } = stage(2)
    for (const one of started) await one.listen()
    kept.end({ areTold: false })
    kept.end({ areTold: false })
    for (const one of started) await one.exit(0)
    expect(await kept.ended).toBe(true)
    expect(started.map(({ signals }) => signals)).toEqual([['SIGTERM'], ['SIGTERM']])
  })

  it('those who have been told already are not told again, since the second time means at once', async () => {
    const { kept, started } = stage(1)
    kept.end({ areTold: true })
    await started[0]?.exit(0)
    expect(await kept.ended).toBe(true)
    expect(started[0]?.signals).toEqual([])
  })
})

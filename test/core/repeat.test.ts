import { afterEach, expect, it, vi } from 'vitest'
import { OppslagError } from '#src/core/errors.ts'
import { createRepeat } from '#src/core/repeat.ts'
import { eventually } from '#test/support/eventually.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('a run that fails is told of, and the next comes', async () => {
  const faults: unknown[] = []
  let runs = 0
  const repeated = createRepeat({ everyMs: 1, retryMs: 2, onFault: (error) => faults.push(error) }, () => {
    runs += 1
    if (runs < 3) throw new Error(`run ${runs}`)
  })
  await repeated.start()
  expect([runs, faults.length]).toEqual([1, 1])
  await eventually('it goes on', () => runs >= 4)
  await repeated.close()
  expect(faults.map(String)).toEqual(['Error: run 1', 'Error: run 2'])
})

it('a run that fails again and again is tried less and less often, and soon again after one that did not', async () => {
  const waits: number[] = []
  const outcomes = [false, false, false, false, true, false]
  let ways = 0
  const repeated = createRepeat(
    { everyMs: 1, retryMs: 1, retryMsMax: 4, onFault: (_error, againInMs) => waits.push(againInMs) },
    () => {
      if (outcomes.shift() === false) throw new Error(`away ${ways++}`)
    },
  )
  await repeated.start()
  await eventually('all is done', () => outcomes.length === 0)
  await repeated.close()
  expect(waits).toEqual([1, 2, 4, 4, 1])
})

it('one that goes on to fail the same way is told of once a minute, and again when it fails anew', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const told: unknown[] = []
  const outcomes = Array.from({ length: 70 }, (_, run) => run === 65)
  const repeated = createRepeat({ everyMs: 1000, onFault: () => told.push(70 - outcomes.length) }, () => {
    if (outcomes.shift() === false) throw new OppslagError('lager_utilgjengelig', `away ${outcomes.length}`)
  })
  await repeated.start()
  await vi.advanceTimersByTimeAsync(70_000)
  await repeated.close()
  expect(told).toEqual([1, 61, 67])
})

it('one run at a time, and one more for all who told of something meanwhile', async () => {
  const runs: PromiseWithResolvers<void>[] = []
  const repeated = createRepeat({ everyMs: 3_600_000, onFault: () => {} }, () => {
    const run = Promise.withResolvers<void>()
    runs.push(run)
    return run.promise
  })
  const started = repeated.start()
  repeated.again()
  repeated.again()
  expect(runs).toHaveLength(1)
  runs[0]?.resolve()
  await started
  await eventually('one more', () => runs.length === 2)
  runs[1]?.resolve()
  await repeated.close()
  repeated.again()
  expect(runs).toHaveLength(2)
})

it('the run under way is told of the end and waited for; what it fails with then is no fault', async () => {
  const faults: unknown[] = []
  let isEnded = false
  const repeated = createRepeat(
    { everyMs: 1, onFault: (error) => faults.push(error) },
    (signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          isEnded = true
          reject(signal.reason)
        })
      }),
  )
  void repeated.start()
  await repeated.close()
  expect([isEnded, faults]).toEqual([true, []])
})

it('P164: what is done every second or less often is done in the same moments, whenever it was begun', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const moments = new Map<number, number[]>()
  const begun = [1000, 1000, 2000, 5000].map((everyMs, place) => {
    const repeated = createRepeat({ everyMs, onFault: () => {} }, () => {
      moments.set(place, [...(moments.get(place) ?? []), performance.now()])
    })
    return async () => {
      await vi.advanceTimersByTimeAsync(170)
      await repeated.start()
      return repeated
    }
  })
  const repeats = []
  for (const begin of begun) repeats.push(await begin())
  await vi.advanceTimersByTimeAsync(20_000)
  for (const repeated of repeats) await repeated.close()
  const later = [...moments.values()].map((each) => each.slice(1))
  const beats = new Set(later.flat().map((moment) => Math.round(moment) % 1000))
  expect(beats.size).toBe(1)
  expect(later.map((each) => each.length)).toEqual([20, 20, 9, 3])
})

import { expect, it } from 'vitest'
import { createRepeat } from '#src/core/repeat.ts'
import { eventually } from '#test/support/eventually.ts'

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

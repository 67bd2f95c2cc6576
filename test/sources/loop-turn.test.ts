import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { earlierClock } from '../support/earlier-clock.ts'
import { patient } from './asking.ts'

// What came before, in this process, came by another clock.
vi.resetModules()
const { connectionTaken } = await import('#src/core/newcomers.ts')
const { turnForRegisters } = await import('#src/sources/loop-turn.ts')

it('P43: attack: while others connect without end registers are asked, and read, for as long as not', async () => {
  using clock = earlierClock()
  let wentOn = 0
  let busy = 0
  for (let turn = 0; turn < 400; turn += 1) {
    connectionTaken()
    clock.passes(1)
    void turnForRegisters(patient().signal).then(() => {
      wentOn += 1
    })
    const before = wentOn
    await nextTurn()
    if (wentOn > before) busy += 1
  }
  expect(busy).toBeGreaterThan(100)
  expect(busy).toBeLessThan(300)
})

it('P183: a call that is given up does not wait for its turn', async () => {
  using clock = earlierClock()
  await turnForRegisters(patient().signal)
  clock.passes(10)
  const givenUp = new AbortController()
  const turn = turnForRegisters(givenUp.signal)
  givenUp.abort(new Error('nobody waits'))
  await expect(turn).rejects.toThrow('nobody waits')
})

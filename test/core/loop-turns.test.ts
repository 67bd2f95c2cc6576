import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createLoopTurns } from '#src/core/loop-turns.ts'
import { connectionTaken } from '#src/core/newcomers.ts'
import { beBusyFor } from '../support/be-busy.ts'
import { turnsMeanwhile } from '../support/turns-meanwhile.ts'

const TURN_MS = 20
const names = Array.from({ length: 100 }, (_, at) => `key${at}`)

const work = () => beBusyFor(TURN_MS)

/** Its time in this turn is used up. */
function loopTurns() {
  const turns = createLoopTurns(TURN_MS)
  turns.isOver()
  work()
  return turns
}

it('P183: in a turn as many of the line go on as there is time for', async () => {
  const turns = loopTurns()
  const had = await turnsMeanwhile(() => Promise.all(names.map((name) => turns.next(name))))
  expect(had).toBeLessThan(names.length / 2)
})

it('P183: whoever goes on is done, as far as nothing is waited for, before the next does', async () => {
  const turns = loopTurns()
  const some = names.slice(0, 6)
  const had = await turnsMeanwhile(() =>
    Promise.all(
      some.map(async (name) => {
        await turns.next(name)
        for (let step = 0; step < 20; step += 1) await null
        work()
      }),
    ),
  )
  expect(had).toBeGreaterThan(some.length / 2)
})

it('P183: whoever comes while others wait goes behind them, and each name has one in turn', async () => {
  const turns = loopTurns()
  const told: string[] = []
  const ask = async (name: string) => {
    expect(turns.isOver()).toBe(true)
    await turns.next(name)
    told.push(name)
  }
  const [one, ...many] = ['one', 'many', 'many', 'many'].map(ask)
  await one
  await Promise.all([...many, ask('late')])
  expect(told).toEqual(['one', 'many', 'late', 'many', 'many'])
})

it('P183: who leaves the line goes on no more, and leaves nobody behind', async () => {
  const turns = loopTurns()
  const told: string[] = []
  const leaving: (() => void)[] = []
  void turns.next('gone', (leave) => leaving.push(leave)).then(() => told.push('gone'))
  for (const leave of leaving) leave()
  expect(turns.isOver()).toBe(true)
  await turns.next('here')
  await new Promise(setImmediate)
  expect(turns.isOver()).toBe(false)
  expect(told).toEqual([])
})

it('P183: attack: who waits goes on where every turn is long, and in every one somebody connects', async () => {
  const lines = [loopTurns(), loopTurns()]
  const told = lines.map(() => 0)
  for (const [at, turns] of lines.entries())
    for (const name of names)
      void turns.next(name).then(() => {
        work()
        told[at] = (told[at] ?? 0) + 1
      })
  for (let turn = 0; turn < 20; turn += 1) {
    work()
    connectionTaken()
    await nextTurn()
  }
  for (const count of told) expect(count).toBeGreaterThanOrEqual(5)
})

it('P43: attack: however long a turn goes on after somebody was taken in it, turns are left to whoever comes next', async () => {
  const turns = loopTurns()
  let wentOn = 0
  for (const name of names)
    void turns.next(name).then(() => {
      work()
      wentOn += 1
    })
  let left = 0
  for (let turn = 0; turn < 40; turn += 1) {
    connectionTaken()
    beBusyFor(3)
    const before = wentOn
    await nextTurn()
    if (wentOn === before) left += 1
  }
  expect(left).toBeGreaterThanOrEqual(10)
})

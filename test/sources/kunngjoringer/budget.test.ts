import { describe, expect, test } from 'vitest'
import { createBudget, spent } from '#src/sources/kunngjoringer/budget.ts'

function budgetAt(callsPerSecond: number, inFlightMax: number) {
  const clock = { ms: 0 }
  return { clock, budget: createBudget({ callsPerSecond, inFlightMax, nowMs: () => clock.ms }) }
}
const call = async () => 'called'

describe('the budget', () => {
  test('so many calls a second and no more; time earns new ones, never above one second’s worth', async () => {
    const { budget, clock } = budgetAt(2, 10)
    const three = async () => [await budget.run(call), await budget.run(call), await budget.run(call)]
    expect(await three()).toEqual(['called', 'called', spent])
    clock.ms = 499
    expect(await budget.run(call)).toBe(spent)
    clock.ms = 500
    expect(await budget.run(call)).toBe('called')
    clock.ms = 3_600_000
    expect(await three()).toEqual(['called', 'called', spent])
  })

  test('half a call a second is one in two seconds', async () => {
    const { budget, clock } = budgetAt(0.5, 10)
    expect([await budget.run(call), await budget.run(call)]).toEqual(['called', spent])
    clock.ms = 1999
    expect(await budget.run(call)).toBe(spent)
    clock.ms = 2000
    expect([await budget.run(call), await budget.run(call)]).toEqual(['called', spent])
    clock.ms = 3_600_000
    expect([await budget.run(call), await budget.run(call)]).toEqual(['called', spent])
  })

  test('P12: so many at once and no more; a place is free again when its call ends, well or badly', async () => {
    const { budget } = budgetAt(100, 2)
    const first = Promise.withResolvers<string>()
    const second = Promise.withResolvers<string>()
    const one = budget.run(() => first.promise)
    const two = budget.run(() => second.promise)
    expect(await budget.run(call)).toBe(spent)
    first.reject(new Error('broken'))
    await expect(one).rejects.toThrow('broken')
    expect(await budget.run(call)).toBe('called')
    second.resolve('done')
    expect(await two).toBe('done')
  })

  test('a call that finds no place costs no token', async () => {
    const { budget } = budgetAt(2, 1)
    const first = Promise.withResolvers<string>()
    const one = budget.run(() => first.promise)
    for (let refused = 0; refused < 5; refused += 1) expect(await budget.run(call)).toBe(spent)
    first.resolve('done')
    await one
    expect(await budget.run(call)).toBe('called')
  })
})

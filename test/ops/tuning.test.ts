import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '#src/core/clock.ts'
import { applyTuning, readTuning, tunablesOf } from '#src/ops/tunables.ts'
import { readTuningState, rollBackTuning, setTuning, TuningConflictError } from '#src/ops/tuning.ts'
import { keptOf, keptSources } from '#src/sources/index.ts'
import { registers } from '#src/sources/registers.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

const defaults = { kunngjoringCallsPerSecond: 5, regnskapskopiCallsPerSecond: 0.2 }
const tunables = tunablesOf(defaults)
const by = { hvem: 'Kari', hvorfor: 'en prøve' }

let storage: TestDatabase
beforeAll(async () => {
  storage = await createTestDatabase()
})
beforeEach(() => storage.database.query('delete from stilling'))
afterAll(() => storage.close())

const ground = () => ({ db: storage.database, clock: systemClock })
const set = (base: number, changes: Record<string, number | null>) =>
  setTuning(ground(), tunables, { ...by, base, changes })
const state = () => readTuningState(storage.database, tunables)

describe('the tuning', () => {
  it('is what the program has until somebody changes it', async () => {
    expect((await state()).current).toMatchObject({ versjon: 0, verdier: {} })
    const tuned = applyTuning({}, defaults)
    for (const source of keptSources) {
      const { found, season } = keptOf(source).lifetimes
      for (const { name, about, freshMs, staleMs, keepMs } of [found, season?.lifetime ?? found])
        expect(tuned.lifetimes[name], name).toEqual(about === null ? undefined : { freshMs, staleMs, keepMs })
    }
    for (const { name, budget } of registers) expect(tuned.budgets[name], name).toBe(budget.callsPerSecond)
    for (const { standard, least, most, name } of tunables) {
      expect(standard, name).toBeGreaterThanOrEqual(least)
      expect(standard, name).toBeLessThanOrEqual(most)
    }
  })

  it('keeps who, why and when, and holds only what differs', async () => {
    await set(0, { 'regnskap.fersk': 1_209_600, 'regnskap.kall': 5 })
    await set(1, { 'regnskap.kall': null })
    const { current, history } = await state()
    expect(current).toMatchObject({ versjon: 2, verdier: { 'regnskap.fersk': 1_209_600 }, ...by })
    expect(history).toHaveLength(2)
    expect(applyTuning(current.verdier, defaults).lifetimes.regnskap?.freshMs).toBe(1_209_600_000)
  })

  it('of two operators at once lets one through, and tells the other', async () => {
    const both = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => set(0, { 'sok.fersk': 100 + index })),
    )
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const each of both)
      if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(TuningConflictError)
    await expect(set(0, { 'sok.fersk': 999 })).rejects.toBeInstanceOf(TuningConflictError)
  })

  it('refuses what is out of bounds, is no whole number, or can not be tuned', async () => {
    for (const wrong of [{ 'enhet.fersk': 1 }, { 'enhet.fersk': 1e12 }, { 'enhet.fersk': 90.5 }, { tull: 7 }])
      await expect(set(0, wrong as never)).rejects.toMatchObject({ norsk: expect.any(String) })
    expect((await state()).newest).toBe(0)
  })

  it('has calls a second also below one, with two decimals', async () => {
    for (const wrong of [0, 0.09, 0.333, 101, Number.NaN, '0.5'])
      await expect(set(0, { 'kunngjoringer.kall': wrong as number }), String(wrong)).rejects.toMatchObject({
        code: 'ugyldig_verdi',
      })
    await set(0, { 'kunngjoringer.kall': 0.5, 'kunngjoringer_lesere.kall': 2.25 })
    const { budgets } = applyTuning((await state()).current.verdier, defaults)
    expect(budgets).toMatchObject({ kunngjoringer: 0.5, kunngjoringer_lesere: 2.25 })
  })

  it('goes one step back, as a version of its own', async () => {
    await set(0, { 'sok.fersk': 100 })
    await set(1, { 'sok.fersk': 200, 'enhet.fersk': 3600 })
    await rollBackTuning(ground(), tunables, { ...by, base: 2 })
    expect((await state()).current).toMatchObject({ versjon: 3, verdier: { 'sok.fersk': 100 } })
    await expect(rollBackTuning(ground(), tunables, { ...by, base: 2 })).rejects.toBeInstanceOf(
      TuningConflictError,
    )
  })

  it('of which the newest is broken is the last good one, and says so', async () => {
    await set(0, { 'sok.fersk': 100 })
    for (const [index, broken] of ['{"sok.fersk": -1}', '[1]', '"x"', '{"sok.fersk": "100"}'].entries()) {
      await storage.database.query(
        `insert into stilling (versjon, verdier, hvem, hvorfor, satt_at) values ($1, $2::jsonb, 'x', 'x', now())`,
        [index + 2, broken],
      )
      expect(await state()).toMatchObject({
        newest: index + 2,
        isBroken: true,
        current: { versjon: 1, verdier: { 'sok.fersk': 100 } },
      })
    }
    await set(5, { 'enhet.fersk': 3600 })
    expect((await state()).isBroken).toBe(false)
  })

  it('of a newer release may name what is not known here', () => {
    expect(readTuning({ 'sok.fersk': 100, 'nytt.fersk': 7 }, tunables)).toEqual({ 'sok.fersk': 100 })
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { readOwnership } from '#src/record/eierskap/read-ownership.ts'
import { type Company, inventedRegister } from './invented-register.ts'

/**
 * The oracle knows nothing of levels, groups or floors: it writes down the whole matrix, persons and all, and inverts I − A by
 * Gauss and Jordan with the largest pivot.
 */
describe('effective shares against the whole matrix', () => {
  it('P20: every owner has what (I − A)⁻¹ A says, whatever the circles', async () => {
    let circles = 0
    await fc.assert(
      fc.asyncProperty(registers(), async (register) => {
        const { oppover, flagg } = await owners(register)
        const { inverse, sizes } = inverted(register)
        circles += flagg.sirkulaer ? 1 : 0
        for (const { eier, effektivProsent } of oppover.eiere) {
          const key = eier.organisasjonsnummer === null ? eier.navn : Number(eier.organisasjonsnummer)
          const expected = (inverse[0]?.[sizes.indexOf(key)] ?? Number.NaN) * 100
          expect(effektivProsent).toBeCloseTo(expected, 5)
        }
      }),
      { numRuns: 400 },
    )
    // The promise is about circles: a generator that makes none would prove nothing.
    expect(circles).toBeGreaterThan(50)
  })

  it('P20: a company of a circle has what (I − A)⁻¹ says, divided by how often it comes back to itself', async () => {
    await fc.assert(
      fc.asyncProperty(registers(), async (register) => {
        const { oppover } = await owners(register)
        const { inverse, sizes } = inverted(register)
        for (const { foretak, effektivProsent } of oppover.mellomledd) {
          const at = sizes.indexOf(Number(foretak.organisasjonsnummer))
          const expected = ((inverse[0]?.[at] ?? Number.NaN) / (inverse[at]?.[at] ?? Number.NaN)) * 100
          expect(effektivProsent).toBeCloseTo(expected, 5)
        }
      }),
      { numRuns: 400 },
    )
  })

  it('nothing is lost and nothing is made: all that is told makes 100 %', async () => {
    await fc.assert(
      fc.asyncProperty(
        registers({ canBeBroken: true }),
        fc.integer({ min: 1, max: 4 }),
        async (register, dybde) => {
          const { ports } = inventedRegister(register)
          const { oppover } = await readOwnership(1, { aar: 2025, retning: 'opp', dybde, noder: 4 }, ports)
          if (oppover === null) throw new Error('asked upwards, answered nothing')
          const told = [
            ...oppover.eiere.map(({ effektivProsent }) => effektivProsent ?? 0),
            oppover.ovrige.prosent ?? 0,
            oppover.egneProsent ?? 0,
            oppover.uoppgittProsent ?? 0,
            oppover.ubestemtProsent ?? 0,
          ]
          expect(told.every((each) => each >= 0 && each <= 100)).toBe(true)
          expect(told.reduce((sum, each) => sum + each, 0)).toBeCloseTo(100, 4)
        },
      ),
      { numRuns: 600 },
    )
  })

  it('no owner has more than it has when more is looked at', async () => {
    await fc.assert(
      fc.asyncProperty(registers(), async (register) => {
        const whole = await owners(register)
        const { ports } = inventedRegister(register)
        const { oppover } = await readOwnership(1, { aar: 2025, retning: 'opp', dybde: 2 }, ports)
        for (const { eier, effektivProsent } of oppover?.eiere ?? []) {
          if (eier.type !== 'person') continue
          const full = whole.oppover.eiere.find((other) => other.eier.navn === eier.navn)
          expect(full?.effektivProsent ?? 0).toBeGreaterThanOrEqual((effektivProsent ?? 0) - 1e-6)
        }
      }),
    )
  })
})

async function owners(register: Map<number, Company>) {
  const { ports } = inventedRegister(register)
  // No floor: the matrix knows none.
  const limits = { ...policy.eierskap, floorPercent: 0 }
  const { oppover, flagg } = await readOwnership(1, { aar: 2025, retning: 'opp', dybde: 20 }, ports, limits)
  if (oppover === null) throw new Error('asked upwards, answered nothing')
  return { oppover, flagg }
}

/** Up to seven companies, each held by some of the others and by some of four persons; persons always hold a little. */
function registers({ canBeBroken = false } = {}) {
  return fc.integer({ min: 1, max: 7 }).chain((count) => {
    const companies = Array.from({ length: count }, (_, index) => index + 1)
    const holder = fc.tuple(
      fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...companies) }, fc.constantFrom('A', 'B', 'C', 'D')),
      fc.integer({ min: 1, max: 1000 }),
    )
    const company = fc.record({
      holders: fc.uniqueArray(holder, { maxLength: 6, selector: ([who]) => who }),
      person: canBeBroken ? fc.constantFrom(0, 1, 50) : fc.integer({ min: 1, max: 50 }),
      total: canBeBroken ? fc.constantFrom('sum', 'null', 'half', 'less', 'more') : fc.constant('sum'),
    })
    return fc.array(company, { minLength: count, maxLength: count }).map(
      (all) =>
        new Map(
          all.map(({ holders, person, total }, index): [number, Company] => {
            const held: Company['holders'] = person === 0 ? [...holders] : [...holders, [`E${index}`, person]]
            const sum = held.reduce((shares, [, each]) => shares + (each as number), 0)
            const totals: Record<string, number | null> = {
              sum,
              null: null,
              half: Math.floor(sum / 2),
              less: Math.ceil(sum / 1.2),
              more: sum + 7,
            }
            return [index + 1, { holders: held, total: totals[total] ?? null }]
          }),
        ),
    )
  })
}

function inverted(register: Map<number, Company>): {
  inverse: number[][]
  sizes: (number | string | null)[]
} {
  const names: (number | string)[] = [...register.keys()]
  for (const { holders } of register.values()) {
    for (const [who] of holders) if (!names.includes(who)) names.push(who)
  }
  // Row i: what company i is held by. Persons hold, and are held by nobody.
  const matrix = names.map((name) => {
    const row = names.map((other) => Number(other === name))
    const { holders = [], total = 0 } = (typeof name === 'number' ? register.get(name) : undefined) ?? {}
    for (const [who, shares] of holders) {
      if (who === name) continue
      const column = names.indexOf(who)
      row[column] = (row[column] ?? 0) - (shares as number) / (total ?? 0)
    }
    return row
  })
  return { inverse: gaussJordan(matrix), sizes: names }
}

function gaussJordan(matrix: number[][]): number[][] {
  const size = matrix.length
  const rows = matrix.map((row, i) => [...row, ...Array.from({ length: size }, (_, j) => Number(i === j))])
  for (let column = 0; column < size; column++) {
    const below = rows.slice(column).map((row) => Math.abs(row[column] ?? 0))
    const pivot = column + below.indexOf(Math.max(...below))
    const chosen = rows[pivot] ?? []
    rows[pivot] = rows[column] ?? []
    const divisor = chosen[column] ?? 1
    rows[column] = chosen.map((value) => value / divisor)
    rows.forEach((row, i) => {
      const factor = row[column] ?? 0
      if (i === column || factor === 0) return
      rows[i] = row.map((value, j) => value - factor * (rows[column]?.[j] ?? 0))
    })
  }
  return rows.map((row) => row.slice(size))
}

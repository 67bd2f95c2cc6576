/** What is left to chance, the same for the same seed: a linear congruence (Numerical Recipes). */
export type Chance = {
  /** From 0 to below 1. */
  part(): number
  oneOf<T>(all: readonly T[]): T
}

export function createChance(seed: number): Chance {
  let state = seed >>> 0
  function part(): number {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return {
    part,
    oneOf: <T>(all: readonly T[]) => {
      const one = all[Math.floor(part() * all.length)]
      if (one === undefined) throw new Error('there is none to choose')
      return one
    },
  }
}

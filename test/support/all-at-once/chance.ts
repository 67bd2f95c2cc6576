import { randomFrom } from '../random.ts'

/** What is left to chance, the same for the same seed. */
export type Chance = {
  /** From 0 to below 1. */
  part(): number
  oneOf<T>(all: readonly T[]): T
}

export function createChance(seed: number): Chance {
  const part = randomFrom(seed)
  return {
    part,
    oneOf: <T>(all: readonly T[]) => {
      const one = all[Math.floor(part() * all.length)]
      if (one === undefined) throw new Error('there is none to choose')
      return one
    },
  }
}

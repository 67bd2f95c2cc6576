/**
 * Chance that remembers nothing: the same facts give the same number, in [0, 1). A register of any year can so be written
 * by itself, and a company is the same one in all of them.
 */
export type Chance = (...facts: readonly number[]) => number

export function createChance(seed: number): Chance {
  return (...facts) => {
    let hash = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b)
    for (const fact of facts) {
      hash ^= fact | 0
      hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d)
      hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b)
      hash ^= hash >>> 16
    }
    return (hash >>> 0) / 4_294_967_296
  }
}

import type { StoredProcess } from '#src/storage/processes.ts'

/**
 * How many processes answer readers, this one among them, as was last heard. What a source allows all of them together is
 * divided by it, so that it is the same for one front and for twenty (P61).
 */
export function createAnswering() {
  let count = 1

  return {
    count: (): number => count,

    heard(alive: readonly Pick<StoredProcess, 'slag'>[]): void {
      count = Math.max(1, alive.filter(({ slag }) => slag !== 'arbeider').length)
    },
  }
}

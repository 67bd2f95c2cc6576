/** Time to be spent once, on whatever comes. */
export type Budget = { leftMs(): number }

/** Starts now, and runs on a clock that nobody sets. */
export function createBudget(totalMs: number): Budget {
  const end = performance.now() + totalMs
  return { leftMs: () => end - performance.now() }
}

/** How well two kinds are told apart by their times: the best that can be done with one bound between them. */
export type Guess = { rightShare: number; medianMs: [number, number] }

/** Half is guessing; with so many samples of the same the best bound finds some hundredths more by chance. */
export function told(one: readonly number[], other: readonly number[]): Guess {
  const all = [...one.map((ms) => ({ ms, isOne: true })), ...other.map((ms) => ({ ms, isOne: false }))].sort(
    (a, b) => a.ms - b.ms,
  )
  let right = other.length
  let best = Math.max(right, one.length)
  for (const { isOne } of all) {
    right += isOne ? 1 : -1
    best = Math.max(best, right, all.length - right)
  }
  return { rightShare: best / all.length, medianMs: [median(one), median(other)] }
}

function median(times: readonly number[]): number {
  return Number((times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0).toFixed(2))
}

/**
 * How long those who do much piece by piece may hold the process before others are heard: so many milliseconds in one turn of the
 * event loop, all of them together. Each by itself keeping to that, ten at once would be ten times as long. Whoever finds it used up
 * waits in line, and one of the line goes on in each turn.
 */
export function createLoopTurns(turnMs: number) {
  const line: (() => void)[] = []
  /** Null: nobody has done anything in this turn. */
  let beganMs: number | null = null

  function begin(): void {
    beganMs = performance.now()
    setImmediate(end)
  }

  function end(): void {
    beganMs = null
    const next = line.shift()
    if (next === undefined) return
    begin()
    next()
  }

  return {
    /** Asked before each piece. */
    isOver(): boolean {
      if (beganMs !== null) return performance.now() - beganMs >= turnMs
      begin()
      return false
    },

    /** Comes back in another turn. */
    next(): Promise<void> {
      if (beganMs === null) begin()
      return new Promise((resolve) => line.push(resolve))
    },
  }
}

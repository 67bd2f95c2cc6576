/**
 * How long those who do much piece by piece may hold the process before others are heard: so many milliseconds in one turn of the
 * event loop, all of them together. Each by itself keeping to that, ten at once would be ten times as long. Whoever finds it used up
 * waits in line, and one of the line goes on in each turn: of another name each time, whatever many one name has in it.
 */
export function createLoopTurns(turnMs: number) {
  /** Whose turn is next stands first. */
  const lines = new Map<string, (() => void)[]>()
  /** Null: nobody has done anything in this turn. */
  let beganMs: number | null = null

  function begin(): void {
    beganMs = performance.now()
    setImmediate(end)
  }

  function end(): void {
    beganMs = null
    const [first] = lines
    if (first === undefined) return
    const [of, line] = first
    const next = line.shift()
    lines.delete(of)
    if (line.length > 0) lines.set(of, line)
    begin()
    next?.()
  }

  return {
    /** Asked before each piece. */
    isOver(): boolean {
      if (beganMs !== null) return performance.now() - beganMs >= turnMs
      begin()
      return false
    },

    /** Comes back in another turn. @param of what has one name shares the turns of one */
    next(of = ''): Promise<void> {
      if (beganMs === null) begin()
      return new Promise((resolve) => {
        const line = lines.get(of)
        if (line === undefined) lines.set(of, [resolve])
        else line.push(resolve)
      })
    },
  }
}

import { isStrangerAsking } from './asker.ts'
import { isLeftToNewcomers } from './newcomers.ts'
import { afterAllThatFollows } from './wait.ts'

/**
 * How long those who do much piece by piece may hold the process before others are heard: so many milliseconds in one turn of the
 * event loop, all of them together. Each by itself keeping to that, ten at once would be ten times as long. Whoever finds it used up
 * waits in line, and so does whoever comes while there is one. In each turn as many of the line go on as there is time for: of another
 * name each time, whatever many one name has in it. Strangers, who may come from however many networks, have every other turn together.
 */
export function createLoopTurns(turnMs: number) {
  const linesOf = { known: new Map() as Lines, strangers: new Map() as Lines }
  /** Turned round before each turn: who stands first has it, if anybody of them waits. */
  const kinds = [linesOf.strangers, linesOf.known]
  /** Null: nobody has done anything in this turn. */
  let beganMs: number | null = null

  function begin(): void {
    beganMs = performance.now()
    setImmediate(end)
  }

  function end(): void {
    if (isNobodyWaiting()) beganMs = null
    // Until then this one is used up.
    else if (isLeftToNewcomers()) setImmediate(end)
    else {
      begin()
      goOn()
    }
  }

  function goOn(): void {
    if (isUsedUp()) return
    const lines = kinds.reverse().find(({ size }) => size > 0)
    const [first] = lines ?? []
    if (lines === undefined || first === undefined) return
    const [of, line] = first
    const [next] = line
    lines.delete(of)
    if (next !== undefined) line.delete(next)
    if (line.size > 0) lines.set(of, line)
    next?.()
    afterAllThatFollows(goOn)
  }

  function isNobodyWaiting(): boolean {
    return kinds.every(({ size }) => size === 0)
  }

  function isUsedUp(): boolean {
    return beganMs !== null && performance.now() - beganMs >= turnMs
  }

  return {
    /** Asked before each piece. */
    isOver(): boolean {
      if (beganMs === null) begin()
      return !isNobodyWaiting() || isUsedUp()
    },

    /**
     * Comes back when it is its turn.
     *
     * @param of what has one name shares the turns of one
     * @param mayLeave is handed what takes it out of the line: it never comes back then
     */
    next(of = '', mayLeave: (leave: () => void) => void = () => {}): Promise<void> {
      if (beganMs === null) begin()
      const lines = isStrangerAsking() ? linesOf.strangers : linesOf.known
      return new Promise((resolve) => {
        const line = lines.get(of) ?? new Set()
        lines.set(of, line.add(resolve))
        mayLeave(() => {
          if (line.delete(resolve) && line.size === 0) lines.delete(of)
        })
      })
    },
  }
}

/** By name; whose turn is next stands first. */
type Lines = Map<string, Set<() => void>>

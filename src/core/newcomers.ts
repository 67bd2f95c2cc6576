/**
 * libuv takes one connection in a turn of the event loop, however many wait to be taken, and a front among several is handed the next when
 * it has taken one; where many come they are read a few a turn as well. In turns that are all used up those are two hundred a second, and a
 * stranger who connects as often keeps everybody out who has no connection yet. So while connections come, or wait to be read, turns are
 * left to them, so many milliseconds, and then as many have work in them: one whole turn at least, since a turn that is long by itself, as
 * those are that many hits fill, would be longer than both, and nothing that waits in line would ever go on.
 */
const LEFT_MS = 5
/** Whoever hands them round is asked for the next, and answers within this. */
const NEXT_WITHIN_MS = 1

let taken = 0
let waitedMs = Number.NEGATIVE_INFINITY
let leftSinceMs = Number.NEGATIVE_INFINITY
/** What has work in it since turns were left last. */
let worked: 'nothing' | 'some of a turn' | 'a turn' = 'a turn'

/** One was taken just now. */
export function connectionTaken(): void {
  taken += 1
  newcomersWait()
}

/** Some are still to be read. */
export function newcomersWait(): void {
  waitedMs = performance.now()
  if (worked !== 'a turn' || waitedMs - leftSinceMs < 2 * LEFT_MS) return
  leftSinceMs = waitedMs
  worked = 'nothing'
}

/** How many were, since the process began. */
export function connectionsTaken(): number {
  return taken
}

/** Whether what is done piece by piece is to wait. */
export function isLeftToNewcomers(): boolean {
  const now = performance.now()
  const isLeft = now - waitedMs < NEXT_WITHIN_MS && now - leftSinceMs < LEFT_MS
  if (!isLeft && worked === 'nothing') {
    worked = 'some of a turn'
    setImmediate(() => {
      worked = 'a turn'
    })
  }
  return isLeft
}

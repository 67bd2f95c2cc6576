/**
 * libuv takes one connection in a turn of the event loop, however many wait to be taken, and a front among several is handed the next when
 * it has taken one; where many come they are read a few a turn as well. In turns that are all used up those are one or two hundred a
 * second, and a stranger who connects as often keeps everybody out who has no connection yet. So while connections are taken, or wait to be
 * read, turns are left to them, and then for as long have work in them: one whole turn at least, since a turn that is long by itself, as
 * those are that many hits fill, would be longer than both, and nothing that waits in line would ever go on.
 */
const LEFT_MS = 5
/** What is under way already goes on for some turns, and only then are they short: so long while connections are taken, of a crowd all. */
const LEFT_TO_TAKE_MS = 50
/** Whoever hands them round is asked for the next, and answers within this. */
const NEXT_WITHIN_MS = 1

let count = 0
const taken = createComing()
const waiting = createComing()
let leftSinceMs = Number.NEGATIVE_INFINITY
let isLeft = false
/** Last. */
let leftForMs = LEFT_MS
/** What has work in it since turns were left last. */
let worked: 'nothing' | 'some of a turn' | 'a turn' = 'a turn'

/** One was taken just now. */
export function connectionTaken(): void {
  count += 1
  taken.noteOne()
}

/** Some are still to be read. */
export function newcomersWait(): void {
  waiting.noteOne()
}

/** How many were, since the process began. */
export function connectionsTaken(): number {
  return count
}

/** Whether more are being taken. */
export function areConnectionsTaken(): boolean {
  return taken.isGoingOn()
}

/** Whether what is done piece by piece is to wait. */
export function isLeftToNewcomers(): boolean {
  const now = performance.now()
  const areTaken = taken.isGoingOn()
  const areComing = areTaken || waiting.isGoingOn()
  if (isLeft) {
    const forMs = now - leftSinceMs
    isLeft = areComing && forMs < (areTaken ? LEFT_TO_TAKE_MS : LEFT_MS)
    // It may be long that nobody has asked.
    if (!isLeft) leftForMs = Math.min(Math.max(LEFT_MS, forMs), LEFT_TO_TAKE_MS)
  } else if (areComing && worked === 'a turn' && now - leftSinceMs >= 2 * leftForMs) {
    isLeft = true
    leftSinceMs = now
    worked = 'nothing'
  }
  if (!isLeft && worked === 'nothing') {
    worked = 'some of a turn'
    setImmediate(() => {
      worked = 'a turn'
    })
  }
  return isLeft
}

/** What comes one in a turn. Of a turn that is long by itself the end is long after one came, and the next there all the same. */
function createComing() {
  let lastMs = Number.NEGATIVE_INFINITY
  let turnsSince = Number.POSITIVE_INFINITY
  let isCounting = false

  function countTurn(): void {
    turnsSince += 1
    isCounting = turnsSince < TURNS_SINCE
    if (isCounting) setImmediate(countTurn)
  }

  return {
    noteOne(): void {
      lastMs = performance.now()
      turnsSince = 0
      if (isCounting) return
      isCounting = true
      setImmediate(countTurn)
    },

    isGoingOn: (): boolean => turnsSince < TURNS_SINCE || performance.now() - lastMs < NEXT_WITHIN_MS,
  }
}

/** The one it came in, and the next: which of the two this is depends on who of many asks first. */
const TURNS_SINCE = 2

import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * `of`: what has one name shares the turns of one (`turns.ts`). `isStranger`: nothing is known of them but their network. `ownLine`: since
 * somebody wants to know.
 */
type Asker = { of: string; isStranger: boolean; ownLine?: OwnLine }

const asking = new AsyncLocalStorage<Asker>()

/** How long what one asks for has waited behind what they have under way besides, in one line or in many at once. */
export type OwnLine = ReturnType<typeof createOwnLine>

/** What the process asks for itself. */
const NOBODY: Asker = { of: '', isStranger: false }
const ALL: Asker = { of: 'alle', isStranger: false }

/** Does what was asked for in somebody's name, with all that follows from it. */
export function askedBy<T>(of: string, work: () => T): T {
  return asking.run({ of, isStranger: true }, work)
}

/** It is known better now who asks: they have shown a key. */
export function askerIs(of: string): void {
  const asker = asking.getStore()
  if (asker === undefined || asker === NOBODY || asker === ALL) return
  asker.of = of
  asker.isStranger = false
}

/** Does in nobody's name what is done for many at once: however many they are, it is seldom. */
export function askedByNobody<T>(work: () => T): T {
  return asking.run(NOBODY, work)
}

/**
 * Does for all what one of them has set going, as often as they like: as one more who asks. In their own name it would have no turn
 * where they ask too much besides, and in nobody's what all others wait for would have none.
 */
export function askedForAll<T>(work: () => T): T {
  return asking.run(ALL, work)
}

/** Who asks; '' is the process itself. */
export function whoAsks(): string {
  return asking.getStore()?.of ?? ''
}

/** Whether who asks has shown no key of their own. */
export function isStrangerAsking(): boolean {
  return asking.getStore()?.isStranger ?? false
}

/** Of what is asked for here, from now on. */
export function ownLine(): OwnLine {
  const asker = somebody()
  if (asker === null) return createOwnLine()
  asker.ownLine ??= createOwnLine()
  return asker.ownLine
}

/** @returns to be called once, when the wait is over */
export function waitsBehindOwn(): () => void {
  return asking.getStore()?.ownLine?.begin() ?? NOTHING
}

/**
 * Does what others may wait for besides who sets it going. Those of the same name are in a line as long as it is in one, and no longer:
 * what it takes itself they wait for as whoever asks for it does.
 *
 * @returns waits for it, in the name of who asks then
 */
export function forAllWhoJoin<T>(work: () => Promise<T>): () => Promise<T> {
  const asker = somebody()
  if (asker === null) {
    const done = work()
    return () => done
  }
  const line = createOwnLine()
  const done = asking.run({ ...asker, ownLine: line }, work)
  return () => {
    const joining = asking.getStore()
    const isOwn = joining?.of === asker.of
    return isOwn && joining.ownLine !== undefined ? done.finally(line.takeAlong(joining.ownLine)) : done
  }
}

function somebody(): Asker | null {
  const asker = asking.getStore()
  return asker === undefined || asker === NOBODY || asker === ALL ? null : asker
}

const NOTHING = () => {}

type Begin = (at?: number) => (at?: number) => void

function createOwnLine() {
  let waits = 0
  let since = 0
  let ms = 0
  const along = new Set<{ begin: Begin; end: ReturnType<Begin> | null }>()

  /** Each moment counts once, in however many lines it is waited. */
  function begin(at = performance.now()): (at?: number) => void {
    waits += 1
    if (waits === 1) {
      since = at
      for (const each of along) each.end = each.begin(at)
    }
    return (at = performance.now()) => {
      waits -= 1
      if (waits > 0) return
      ms += at - since
      for (const each of along) {
        each.end?.(at)
        each.end = null
      }
    }
  }

  return {
    begin,

    /** @param other waits for what is in line here @returns to be called once, when it does so no more */
    takeAlong(other: { begin: Begin }): () => void {
      const one = { begin: other.begin, end: waits > 0 ? other.begin() : null }
      along.add(one)
      return () => {
        along.delete(one)
        one.end?.()
      }
    },

    /** Also of a wait that is not over. Milliseconds. */
    ms: (): number => ms + (waits === 0 ? 0 : performance.now() - since),
  }
}

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
  const asker = asking.getStore()
  if (asker === undefined || asker === NOBODY || asker === ALL) return createOwnLine()
  asker.ownLine ??= createOwnLine()
  return asker.ownLine
}

/** @returns to be called once, when the wait is over */
export function waitsBehindOwn(): () => void {
  return asking.getStore()?.ownLine?.begin() ?? NOTHING
}

const NOTHING = () => {}

function createOwnLine() {
  let waits = 0
  let since = 0
  let ms = 0
  let alongMs = 0
  const along = new Set<() => number>()
  /** Also of a wait that is not over. */
  const inLineMs = () => ms + (waits === 0 ? 0 : performance.now() - since)

  return {
    begin(): () => void {
      if (waits === 0) since = performance.now()
      waits += 1
      return () => {
        waits -= 1
        if (waits === 0) ms += performance.now() - since
      }
    },

    /**
     * For whoever waits for what another of the same asker's has set going: as long as that is in a line, and no longer.
     *
     * @param inLine of that other
     * @returns to be called once, when it is over
     */
    waitWith(inLine: () => number): () => void {
      const fromMs = inLine()
      const waitedMs = () => inLine() - fromMs
      along.add(waitedMs)
      return () => {
        along.delete(waitedMs)
        alongMs += waitedMs()
      }
    },

    inLineMs,

    /** All of it, in milliseconds. */
    ms(): number {
      let sum = inLineMs() + alongMs
      for (const waitedMs of along) sum += waitedMs()
      return sum
    },
  }
}

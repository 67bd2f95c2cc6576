import { AsyncLocalStorage } from 'node:async_hooks'

/** `of`: what has one name shares the turns of one (`turns.ts`). `isStranger`: nothing is known of them but their network. */
type Asker = { of: string; isStranger: boolean }

const asking = new AsyncLocalStorage<Asker>()

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

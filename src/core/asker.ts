import { AsyncLocalStorage } from 'node:async_hooks'

/** `of`: what has one name shares the turns of one (`turns.ts`). */
type Asker = { of: string }

const asking = new AsyncLocalStorage<Asker>()

/** What the process asks for itself. */
const NOBODY: Asker = { of: '' }

/** Does what was asked for in somebody's name, with all that follows from it. */
export function askedBy<T>(of: string, work: () => T): T {
  return asking.run({ of }, work)
}

/** It is known better now who asks. */
export function askerIs(of: string): void {
  const asker = asking.getStore()
  if (asker !== undefined && asker !== NOBODY) asker.of = of
}

/** Does in nobody's name what is done for many at once. */
export function askedByNobody<T>(work: () => T): T {
  return asking.run(NOBODY, work)
}

/** Who asks; '' is the process itself. */
export function whoAsks(): string {
  return asking.getStore()?.of ?? ''
}

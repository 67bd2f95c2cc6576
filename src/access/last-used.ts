import type { Clock } from '#src/core/clock.ts'
import { norwegianDay } from '#src/core/norwegian-time.ts'
import { createRepeat } from '#src/core/repeat.ts'
import { soon } from './soon.ts'

/**
 * The day each key was last used, written down for many at once and now and then. Nobody waits for it: a use is one look in a
 * set. What a process that dies has not written is noted at the key's next use. A use just before midnight may count as of the day
 * after it.
 *
 * @param write of these keys, that they were used on this day
 * @param policy.keysMax beyond it a key is left out until the others are written
 */
export function createLastUsed({
  write,
  clock,
  onFault,
  policy,
}: {
  write: (ids: readonly string[], day: string) => Promise<void>
  clock: Clock
  onFault: (error: unknown) => void
  policy: { everyMs: number; keysMax: number }
}) {
  let used = new Set<string>()
  /** Written already; another day begins another set. */
  let written = new Set<string>()
  let day = norwegianDay(clock.now())

  async function writeDown(): Promise<void> {
    const today = norwegianDay(clock.now())
    const ids = [...used]
    used = new Set()
    if (today !== day) written = new Set()
    day = today
    const fresh = ids.filter((id) => !written.has(id))
    if (fresh.length === 0) return
    await write(fresh, today)
    if (written.size + fresh.length > policy.keysMax) written = new Set()
    for (const id of fresh) written.add(id)
  }

  const repeated = createRepeat({ everyMs: policy.everyMs, onFault }, writeDown)
  void repeated.start()

  return {
    note(id: string): void {
      if (used.size < policy.keysMax) used.add(id)
    },
    writeDown,
    /** What is not written yet is. */
    async close(): Promise<void> {
      await repeated.close()
      await soon(writeDown()).catch(onFault)
    },
  }
}

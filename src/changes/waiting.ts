import { createRepeat } from '#src/core/repeat.ts'

/**
 * Whose changes are waited for: a chain's, or a test key's. null: of everybody's test key, the living companies. `nokkel`: the key
 * somebody asks with, where it may be over without this process having heard.
 */
export type Watcher = { eier: string | null; prove: boolean; nokkel?: string }

/** One that waits. It is woken by any change that was written since it entered, and now and then for nothing. */
export type ChangeWaiter = {
  /** @returns false: it is over, or nobody waits any more */
  woken(): Promise<boolean>
  /** It has waited long enough. */
  giveUp(): void
  leave(): void
}

type Waiting = { watcher: Watcher; wake: () => void; giveUp: () => void }

/**
 * Readers who wait for changes. However many there are, the process looks once: at what was written since it last looked, for
 * those who wait. What is told on PostgreSQL's channel is a bell; a look now and then needs none.
 *
 * Whoever enters before it reads is woken by all that is written after it has read.
 */
export function createWaiting({
  newest,
  concerned,
  onFault,
  policy,
}: {
  /** The number of the last change. */
  newest: () => Promise<number>
  /** Which of these have a change after this number, and the number of the last one there is. */
  concerned: (
    after: number,
    owners: readonly string[],
  ) => Promise<{ newest: number; owners: ReadonlySet<string>; anyInvented: boolean }>
  onFault: (error: unknown) => void
  policy: { lookEveryMs: number; ofOneMax: number; ofTestsMax: number; inAllMax: number }
}) {
  const waiting = new Set<Waiting>()
  const counts = new Map<string, number>()
  let ofTests = 0
  let isClosing = false
  /** All up to it has been looked at for whoever waits; null while nobody does. */
  let seen: number | null = null

  async function look(): Promise<void> {
    if (waiting.size === 0) {
      seen = null
      return
    }
    const those = [...waiting]
    if (seen === null) {
      seen = await newest()
      for (const { wake } of waiting) wake()
      return
    }
    const owners = new Set(those.flatMap(({ watcher }) => watcher.eier ?? []))
    const found = await concerned(seen, [...owners])
    // The log was set back, or lost its end: what was written in it since is under numbers that were looked at (P193).
    const isBehind = found.newest < seen
    seen = found.newest
    // Who entered meanwhile was not asked for, and may have read before what was found.
    const asked = new Set(those)
    for (const each of waiting) {
      const { eier } = each.watcher
      const isConcerned = eier === null ? found.anyInvented : found.owners.has(eier)
      if (isConcerned || isBehind || !asked.has(each)) each.wake()
    }
  }

  function giveUp(): void {
    isClosing = true
    for (const each of waiting) each.giveUp()
  }

  const looking = createRepeat({ everyMs: policy.lookEveryMs, onFault }, look)
  void looking.start()

  return {
    /**
     * @param of who is counted as one: a chain, or a network with test keys
     * @returns which bound is reached, when there is no room; whoever has a test key shares one with all who have
     */
    enter(watcher: Watcher, of: string): ChangeWaiter | 'one' | 'all' {
      // Whoever has no more than a key that anybody may have takes no customer's place, from however many networks.
      if (watcher.prove && ofTests >= policy.ofTestsMax) return 'one'
      if ((counts.get(of) ?? 0) >= policy.ofOneMax) return 'one'
      if (waiting.size >= policy.inAllMax) return 'all'
      counts.set(of, (counts.get(of) ?? 0) + 1)
      if (watcher.prove) ofTests += 1
      let isWoken = false
      let isOver = isClosing
      let tell = () => {}
      const self: Waiting = {
        watcher,
        wake() {
          isWoken = true
          tell()
        },
        giveUp() {
          isOver = true
          tell()
        },
      }
      waiting.add(self)
      return {
        async woken() {
          if (!isWoken && !isOver)
            await new Promise<void>((resolve) => {
              tell = resolve
            })
          const was = isWoken && !isOver
          isWoken = false
          return was
        },
        giveUp: self.giveUp,
        leave() {
          if (!waiting.delete(self)) return
          if (watcher.prove) ofTests -= 1
          const left = (counts.get(of) ?? 1) - 1
          if (left === 0) counts.delete(of)
          else counts.set(of, left)
        },
      }
    },

    /** Something was written. */
    ring: looking.again,

    /** Everybody is told, and nobody waits from now on. */
    giveUp,

    async close(): Promise<void> {
      giveUp()
      await looking.close()
    },
  }
}

export type WaitingReaders = ReturnType<typeof createWaiting>

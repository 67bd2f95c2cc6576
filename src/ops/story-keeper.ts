import type { Log } from '#src/core/log.ts'
import type { Story } from './stories.ts'

/**
 * Hands stories to PostgreSQL every few seconds, so many of each kind at most: faults first, and a flood of refusals leaves room for
 * the answers beside it. What was not taken, by one that is busy or was started anew, is handed over once more with the next.
 * What is more than that is counted and forgotten: each request has its line in the log.
 */
export function createStoryKeeper({
  keep,
  log,
  policy,
}: {
  keep: (stories: readonly Story[]) => Promise<void>
  log: Log
  policy: { everyMs: number; eachMax: number }
}) {
  const waiting = { faults: [] as Story[], answers: [] as Story[], refusals: [] as Story[] }
  let notTaken: readonly Story[] = []
  let lost = 0
  let lostUntold = 0
  let isFailing = false
  let timer: NodeJS.Timeout | undefined
  let keeping: Promise<void> = Promise.resolve()

  function lose(count: number): void {
    lost += count
    lostUntold += count
  }

  async function isKept(stories: readonly Story[]): Promise<boolean> {
    if (stories.length === 0) return true
    try {
      await keep(stories)
      isFailing = false
      return true
    } catch (error) {
      // Said once: the database being away is told by others as well.
      if (!isFailing) log.warn({ err: error }, 'the stories of requests could not be kept')
      isFailing = true
      return false
    }
  }

  /** Each batch by itself: one that PostgreSQL will never take costs no other. */
  async function hand(): Promise<void> {
    const again = notTaken
    const stories = [...waiting.faults.splice(0), ...waiting.answers.splice(0), ...waiting.refusals.splice(0)]
    if (!(await isKept(again))) lose(again.length)
    notTaken = (await isKept(stories)) ? [] : stories
  }

  function tellLost(): void {
    if (lostUntold > 0) log.info({ antall: lostUntold }, 'stories of requests were not kept')
    lostUntold = 0
  }

  /** One hand-over at a time, however long PostgreSQL takes. */
  function later(): void {
    timer ??= setTimeout(() => {
      keeping = hand().then(() => {
        tellLost()
        timer = undefined
        if (notTaken.length > 0 || Object.values(waiting).some(({ length }) => length > 0)) later()
      })
    }, policy.everyMs).unref()
  }

  return {
    add(story: Story): void {
      const kind = story.status >= 500 ? 'faults' : story.status < 400 ? 'answers' : 'refusals'
      if (waiting[kind].length >= policy.eachMax) {
        lose(1)
        return
      }
      waiting[kind].push(story)
      later()
    },
    /** Stories that were not kept, in the life of this process. */
    lost: () => lost,
    async close(): Promise<void> {
      clearTimeout(timer)
      await keeping
      clearTimeout(timer)
      await hand()
      lose(notTaken.length)
      tellLost()
    },
  }
}

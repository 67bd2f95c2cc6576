import type { Log } from '#src/core/log.ts'
import type { Story } from './stories.ts'

/**
 * Hands stories to PostgreSQL every few seconds, so many of each kind at most: faults first, and a flood of refusals leaves room for
 * the answers beside it. What is more than that, or comes while the database is away, is counted and forgotten: each request has
 * its line in the log.
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
  let lost = 0
  let isFailing = false
  let timer: NodeJS.Timeout | undefined
  let keeping: Promise<void> = Promise.resolve()

  async function hand(): Promise<void> {
    const stories = [...waiting.faults.splice(0), ...waiting.answers.splice(0), ...waiting.refusals.splice(0)]
    if (lost > 0) log.info({ antall: lost }, 'more stories of requests than are kept')
    lost = 0
    if (stories.length === 0) return
    try {
      await keep(stories)
      isFailing = false
    } catch (error) {
      // Said once: the database being away is told by others as well.
      if (!isFailing) log.warn({ err: error }, 'the stories of requests could not be kept')
      isFailing = true
    }
  }

  function later(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      keeping = hand()
    }, policy.everyMs).unref()
  }

  return {
    add(story: Story): void {
      const kind = story.status >= 500 ? 'faults' : story.status < 400 ? 'answers' : 'refusals'
      if (waiting[kind].length >= policy.eachMax) {
        lost += 1
        return
      }
      waiting[kind].push(story)
      later()
    },
    async close(): Promise<void> {
      clearTimeout(timer)
      await keeping
      await hand()
    },
  }
}

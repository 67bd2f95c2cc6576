import type { JobQueue } from '#src/queue/open-queue.ts'
import { registerLanes } from '#src/sources/lanes.ts'
import type { OpenTuning } from './tuning.ts'

/** The queue's pace follows the tuning; a queue that was away is told at the next report. */
export function createQueuePace(
  queue: Pick<JobQueue, 'setPace'>,
  tuning: Pick<OpenTuning, 'state' | 'current' | 'onChange'>,
) {
  let told = 0

  async function keep(): Promise<void> {
    const version = tuning.state()?.current.versjon ?? 0
    if (version === told) return
    const { budgets } = tuning.current()
    for (const lane of registerLanes) await queue.setPace(lane, budgets[lane])
    told = version
  }

  tuning.onChange(() => {
    // Within a second where it can be told now; what fails is told with the next report.
    keep().catch(() => {})
  })
  return { keep }
}

import type { BackendQueue, QueueBackend } from './backend.ts'
import { withinDeadline } from './deadline.ts'
import type { JobLane } from './jobs.ts'

export type Producers = ReturnType<typeof createProducers>

/**
 * BullMQ's queues for adding to, each made when it is first needed and only on a server that was just proved. One that does
 * not get ready is thrown away, since it would fail for ever, and the next call makes another.
 */
export function createProducers({
  backend,
  deadlineMs,
  onFault,
}: {
  backend: QueueBackend
  deadlineMs: number
  onFault: (error: Error) => void
}) {
  const open = new Map<JobLane, Promise<BackendQueue>>()
  let isClosed = false

  async function make(lane: JobLane): Promise<BackendQueue> {
    await backend.prove()
    const queue = backend.openQueue(lane)
    // Without a listener an error ends the process.
    queue.on('error', onFault)
    try {
      await withinDeadline(deadlineMs, queue.waitUntilReady())
      return queue
    } catch (error) {
      await withinDeadline(deadlineMs, queue.close()).catch(() => {})
      throw error
    }
  }

  return {
    /** @throws QueueUnavailableError, QueueMayEvictError */
    of(lane: JobLane): Promise<BackendQueue> {
      const known = open.get(lane)
      if (known !== undefined) return known
      const made = make(lane)
      if (isClosed) return made
      open.set(lane, made)
      made.catch(() => open.delete(lane))
      return made
    },

    async close(): Promise<void> {
      isClosed = true
      const all = [...open.values()]
      open.clear()
      await Promise.all(
        all.map((made) => made.then((queue) => withinDeadline(deadlineMs, queue.close())).catch(() => {})),
      )
    },
  }
}

import { OppslagError } from '#src/core/errors.ts'
import { within } from '#src/core/wait.ts'
import { QueueUnavailableError } from './errors.ts'

/**
 * What `work` gives; a QueueUnavailableError when it takes longer or fails in a way that is not ours. Some of BullMQ's
 * promises never settle.
 */
export async function withinDeadline<T>(deadlineMs: number, work: Promise<T>): Promise<T> {
  try {
    return await within(work, deadlineMs, () => {
      throw new QueueUnavailableError(null)
    })
  } catch (error) {
    throw error instanceof OppslagError ? error : new QueueUnavailableError(error)
  }
}
